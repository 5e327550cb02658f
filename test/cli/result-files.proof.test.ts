import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RESULT_OPTIONS } from '../../src/cli/read-and-written.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { keptKindOf } from '../../src/kit/result-files.ts';
import { InProcess } from '../support/in-process.ts';
import { leavesOf } from './support/leaves.ts';

/** How a command writes the file FILE, which it may replace with `--force`. */
const WRITES: Readonly<Record<string, string>> = {
  'signing-keys export-public --out': 'signing-keys export-public --out FILE',
  'tickets revoke-list --out': 'tickets revoke-list --out FILE',
  'tickets export --out': 'tickets export --format csv --out FILE',
  'seed --out': 'seed --yes --count 1 --out FILE',
  'simulate --report':
    'simulate virtual: --model access-controller --duration 1s --report json=FILE',
  'check --report': 'check http://127.0.0.1:1 --report json=FILE',
  'check device --report': 'check device --run true --fast --report json=FILE',
  'check device --session': 'check device --run true --fast --session FILE',
  'check device --sheet': 'check device --run true --fast --sheet FILE',
  'check explore --save': 'check explore http://127.0.0.1:1 --target target.json --save FILE',
};

/** Options that name a file or folder and never write over a file. */
const REFUSES_EXISTING: Readonly<Record<string, string>> = {
  'check init --out': 'check init --out FILE',
  'record --out': 'record http://127.0.0.1:1 --port 0 --out FILE',
  'record --learn': 'record http://127.0.0.1:1 --port 0 --out new.jsonl --learn FILE',
  'record show --learn': 'record show recording.jsonl --learn FILE',
};

/** What a server writes for itself: it replaces nothing but an earlier one of its own. */
const REPLACES_OWN: Readonly<Record<string, string>> = {
  'serve --first-sign-in': 'serve --port 0 --first-sign-in FILE',
};

/** Options that name what is read, a folder, or what a server keeps for itself. */
const READS =
  /--(ca|webhook-ca|metrics-token-file|config|keyring|store|tls-cert|tls-key|target|baseline|device-file|card|cards-from|scenario|codes|key|logo|font|identity|passphrase|from-csv|from-json|public-key|revoke-list|replay|against|resume|extract|token|url|password|file)$/;
const FOLDERS: readonly string[] = ['mint --out', 'record show --extract'];

const folder = new InProcess();
const path = (name: string) => join(folder.path, name);

const PUBLIC_KEYS = '{"version":1,"keys":[]}\n';

beforeAll(async () => {
  await folder.run('seed --count 1 --out target.json');
  await folder.run('events create --name Mine --store json:./json.db');
  execFileSync('openssl', ['ecparam', '-name', 'prime256v1', '-genkey', '-out', path('tls.key')]);
  writeFileSync(path('ticketscan.config.json'), '{"port": 8080}');
  const header = { ticketscan: 'recording', version: 1, upstream: 'http://x', codes: 'real' };
  writeFileSync(path('recording.jsonl'), `${JSON.stringify(header)}\n`);
  writeFileSync(path('backup.age'), 'age-encryption.org/v1\n-> scrypt');
  writeFileSync(
    path('damaged.keyring.json'),
    '{"version":1,"keys":[{"id":"a","format":"TS1","secret":"',
  );
  symlinkSync('ticketscan.keyring.json', path('link.json'));
  await writeKeys();
  writeFileSync(path('note.txt'), 'milk');
  writeFileSync(path('other.json'), '{"a":{"b":1}}');
});
afterAll(() => folder[Symbol.asyncDispose]());

/** Keys in every form in which OpenSSL, Java, SSH, age, editors and this program leave them. */
const KEYS: Readonly<Record<string, string>> = {
  'sec1.der': 'ec -in tls.key -outform DER -out',
  'pkcs8.der': 'pkcs8 -topk8 -nocrypt -in tls.key -outform DER -out',
  'encrypted.der': 'pkcs8 -topk8 -passout pass:x -in tls.key -outform DER -out',
  'ed25519.der': 'genpkey -algorithm ed25519 -outform DER -out',
  'cert.der': 'req -x509 -key tls.key -subj /CN=x -outform DER -out',
  'gate.p12': 'pkcs12 -export -inkey tls.key -in cert.pem -passout pass:x -out',
};
const KEY_TEXTS: Readonly<Record<string, string>> = {
  'store.jks': '\xfe\xed\xfe\xed\0\0\0\x02\0\0\0\x01',
  'store.jceks': '\xce\xce\xce\xce\0\0\0\x02',
  'indefinite.p12': '0\x80\x02\x01\x030\x80',
  id_ed25519: '-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blbn\n',
  'secret.asc': '-----BEGIN PGP PRIVATE KEY BLOCK-----\n',
  'secret.gpg': '\x95\x01\xd8\x04abc',
  'gate.ppk': 'PuTTY-User-Key-File-3: ssh-ed25519\n',
  'age.txt': '# created: 2027-01-01\nAGE-SECRET-KEY-1QQ\n',
  'armored.age': '-----BEGIN AGE ENCRYPTED FILE-----\n',
  'key.jwk': '{"kty":"EC","crv":"P-256","d":"abc"}',
  '.env': '# of the gate\n\nexport SCAN_KEY=abcdefgh\n',
  'gate.ini': '; of the gate\n[gate]\nkey=abcdefgh\n',
  'compose.yaml': `services:\n  gate:\n    KEY: tscn_api_${'a'.repeat(38)}\n`,
  'own-target.json': '{"baseUrl":"https://scan.example.org","keys":{"rest":"abcdefgh"}}',
  'damaged-target.json': '{"baseUrl":"https://scan.example.org","keys":{"rest":"abcdefgh",',
  'marked.json': '\xef\xbb\xbf{"port": 8080}',
};

