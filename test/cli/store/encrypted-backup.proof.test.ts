import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import { packTar, type TarHeader } from 'modern-tar';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { selfSignedPaths } from '../../../src/config/addresses.ts';
import { createKeyring, readStoredKeys } from '../../../src/config/keyring-file.ts';
import { selfSigned } from '../../../src/serve/certificate.ts';
import { openStore } from '../../../src/stores/open-store.ts';
import { leftBehind } from '../../../src/stores/replaced-files.ts';
import { runCommand } from '../../check/support/run-command.ts';
import { CliFolder, consume, PROGRAM, targetOf } from '../../support/cli.ts';
import { fillStore } from '../../support/full-store.ts';
import { isOnPath, reasonToSkip } from '../../support/needed-programs.ts';
import { LASTING_STORES, TestStore } from '../../support/stores.ts';

const KEYRING = 'ticketscan.keyring.json';
let folder = '';
let recipient = '';
const identity = () => join(folder, 'identity.txt');
/** A store with a few tickets, its keyring, and an encrypted backup of both. */
const site = () => join(folder, 'site');
const backup = () => join(folder, 'gate.age');

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ticketscan-vault-'));
  const secret = await generateX25519Identity();
  recipient = await identityToRecipient(secret);
  writeFileSync(identity(), `# created: today\n${secret}\n`);
  mkdirSync(site());
  await good(['seed', '--count', '1', '--store', `sqlite:${site()}/ticketscan.db`]);
  await good(['store', 'backup', backup(), '--recipient', recipient, ...storeIn(site())]);
});
afterAll(() => rmSync(folder, { recursive: true }));

const withIdentity = () => ['--identity', identity()];
const storeIn = (place: string) => ['--store', `sqlite:${place}/ticketscan.db`];
const restoreInto = (place: string, file = backup()) =>
  runCommand(['store', 'restore', file, '--yes', '--json', ...withIdentity(), ...storeIn(place)]);

async function good(args: readonly string[], env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await runCommand(args, env);
  if (code !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
  return stdout;
}

function newPlace(): string {
  return mkdtempSync(join(folder, 'place-'));
}

/** Every file below a folder with its content, to tell that nothing was changed. */
function filesIn(place: string): Record<string, string> {
  const names = readdirSync(place).sort();
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(place, name), 'hex')]));
}

test.each(LASTING_STORES)(
  'a %s store in use is backed up with its keyring, and restored as it was',
  async (engine) => {
    await using gate = await TestStore.open(engine);
    await fillStore(gate);
    const keyring = join(gate.folder, KEYRING);
    createKeyring(keyring);
    const file = join(gate.folder, 'all.age');
    const place = newPlace();
    // The store takes a note of the backup afterwards.
    const wanted = await gate.store.info();
    const target = engine === 'json' ? `json:${place}/new.json` : `sqlite:${place}/new.db`;

    const make = ['store', 'backup', file, '--recipient', recipient, '--json'];
    const made = await good([...make, '--store', gate.url, '--keyring', keyring]);
    await good(['store', 'restore', file, ...withIdentity(), '--yes', '--store', target]);

    const restored = await openStore(target);
    const found = await restored.info();
    await restored.close();
    expect(JSON.parse(made)).toMatchObject({ encrypted: true, tickets: wanted.counts.tickets });
    expect(found.counts).toEqual({ ...wanted.counts, auditLog: wanted.counts.auditLog + 1 });
    expect(readStoredKeys(join(place, KEYRING))).toEqual(readStoredKeys(keyring));
    expect(statSync(join(place, KEYRING)).mode & 0o777).toBe(0o600);
    expect(readdirSync(gate.folder).filter((name) => name.includes('.tmp'))).toEqual([]);
    expect(readFileSync(file, 'latin1')).not.toMatch(/SQLite format|"secret"/);
  },
);

