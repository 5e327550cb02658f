import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { givenValue, givenVariable } from '../../src/config/given-value.ts';
import { traceSettings } from '../../src/config/load-settings.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { fileFailure } from '../../src/kit/failures.ts';
import { decodedText, readBoundedText } from '../../src/kit/files.ts';
import { readGivenCode } from '../../src/terminal/given-codes.ts';
import { readKeyValue } from '../../src/terminal/key-value.ts';
import { readSecretValue } from '../../src/terminal/options.ts';
import { temporaryFolder } from '../check/support/files.ts';
import { InProcess } from '../support/in-process.ts';

const KEY = 'tscn_api_abc';
/** What editors, shells, mails and files of settings put around a value. */
const AROUND = [
  'KEY\n',
  'KEY\r\n',
  ' KEY',
  'KEY\t',
  '\ufeffKEY',
  'KEY\u00a0',
  '\u200bKEY',
  'KEY\0',
];
const WRONG: readonly (readonly [string, string])[] = [
  ['"KEY"', 'quotes'],
  ["'KEY'", 'quotes'],
  ['\u201eKEY\u201c', 'quotes'],
  ['\u201cKEY\u201d', 'quotes'],
  ['KEY\nKEY', 'a line end'],
  ['KE\u200bY', 'U+200B'],
  ['KE\u00adY', 'U+00AD'],
];
const of = (form: string) => form.replaceAll('KEY', KEY);

/** Every way in which a value reaches the program. */
const WAYS: readonly (readonly [string, (text: string) => string | undefined])[] = [
  ['env: of a key', (text) => readSecretValue('env:GIVEN', { env: { GIVEN: text } })],
  ['file: of a key', (text) => readSecretValue(`file:${fileOf(text)}`, { env: {} })],
  ['an option', (text) => readSecretValue(text, { env: {} })],
  ['env: of a code', (text) => readGivenCode('env:GIVEN', { env: { GIVEN: text } })],
  ['file: of a code', (text) => readGivenCode(`file:${fileOf(text)}`, { env: {} })],
  ['a variable of its own', (text) => givenVariable({ GIVEN: text }, 'GIVEN')],
];

function fileOf(text: string): string {
  const file = join(temporaryFolder(), 'value');
  writeFileSync(file, text);
  return file;
}

test.each(WAYS)('%s is taken without what came along at its ends', (_name, read) => {
  for (const form of AROUND) expect(read(of(form)), JSON.stringify(form)).toBe(KEY);
});

test.each(WAYS)('%s is refused for what is inside, with where and what', (_name, read) => {
  for (const [form, what] of WRONG) {
    expect(() => read(of(form)), JSON.stringify(form)).toThrow(what);
    expect(() => read(of(form))).not.toThrow(KEY);
  }
});

/** What comes along when a key is copied out of a file, a header, a command or a mail. */
const ACCIDENTS: readonly (readonly [string, string])[] = [
  ['GATE_KEY=KEY', 'name of a variable'],
  ['export GATE_KEY=KEY', 'line of a shell'],
  ['KEY;', 'ends with'],
  ['KEY,', 'ends with'],
  ['KEY\\n', 'backslash'],
  ['<KEY>', 'brackets'],
  ['[KEY]', 'brackets'],
  ['`KEY`', 'backticks'],
  ['KEYKEY', 'twice'],
  ['KEY KEY', 'blank'],
  ['Bearer KEY', 'Bearer'],
  ['x-api-key: KEY', 'header'],
  ['KEY # prod', 'remark'],
];
const PLACES: readonly (readonly [string, (text: string) => string, string])[] = [
  ['an option', (text) => readKeyValue(text, { env: {} }, '--key'), '--key '],
  [
    'a variable',
    (text) => readKeyValue('env:GIVEN', { env: { GIVEN: text } }, '--key'),
    'The environment variable GIVEN ',
  ],
  ['a file', (text) => readKeyValue(`file:${fileOf(text)}`, { env: {} }, '--key'), '/value '],
];

test.each(PLACES)('a key of %s is refused with what a copy brought along', (_name, read, from) => {
  for (const key of [KEY, 'abcdefgh', 'YWJjZGVmZ2g=', 'a1b2c3d4==']) expect(read(key)).toBe(key);
  for (const [form, what] of ACCIDENTS) {
    expect(() => read(of(form)), form).toThrow(what);
    expect(() => read(of(form)), form).toThrow(from);
    expect(() => read(of(form)), form).not.toThrow(KEY);
  }
});