async function writeKeys(): Promise<void> {
  const openssl = (line: string) =>
    execFileSync('openssl', line.split(' '), { cwd: folder.path, stdio: 'pipe' });
  openssl('req -x509 -key tls.key -subj /CN=x -out cert.pem');
  for (const [name, line] of Object.entries(KEYS)) openssl(`${line} ${name}`);
  for (const [name, text] of Object.entries(KEY_TEXTS)) writeFileSync(path(name), text, 'latin1');
  const wide = (text: string) => Buffer.from(text, 'utf16le');
  const codes: Readonly<Record<string, (text: string) => Buffer>> = {
    'utf-16': (text) => wide(`\ufeff${text}`),
    'utf-16be': (text) => wide(`\ufeff${text}`).swap16(),
    'utf-32': (text) => wide([...`\ufeff${text}`].join('\0').concat('\0')),
  };
  for (const [code, encoded] of Object.entries(codes)) {
    for (const name of ['ticketscan.keyring.json', 'tls.key', 'ticketscan.config.json']) {
      writeFileSync(path(`${code}.${name}`), encoded(contentOf(name) ?? ''));
    }
  }
}

/** What the one writer recognises: one option shows it for all. */
const KEPT_KEYS = [
  ...Object.keys(KEYS),
  ...Object.keys(KEY_TEXTS),
  'cert.pem',
  'target.json',
  'utf-16.ticketscan.keyring.json',
  'utf-16be.ticketscan.keyring.json',
  'utf-32.ticketscan.keyring.json',
  'utf-16.tls.key',
  'utf-32.ticketscan.config.json',
];

const KEPT = [
  'gate.p12',
  'ticketscan.db',
  'ticketscan.db-wal',
  'ticketscan.db-journal',
  'ticketscan.db.lock',
  'ticketscan.keyring.json',
  'damaged.keyring.json',
  'link.json',
  'json.db',
  'json.db.log',
  'tls.key',
  'ticketscan.config.json',
  'recording.jsonl',
  'backup.age',
];

const words = (line: string, file: string) =>
  line.split(' ').map((word) => word.replace('FILE', file));

function contentOf(name: string): string | undefined {
  try {
    return readFileSync(path(name), 'latin1');
  } catch {
    return undefined;
  }
}

test('every option that names a file says what it does with one that exists', async () => {
  const leaves = await leavesOf();
  // It only shows what settings are.
  const acting = leaves.filter(({ name }) => name !== 'config show');
  const named = acting.flatMap(({ name, command }) =>
    command.options
      .filter(({ flags }) => /<(file|path|dir|folder|format=file)(\.\.\.)?>/.test(flags))
      .map(({ long }) => `${name} ${long}`),
  );
  const known = (one: string) =>
    one in WRITES ||
    one in REPLACES_OWN ||
    one in REFUSES_EXISTING ||
    FOLDERS.includes(one) ||
    READS.test(one);
  expect(named.filter((one) => !known(one))).toEqual([]);
  const all = new Set(
    leaves.flatMap(({ name, command }) => command.options.map(({ long }) => `${name} ${long}`)),
  );
  const table = [
    ...Object.keys(WRITES),
    ...Object.keys(REPLACES_OWN),
    ...Object.keys(REFUSES_EXISTING),
    ...FOLDERS,
  ];
  expect(table.filter((one) => !all.has(one))).toEqual([]);
  // A folder of extracted bodies never replaces a file.
  const results = table.filter((one) => one !== 'record show --extract');
  const flags = new Set(results.map((one) => one.split(' ').at(-1)));
  expect([...RESULT_OPTIONS].toSorted()).toEqual([...flags].toSorted());
});