test('what cannot be restored is refused in one sentence, and nothing is changed', async () => {
  const bytes = readFileSync(backup());
  const A = 'A'.charCodeAt(0);
  const changed = (at: number) => bytes.map((byte, index) => (index === at ? byte ^ 1 : byte));
  const files: Record<string, [content: Uint8Array | string, message: RegExp]> = {
    'cut.age': [bytes.subarray(0, 66_000), /cut\.age is damaged: it was cut off/],
    'end.age': [bytes.subarray(0, -17), /is damaged/],
    'byte.age': [changed(bytes.length - 900), /bytes of it have changed/],
    'tail.age': [Buffer.concat([bytes, Buffer.of(0)]), /is damaged/],
    // Another letter that Base64 has: with any other byte this would be no header.
    'header.age': [bytes.with(60, bytes[60] === A ? A + 1 : A), /cannot be decrypted/],
    'other.age': [await sealed('x'.repeat(2000)), /is not a backup of ticketscan/],
    'note.txt': ['buy milk', /note\.txt is not a backup/],
  };
  for (const [name, [content]] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const place = newPlace();
  await restoreInto(place);
  const before = filesIn(place);

  for (const [name, [, message]] of Object.entries(files)) {
    const { code, stderr } = await restoreInto(place, join(folder, name));
    expect([name, code, stderr]).toEqual([name, 2, expect.stringMatching(message)]);
    expect(stderr).not.toMatch(/\.tmp|AGE-SECRET/);
  }
  const restore = ['store', 'restore', backup(), '--yes', ...storeIn(place)];
  const other = join(folder, 'other.txt');
  writeFileSync(other, await generateX25519Identity());
  const wrong = [
    [[], 'was encrypted for recipients: add --identity FILE'],
    [['--identity', other], 'another passphrase or for another recipient'],
    [['--identity', join(folder, 'note.txt')], 'has no identity in it'],
    [['--identity', join(folder, 'none.txt')], 'no such file'],
  ] as const;
  for (const [options, message] of wrong) {
    const { code, stderr } = await runCommand([...restore, ...options]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  }
  expect(filesIn(place)).toEqual(before);
});

async function sealed(content: string): Promise<Uint8Array> {
  const encrypter = new Encrypter();
  encrypter.addRecipient(recipient);
  return encrypter.encrypt(content);
}

test('a keyring that has all keys is kept; another one is replaced after a question, and stays', async () => {
  const place = newPlace();
  const path = join(place, KEYRING);
  const put = JSON.parse((await restoreInto(place)).stdout);
  const ofBackup = readStoredKeys(path);
  await good(['signing-keys', 'rotate', ...storeIn(place)]);
  const rotated = readFileSync(path, 'utf8');
  const kept = JSON.parse((await restoreInto(place)).stdout);
  const afterwards = readFileSync(path, 'utf8');
  rmSync(path);
  createKeyring(path);
  const foreign = readFileSync(path, 'utf8');
  const ask = ['store', 'restore', backup(), ...withIdentity()];
  const asked = await runCommand([...ask, ...storeIn(place)]);
  const untouched = readFileSync(path, 'utf8');
  const replaced = JSON.parse((await restoreInto(place)).stdout);

  expect(put).toMatchObject({ keyring: { act: 'put' }, files: [path] });
  expect(kept).toMatchObject({ keyring: { act: 'kept' }, files: [] });
  expect(afterwards).toBe(rotated);
  expect(asked.code).toBe(2);
  expect(asked.stderr).toMatch(/is another one: it is replaced by .* Add --yes/s);
  expect(untouched).toBe(foreign);
  expect(readStoredKeys(path)).toEqual(ofBackup);
  expect(readFileSync(replaced.keyring.keptAs, 'utf8')).toBe(foreign);
});

test('a keyring that is a link stays one: the file that it leads to is replaced', async () => {
  const [place, elsewhere] = [newPlace(), newPlace()];
  await restoreInto(place);
  const [link, file] = [join(place, KEYRING), join(elsewhere, 'keys.json')];
  const ofBackup = readFileSync(link, 'utf8');
  rmSync(link);
  createKeyring(file);
  symlinkSync(file, link);

  const replaced = JSON.parse((await restoreInto(place)).stdout);

  expect(readlinkSync(link)).toBe(file);
  expect(readFileSync(file, 'utf8')).toBe(ofBackup);
  expect(replaced.files).toEqual([file]);
  expect(dirname(replaced.keyring.keptAs)).toBe(elsewhere);
});

const contents = JSON.stringify({
  format: 'ticketscan backup',
  version: 1,
  engine: 'sqlite',
  program: '0.1.0',
  createdAt: '2026-07-01T12:00:00.000Z',
  files: ['ticketscan.db'],
});

test.each<[what: string, member: Partial<TarHeader>]>([
  ['empty', { size: 0 }],
  ['a symbolic link', { size: 0, type: 'symlink', linkname: '/etc/passwd' }],
  ['a hard link', { size: 0, type: 'link', linkname: 'backup.json' }],
])('an archive whose store is %s is refused, and nothing is changed', async (what, member) => {
  const file = join(folder, `${what}.tar`);
  const head = { name: 'backup.json', size: contents.length };
  const store = { name: 'ticketscan.db', size: 0, ...member };
  writeFileSync(file, await packTar([{ header: head, body: contents }, { header: store }]));
  const place = newPlace();

  const { code, stderr } = await restoreInto(place, file);

  expect([code, stderr]).toEqual([2, expect.stringContaining('is not a backup of ticketscan')]);
  expect(readdirSync(place)).toEqual([]);
});

test('a self-signed certificate comes back, but never over one that is there', async () => {
  const [from, place] = [newPlace(), newPlace()];
  await restoreInto(from);
  const certificate = ['cert', 'key'].map((part) => `ticketscan.self-signed.${part}.pem`);
  const names = { needed: [['localhost']], findMore: async () => [] };
  const { cert, key } = await selfSigned(names, selfSignedPaths(from));
  const file = join(folder, 'certificate.age');
  await good(['store', 'backup', file, '--recipient', recipient, ...storeIn(from)]);

  await restoreInto(place, file);
  const back = certificate.map((name) => readFileSync(join(place, name), 'utf8'));
  for (const name of certificate) writeFileSync(join(place, name), `new ${name}`);
  await restoreInto(place, file);

  expect(back).toEqual([cert, key]);
  expect(certificate.map((name) => readFileSync(join(place, name), 'utf8'))).toEqual(
    certificate.map((name) => `new ${name}`),
  );
});

test('what a killed run left is removed by the next one; what others may own stays', async () => {
  const place = newPlace();
  // No process has this number: it is above the most that Linux gives.
  const dead = ['.ticketscan.db.4999999.tmp', '.ticketscan.db.4999999.tmp-wal'];
  const others = ['.ticketscan.db.1.tmp', '.other.db.4999999.tmp', 'ticketscan.db.4999999.tmp'];
  for (const name of [...dead, ...others]) writeFileSync(join(place, name), 'names of guests');

  await restoreInto(place);

  const left = readdirSync(place).filter((name) => name.includes('.tmp'));
  expect(left.sort()).toEqual([...others].sort());
});

test('copies of a store that a killed backup to another file left are removed, and listed before', async () => {
  const place = newPlace();
  const store = `sqlite:${join(place, 'gate.db')}`;
  await (await openStore(store)).close();
  const dead = ['.monday.db.4999999.tmp', '.monday.db.4999999.tmp-wal'];
  for (const name of dead) cpSync(join(place, 'gate.db'), join(place, name));
  const others = ['.monday.db.1.tmp', '.notes.4999999.tmp'];
  cpSync(join(place, 'gate.db'), join(place, '.monday.db.1.tmp'));
  writeFileSync(join(place, '.notes.4999999.tmp'), 'x'.repeat(1000));

  expect(leftBehind(join(place, 'gate.db')).sort()).toEqual(dead.map((name) => join(place, name)));
  const made = await runCommand(['store', 'backup', join(place, 'tuesday.db'), '--store', store]);

  expect([made.code, made.stderr]).toEqual([0, expect.any(String)]);
  const left = readdirSync(place).filter((name) => name.includes('.tmp'));
  expect(left.sort()).toEqual(others);
});

test('a full disk is named, and nothing is changed', async () => {
  // A limit on the size of a file is what a process without rights can have of a full disk.
  const limited = ['bash', '-c', 'ulimit -f 40; exec "$0" "$@"', process.execPath, PROGRAM];
  await using place = new CliFolder(...limited);
  const restore = ['store', 'restore', backup(), '--identity', identity(), '--yes'];
  const make = ['store', 'backup', 'small.age', '--recipient', recipient, ...storeIn(site())];

  const [restored, made] = [await place.run(restore), await place.run(make)];

  expect([restored.code, restored.err]).toEqual([
    2,
    expect.stringMatching(/The backup cannot be copied into .*: .* larger than a file may be/),
  ]);
  expect(made.err).toContain(`the temporary copy in ${site()}`);
  expect(made.err).not.toMatch(/internal|\.tmp/);
  expect(readdirSync(place.path)).toEqual([]);
  expect(readdirSync(site()).sort()).toEqual(['ticketscan.db', KEYRING]);
});

test('the drill: a disk is lost while the gate is open, and a ticket scans after the restore', async () => {
  await using gate = new CliFolder();
  await gate.run(['seed', '--count', '2', '--out', 'target.json']);
  const target = targetOf(readFileSync(`${gate.path}/target.json`, 'utf8'));
  const [used = '', unused = ''] = target.tickets['single'] ?? [];
  const file = join(folder, 'drill.age');
  const secret = { BACKUP_PASSPHRASE: 'a drill for every spring' };
  const server = await gate.serve();
  await consume(server.url, target.keys['rest'] ?? '', used);
  const passphrase = ['--passphrase', 'env:BACKUP_PASSPHRASE'];
  const made = await gate.run(['store', 'backup', file, '--encrypt', ...passphrase], secret);
  await server.stop('SIGKILL');
  await using machine = new CliFolder();

  const back = await machine.run(['store', 'restore', file, ...passphrase, '--yes'], secret);
  const again = await machine.serve();
  const answers = await Promise.all(
    [used, unused].map((code) => consume(again.url, target.keys['rest'] ?? '', code)),
  );
  await again.stop();

  expect([made.code, back.code, back.err]).toEqual([0, 0, expect.any(String)]);
  expect(answers.map(({ status }) => status)).toEqual(['exhausted', 'consumed']);
});

const missing = reasonToSkip({ age: isOnPath('age'), tar: isOnPath('tar') });

test.skipIf(missing)(
  'age and tar open a backup without ticketscan, into a folder that runs',
  async () => {
    const place = newPlace();
    const unpack = 'age --decrypt --identity "$1" "$2" | tar --extract --directory "$3"';
    const shell = ['-o', 'pipefail', '-c', unpack, 'bash', identity(), backup(), place];

    expect(spawnSync('bash', shell, { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
    expect(readdirSync(place).sort()).toEqual(['backup.json', 'ticketscan.db', KEYRING]);
    expect(statSync(join(place, KEYRING)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await good(['audit', '--json', ...storeIn(place)]))).toMatchObject({
      ok: true,
    });

    const decrypted = join(folder, 'decrypted.tar');
    const only = ['--decrypt', '--identity', identity(), '--output', decrypted, backup()];
    expect(spawnSync('age', only).status).toBe(0);
    expect(await restoreInto(newPlace(), decrypted)).toMatchObject({ code: 0 });
  },
);