/** Files that read a key or token which they do not send: its id or name will do there, or it is a password. */
const OTHER_SECRETS = [
  'src/check/commands/files.ts',
  'src/cli/commands/doctor.ts',
  'src/features/explain/commands.ts',
  'src/features/keys/commands/keys.ts',
  'src/features/log/commands/conditions.ts',
  'src/serve/metrics-listener.ts',
  'src/terminal/key-value.ts',
  'src/terminal/options.ts',
  'src/terminal/prompts.ts',
  'src/testing/commands/serve.ts',
];

test('every key that is sent is read with a look at what a copy brings along', () => {
  const readers = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .map((name) => `src/${name}`)
    .filter((name) => name.endsWith('.ts'))
    .filter((file) => /\breadSecretValue\(/.test(readFileSync(file, 'utf8')));
  expect(readers.sort()).toEqual(OTHER_SECRETS);
});

test('a code on the command line stays as it is, because a scan compares every character', () => {
  expect(readGivenCode(' TS1.tkt ', { env: {} })).toBe(' TS1.tkt ');
});

test('nothing but blanks is empty, and a variable that is missing is told apart from one that is empty', () => {
  expect(() => readSecretValue('env:GIVEN', { env: { GIVEN: ' \n' } })).toThrow('is empty');
  expect(() => readSecretValue('env:GIVEN', { env: {} })).toThrow('is not set');
  expect(() => readSecretValue(`file:${fileOf('\r\n')}`, { env: {} })).toThrow('is empty');
});

const texts = SETTINGS.filter(({ schema }) => schema.safeParse('info').success);

test.each(SETTINGS.map(({ name }) => name))(
  'the setting %s is read alike from everywhere',
  (name) => {
    const setting = SETTINGS.find((one) => one.name === name);
    if (!setting) throw new Error(name);
    const value = [
      'info',
      'true',
      '8080',
      '500',
      'sqlite:a.db',
      'https://gate.example',
      '10.0.0.0/8',
      'a=b',
    ].find((one) => setting.schema.safeParse(one).success);
    if (value === undefined) return;
    const read = (text: string, source: 'environment' | 'option' | 'file') => {
      const given = 'repeats' in setting ? [text] : text;
      const configFile = source === 'file' ? fileOf(JSON.stringify({ [name]: given })) : undefined;
      const { settings } = traceSettings(
        {
          flags: source === 'option' ? { [name]: given } : {},
          environment: source === 'environment' ? { [setting.environment]: text } : {},
          configFile,
        },
        [name],
      );
      return settings[0]?.value;
    };
    for (const source of ['environment', 'option', 'file'] as const) {
      if (source === 'file' && !setting.schema.safeParse(value).success) continue;
      const plain = read(value, source);
      expect(read(` ${value}\r\n`, source), source).toEqual(plain);
      expect(() => read(`"${value}"`, source), source).toThrow('quotes');
    }
  },
);

test('some settings are texts: the walk above is not empty', () => {
  expect(texts.length).toBeGreaterThan(3);
});

test('a text file loses its mark, and UTF-16 is named', () => {
  expect(readBoundedText(fileOf('\ufeff{"a":1}'))).toBe('{"a":1}');
  expect(decodedText(Buffer.from('a'))).toBe('a');
  for (const bytes of [Buffer.from('\ufeffa', 'utf16le'), Buffer.from([0xfe, 0xff, 0, 97])]) {
    const file = join(temporaryFolder(), 'utf16');
    writeFileSync(file, bytes);
    let failure = '';
    try {
      readBoundedText(file);
    } catch (error) {
      failure = fileFailure(error);
    }
    expect(failure).toContain('save it as UTF-8');
  }
});

/** Commands that read a JSON file which a person wrote, each through another part of the program. */
const JSON_FILES = [
  ['config show --config FILE', '{"port":9000}', /9000/],
  ['check http://127.0.0.1:1 --target FILE', '{"baseUrl":"http://127.0.0.1:1"}', /nothing listens/],
  ['check monitor http://127.0.0.1:1 --once --target FILE', '{"keys":{}}', /keys|ticket/],
  ['check http://127.0.0.1:1 --baseline FILE', '{"known":[]}', /nothing listens|known|baseline/],
  [
    'simulate virtual: --model access-controller --duration 1s --cards-from FILE',
    '["TS1.tkt_a"]',
    /granted|denied/,
  ],
  ['simulate --scenario FILE', 'devices: 1', /devices/],
  ['device-files check FILE', 'name: x', /deviceFile/],
] as const;

test.each(JSON_FILES)(
  '%s takes a mark, and names UTF-16 and what is no text',
  async (line, text, says) => {
    await using folder = new InProcess();
    const ran = async (bytes: Buffer | string) => {
      writeFileSync(join(folder.path, 'given'), bytes);
      const { out, err } = await folder.run(line.replace('FILE', 'given'));
      return out + err;
    };
    const plain = await ran(text);
    expect(plain).toMatch(says);
    const withoutSeed = (said: string) =>
      said.replace(/seed \d+/g, 'seed').replace(/"durationMs":\d+|"at":"[^"]*"/g, '');
    expect(withoutSeed(await ran(`\ufeff${text}`)).slice(0, 200)).toBe(
      withoutSeed(plain).slice(0, 200),
    );
    for (const utf16 of [
      Buffer.from(`\ufeff${text}`, 'utf16le'),
      Buffer.from(text, 'utf16le'),
      Buffer.from(text, 'utf16le').swap16(),
    ])
      expect(await ran(utf16)).toContain('save it as UTF-8');
    expect(await ran(Buffer.from('\x7fELF\x02\x01\0\0\0>x', 'latin1'))).toContain('it is not text');
  },
);

/** Who reads a file without `readBoundedText`: no text that a person saves. */
const OTHER_READERS: Readonly<Record<string, string>> = {
  'src/features/service/install.ts': 'the launcher that this program wrote',
  'src/features/store/commands/backup.ts': 'bytes for an archive',
  'src/features/store/staged-backup.ts': 'the certificate of a backup, which OpenSSL reads',
  'src/kit/program-files.ts': 'files of the program',
  'src/serve/announce.ts': 'what an earlier start wrote',
  'src/stores/json/document-file.ts': 'the store itself, whose reader takes the mark',
  'src/stores/second-names.ts': 'what the kernel says of its mounts',
  'src/tickets/making/run-journal.ts': 'a journal that this program wrote',
  'src/tickets/sheets/text.ts': 'fonts',
};
const READS = /\breadFileSync\(|(?<!function )\breadFile\((?!path\)?, path)|\breadBounded\(/;
/** They have a function `readFile` of their own around `readBoundedText`. */
const OWN_READ_FILE = [
  'src/config/keyring-file.ts',
  'src/record/commands/inputs.ts',
  'src/kit/files.ts',
];

test('every text file that a person may have saved is read by one reader', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .map((name) => `src/${name}`)
    .filter((name) => name.endsWith('.ts') && !OWN_READ_FILE.includes(name));
  const readers = files.filter((file) => READS.test(readFileSync(file, 'utf8')));
  expect(readers.sort()).toEqual(Object.keys(OTHER_READERS).sort());
});

/** The variables that are no value of this program: switches of terminals and of failures, and what undici reads of proxies. */
const SWITCHES = ['NO_PROXY', 'no_proxy', 'NO_COLOR', 'TERM', 'TICKETSCAN_DEBUG', 'CHECK_KEY'];

test('every variable of the program is read by one reader', () => {
  const wrong = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && name !== 'config/given-value.ts')
    .flatMap((name) => {
      const source = readFileSync(`src/${name}`, 'utf8');
      const read = source.matchAll(/(?<!process\.)\benv(?:ironment)?\['([A-Z_]+)'\]/g);
      return [...read].map(([, variable]) => `${name}: ${variable}`);
    })
    .filter((found) => !SWITCHES.some((one) => found.endsWith(`: ${one}`)));
  expect(wrong).toEqual([]);
});

test('a value is never repeated in a message', () => {
  expect(() => givenValue(`"${KEY}"`, 'The environment variable GIVEN')).toThrow(
    'The environment variable GIVEN has quotes around its value',
  );
});