/** Commands that read the file FILE and would write their result over it, although `--force` or `--overwrite` allows to replace one. */
const READS_AND_WRITES = [
  'mint --event Mine --from-csv g/tickets.csv --format csv --out g --overwrite',
  'mint --event Mine --from-csv ./link/tickets.csv --format pdf,csv --out g/ --overwrite',
  'mint --event Mine --from-json g/tickets.json --format json --out g --overwrite',
  'mint --event Mine --from-csv g/tickets.csv --format csv --out g --resume',
  'simulate virtual: --cards-from FILE --model access-controller --duration 1s --report json=FILE --force',
  'simulate --scenario FILE --report FILE --force',
  'check http://127.0.0.1:1 --target FILE --report json=FILE --force',
  'check http://127.0.0.1:1 --baseline FILE --report json=FILE --force',
  'check explore http://127.0.0.1:1 --target FILE --save FILE --force',
  'check device --run true --fast --device-file FILE --report json=FILE --force',
  'check device --run true --fast --device-file FILE --session FILE --force',
];

test.each(READS_AND_WRITES)('%s: no result replaces what the command reads', async (line) => {
  mkdirSync(path('g'), { recursive: true });
  if (!existsSync(path('link'))) symlinkSync('g', path('link'));
  const text = '[{"firstName": "Ada"}]\n';
  for (const name of ['g/tickets.csv', 'g/tickets.json', 'both.json'])
    writeFileSync(path(name), text);
  const asked = line.replaceAll('FILE', 'both.json');
  const { code, err } = await folder.run(asked);
  expect(`${code} ${err}`).toMatch(/^2 .*this command reads that file/s);
  for (const name of ['g/tickets.csv', 'g/tickets.json', 'both.json'])
    expect(contentOf(name)).toBe(text);
});

test('a list may be read from the folder in which only other files are written', async () => {
  mkdirSync(path('h'), { recursive: true });
  writeFileSync(path('h/tickets.csv'), 'firstName\nAda\n');
  const { code } = await folder.run(
    'mint --event Mine --store json:./json.db --from-csv h/tickets.csv --format json --out h',
  );
  expect(code).toBe(0);
  expect(contentOf('h/tickets.csv')).toBe('firstName\nAda\n');
});

const ALL = Object.entries({ ...WRITES, ...REPLACES_OWN });

test.each(ALL)('%s replaces nothing that must be kept, even with --force', async (option, line) => {
  for (const name of KEPT) {
    const before = contentOf(name);
    const force = option in WRITES ? ['--force'] : [];
    const { code, err } = await folder.run([...words(line, name), ...force]);
    expect(`${code} ${err}`, name).toMatch(/^2 .*(no result replaces|belongs to the store)/s);
    expect(contentOf(name), name).toBe(before);
  }
});

test.each(KEPT_KEYS)('%s is recognised as what no result may replace', async (name) => {
  const before = contentOf(name);
  const force = ['signing-keys', 'export-public', '--out', name, '--force'];
  const { code, err } = await folder.run(force);
  expect(`${code} ${err}`).toMatch(/^2 .*no result replaces/s);
  expect(contentOf(name)).toBe(before);
});

test.each(Object.entries(WRITES))('%s replaces another file only with --force', async (_, line) => {
  const { code, err } = await folder.run(words(line, 'note.txt'));
  expect(`${code} ${err}`).toMatch(/^2 .*exists already.*--force/s);
  expect(contentOf('note.txt')).toBe('milk');
});

test.each(Object.entries(REPLACES_OWN))('%s replaces no other file', async (_, line) => {
  for (const store of ['sqlite:./unmade.db', 'json:./unmade.json', 'memory:', 'json:./json.db']) {
    writeFileSync(path('bytes.bin'), Buffer.from([0, 1, 2, 0xff]));
    for (const name of ['note.txt', 'other.json', 'bytes.bin']) {
      const before = contentOf(name);
      const { code, err } = await folder.run([...words(line, name), '--store', store]);
      expect(`${code} ${err}`, `${name} ${store}`).toMatch(/^2 .*exists already; name another/s);
      expect(err).not.toContain('--force');
      expect(contentOf(name)).toBe(before);
    }
    for (const made of ['unmade.db', 'unmade.json']) expect(existsSync(path(made))).toBe(false);
  }
});

/** What ends before there is a result still says that the folder is no reason; the others must have written it. */
const WITHOUT_RESULT = [
  'check --report',
  'check device --report',
  'check device --session',
  'check explore --save',
  'record --out',
  'record --learn',
  'record show --learn',
];
const INTO_FOLDERS: Readonly<Record<string, string>> = {
  'mint --out': 'mint --event EVENT --out FILE',
  'record show --extract': 'record show recording.jsonl --extract FILE',
};

