import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readKeyring } from '../../../src/config/keyring-file.ts';
import { splitTicketCode, verifyTicketCode } from '../../../src/core/ticket-code.ts';
import { openStore } from '../../../src/stores/open-store.ts';
import { runCommand } from '../../check/support/run-command.ts';
import { PROGRAM, targetOf } from '../../support/cli.ts';
import { isOnPath, reasonToSkip } from '../../support/needed-programs.ts';

const missing = reasonToSkip({ strace: isOnPath('strace') });
const KEYRING = 'ticketscan.keyring.json';
type Engine = 'sqlite' | 'json';
const STORE_FILE: Readonly<Record<Engine, string>> = { sqlite: 'gate.db', json: 'gate.json' };
let folder = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ticketscan-killed-site-'));
  const identity = await generateX25519Identity();
  const recipient = await identityToRecipient(identity);
  writeFileSync(join(folder, 'identity.txt'), identity);
  for (const engine of ['sqlite', 'json'] as const) {
    for (const site of ['old', 'new'].map((name) => `${engine}-${name}`)) {
      const store = ['--store', storeIn(join(folder, site), engine)];
      cpSync(mkdtempSync(join(folder, 'empty-')), join(folder, site), { recursive: true });
      await good(['seed', '--count', '1', '--out', join(folder, `${site}.target`), ...store]);
      const file = join(folder, `${site}.age`);
      await good(['store', 'backup', file, '--recipient', recipient, ...store]);
    }
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

async function good(args: readonly string[]): Promise<void> {
  const { code, stderr } = await runCommand(args);
  if (code !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
}

const storeIn = (place: string, engine: Engine) => `${engine}:${join(place, STORE_FILE[engine])}`;

/** Restores the new site over a copy of the old one, in a process whose renames are interfered with. */
function restoreWith(engine: Engine, inject: string) {
  const place = mkdtempSync(join(folder, 'place-'));
  cpSync(join(folder, `${engine}-old`), place, { recursive: true });
  const keys = ['--identity', join(folder, 'identity.txt')];
  const restore = ['store', 'restore', join(folder, `${engine}-new.age`), ...keys, '--yes'];
  const quiet = ['-f', '-qq', '-o', '/dev/null'];
  const trace = [...quiet, '-e', 'trace=rename', '-e', `inject=${inject}`];
  const command = [PROGRAM, ...restore, '--store', storeIn(place, engine)];
  // A first run would keep what it compiled, with renames of its own.
  const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' };
  const args = [...trace, process.execPath, ...command];
  const run = spawnSync('strace', args, { encoding: 'utf8', env });
  return { place, ...run };
}

/** Whose store is there; its first ticket must be genuine by the keyring that is there. */
async function siteAt(place: string, engine: Engine): Promise<string> {
  const store = await openStore(storeIn(place, engine));
  const [ticket] = await store.listTickets({ limit: 1 });
  expect((await store.verify()).problems).toEqual([]);
  await store.close();
  for (const site of ['old', 'new']) {
    const text = readFileSync(join(folder, `${engine}-${site}.target`), 'utf8');
    const codes = Object.values(targetOf(text).tickets).flat();
    const code = codes.find((one) => splitTicketCode(one)?.ticketId === ticket?.id);
    if (code === undefined) continue;
    const isGenuine = verifyTicketCode(code, readKeyring(join(place, KEYRING))) !== undefined;
    return isGenuine ? site : `${site} with a keyring that refuses it`;
  }
  throw new Error('a store of nobody');
}

test.skipIf(missing).each([
  ['sqlite', 2],
  ['json', 2],
] as const)(
  'a %s store that cannot be replaced (rename %i) stays with its keyring, and the message says so',
  async (engine, step) => {
    const error = `rename:error=EBUSY:when=${step}`;
    const { place, status, stderr } = restoreWith(engine, error);

    expect([status, stderr]).toEqual([2, expect.stringContaining('it is in use, or is a mount')]);
    expect(stderr).toMatch(/gate\.(?:db|json|json\.db) cannot be replaced/);
    expect(stderr).toMatch(/The store is as it was\. The keyring .*keyring\.json is as it was\./);
    expect(stderr).not.toMatch(/\.tmp|\.age:/);
    expect(readFileSync(join(place, KEYRING))).toEqual(
      readFileSync(join(folder, `${engine}-old`, KEYRING)),
    );
    expect(await siteAt(place, engine)).toBe('old');
    expect(readdirSync(place).sort()).toEqual(readdirSync(join(folder, `${engine}-old`)).sort());
  },
);

test.skipIf(missing)(
  'a document that cannot be replaced is written by the next program: its database is the store',
  async () => {
    const { place, status } = restoreWith('json', 'rename:error=EBUSY:when=3');

    expect(status).toBe(0);
    expect(await siteAt(place, 'json')).toBe('new');
    const document = readFileSync(join(place, STORE_FILE.json), 'utf8');
    const target = targetOf(readFileSync(join(folder, 'json-new.target'), 'utf8'));
    const [code = ''] = Object.values(target.tickets).flat();
    expect(document).toContain(splitTicketCode(code)?.ticketId);
  },
);
