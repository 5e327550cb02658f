import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { expect, test } from 'vitest';
import { runCommand } from '../check/support/run-command.ts';
import { makeSite } from '../support/sites.ts';
import { TestStore } from '../support/stores.ts';

test('a site has no keyring, and its backups are made and restored without one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ticketscan-site-backup-'));
  const gate = await TestStore.open('sqlite');
  await gate.mint();
  await makeSite(gate, { epoch: 2, isOpen: true, after: 0 });
  const at = ['--store', gate.url, '--keyring', join(folder, 'none.json')];
  const identity = await generateX25519Identity();
  writeFileSync(join(folder, 'identity.txt'), identity);
  const good = async (...args: string[]) => {
    const { code, stderr } = await runCommand([...args, ...at]);
    expect([code, stderr.includes('keyring')]).toEqual([0, false]);
  };

  const [plain, sealed] = [join(folder, 'plain.db'), join(folder, 'sealed.age')];
  await good('store', 'backup', plain);
  await good('store', 'backup', sealed, '--recipient', await identityToRecipient(identity));
  await gate.store.close();
  await good('store', 'restore', plain, '--yes');
  await good('store', 'restore', sealed, '--identity', join(folder, 'identity.txt'), '--yes');
  await gate.reopen();

  expect(await gate.store.read('site-of', 'centre')).toMatchObject({
    value: { incarnation: null },
  });
  expect(await gate.store.read('event-home', gate.eventId)).toMatchObject({
    value: { held: { epoch: 0, isOpen: false } },
  });
  await gate[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});