test.each(Object.entries({ ...WRITES, ...REFUSES_EXISTING, ...INTO_FOLDERS }))(
  '%s makes the folder that is missing',
  async (option, line) => {
    const made = `folder-of-${option.replaceAll(/\W+/g, '-')}`;
    const file = `${made}/below/result.json`;
    // A second sample in the same store would make the name of an event say two.
    const own = option === 'seed --out' ? ['--store', 'sqlite:./seeded.db'] : [];
    const asked = words(line, file).map((word) => word.replace('EVENT', 'Summer pool'));
    const { err } = await folder.run([...asked, ...own]);
    expect(err).not.toMatch(/no such file or folder|does not exist/);
    if (!WITHOUT_RESULT.includes(option)) expect(existsSync(path(file)), err).toBe(true);
  },
);

test('a result that cannot have a folder is refused before the run, and leaves none behind', async () => {
  for (const line of [WRITES['check --report'], WRITES['simulate --report']]) {
    const ran = await folder.run(words(line ?? '', 'note.txt/below/result.json'));
    expect(`${ran.code} ${ran.err}`).toMatch(
      /^2 .*cannot be written: a part of its path is not a folder/s,
    );
  }
  const late = await folder.run(
    `check http://127.0.0.1:1 --report json=half/a.json --report json=note.txt/b.json`,
  );
  expect(late.code).toBe(2);
  expect(existsSync(path('half'))).toBe(false);
});

test.each(Object.entries(REFUSES_EXISTING))('%s never replaces a file', async (_, line) => {
  for (const name of ['note.txt', 'ticketscan.keyring.json']) {
    const before = contentOf(name);
    expect((await folder.run(words(line, name))).code).not.toBe(0);
    expect(contentOf(name)).toBe(before);
  }
  rmSync(path('new.jsonl'), { force: true });
});

test('with --force an export replaces the one before', async () => {
  writeFileSync(path('public.json'), PUBLIC_KEYS);
  const again = ['signing-keys', 'export-public', '--out', 'public.json'];
  expect((await folder.run(again)).code).toBe(2);
  expect((await folder.run([...again, '--force'])).code).toBe(0);
  expect(contentOf('public.json')).toContain('BEGIN PUBLIC KEY');
});

test('mint --overwrite does not replace a store that is called like a list', async () => {
  const store = ['--store', 'json:./lists/tickets.json'];
  execFileSync('mkdir', [path('lists')]);
  await folder.run(['seed', '--count', '1', ...store]);
  const before = contentOf('lists/tickets.json');
  const mint = ['mint', '--event', 'Summer pool', '--format', 'json', '--out', 'lists'];
  const { code, err } = await folder.run([...mint, '--overwrite']);
  expect(`${code} ${err}`).toMatch(/^2 .*no result replaces/s);
  expect(contentOf('lists/tickets.json')).toBe(before);
});

test('what looks like a key by its first character alone is replaced', () => {
  const others = {
    'zero.csv': '0,0,0,0\n0,1\n',
    'zeros.json': '00000000000000000000000000',
    'list.csv': 'ticketId,code\ntkt_1,a=b\n',
    'lines.csv': '"a=b",c\n',
    'array.json': '[\n  {"a": 1}\n]\n',
    'public.pem': '-----BEGIN PUBLIC KEY-----\n',
    'umlaut.csv': '\xc5\x92uvre,x\n',
  };
  for (const [name, text] of Object.entries(others)) {
    writeFileSync(path(name), text, 'latin1');
    expect(keptKindOf(path(name)), name).toBeUndefined();
  }
});

test('a configuration is recognised by any of its settings', () => {
  for (const { name } of SETTINGS) {
    writeFileSync(path('one.json'), JSON.stringify({ [name]: name === 'port' ? 1 : 'x' }));
    expect(keptKindOf(path('one.json')), name).toBe('a configuration');
  }
});

test('a device takes the result as it is', async () => {
  expect((await folder.run('signing-keys export-public --out /dev/null')).code).toBe(0);
  expect((await folder.run('tickets export --format csv --out /dev/null')).code).toBe(0);
});

test.each([
  ['public.json', /not a keyring: it is a file of public keys/],
  ['ticketscan.db', /not a keyring: it is a store/],
  ['target.json', /not a keyring: it is a target file/],
  ['other.json', /not a keyring: it is a file of something else/],
  ['damaged.keyring.json', /is damaged/],
])('a keyring that is %s is told before its permissions', async (name, message) => {
  execFileSync('chmod', ['644', path(name)]);
  const { code, err } = await folder.run(['signing-keys', 'list', '--keyring', name]);
  expect(code).toBe(2);
  expect(err).toMatch(message);
});
