import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openStore } from '../../src/stores/open-store.ts';
import { CliFolder } from '../support/cli.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Makes a store with two keys and one scan of a time. */
async function scanAt(folder: CliFolder, now: number): Promise<void> {
  await folder.run(['organisations', 'create', '--name', 'Lido', '--time-zone', 'Europe/Berlin']);
  await folder.run(['keys', 'create', '--name', 'Gate', '--type', 'hardware']);
  const store = await openStore(`sqlite:${join(folder.path, 'ticketscan.db')}`);
  const [key] = await store.list('key');
  const scan = {
    kind: 'scan',
    keyId: key!.id,
    operation: 'consume',
    subject: { kind: 'unreadable' },
    now,
    serial: 'TOR1',
    reader: '0',
    retry: null,
  } as const;
  await store.commitScans([scan]);
  await store.close();
}

test('serve and doctor warn when the clock is before the newest log entry, and name both times', async () => {
  await using folder = new CliFolder();
  const ahead = Date.now() + 200 * DAY_MS;
  await scanAt(folder, ahead);
  const inBerlin = (at: number) =>
    new Date(at).toLocaleString('sv-SE', { timeZone: 'Europe/Berlin' });

  const { out } = await folder.run(['doctor', '--port', '0']);
  const server = await folder.serve();

  expect(out).toMatch(/^WARN {2}clock/m);
  for (const text of [out, server.messages()]) {
    expect(text).toContain(`The clock of this machine shows ${inBerlin(Date.now()).slice(0, 13)}`);
    expect(text).toContain(`newest entry of the scan log, ${inBerlin(ahead)} (Europe/Berlin)`);
  }
  const recent = await folder.run(['log', '--since', '1h', '--json']);
  expect(recent.out).toBe('');
  expect((await folder.run(['log', '--json'])).out).toContain('TOR1');
});

test('a clock that is right is not mentioned', async () => {
  await using folder = new CliFolder();
  await scanAt(folder, Date.now() - 1000);
  expect((await folder.run(['doctor', '--port', '0'])).out).not.toContain('scan log, ');
  expect((await folder.serve()).messages()).not.toContain('clock');
  expect((await folder.run(['log', '--since', '1h', '--json'])).out).toContain('TOR1');
});
