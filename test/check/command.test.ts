import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { REPORT_FORMATS } from '../../src/check/index.ts';
import { startServer } from '../mutants/reference/server.ts';
import { jsonFile, temporaryFolder } from './support/files.ts';
import { runCommand } from './support/run-command.ts';

async function server(alter?: Parameters<typeof startServer>[0]) {
  const started = await startServer(alter);
  onTestFinished(() => started.close());
  return {
    url: started.baseUrl,
    target: jsonFile({ baseUrl: started.baseUrl, ...started.target }),
    keys: started.target.keys,
  };
}

/** Breaks exactly 7.1/status{unknown}. */
const unknown200: Parameters<typeof startServer>[0] = {
  alter: (parts) => ({
    statusOf: (outcome, side) =>
      outcome.status === 'not_found' && side === 'rest' ? 200 : parts.statusOf(outcome, side),
  }),
};
const fast = ['--max-rate', '5000'];

test('a right deployment: exit 0, the verdict, and the budget before the run', async () => {
  const { target } = await server();
  const { code, stdout, stderr } = await runCommand([
    'check',
    '--target',
    target,
    '--consume',
    ...fast,
  ]);
  expect(code).toBe(0);
  expect(stdout).toContain('The deployment conforms; rate limits not asked.');
  expect(stderr).toMatch(
    /^Cases to run: \d+\. They may take up to \d+ uses: \d+ uses of \d+ single tickets, /,
  );
});

test('a wrong deployment: exit 1, and only the broken cases fail', async () => {
  const { url, target } = await server(unknown200);
  const { code, stdout } = await runCommand([
    'check',
    url,
    '--target',
    target,
    '--consume',
    '--json',
    ...fast,
  ]);
  const result = JSON.parse(stdout);
  expect(code).toBe(1);
  expect(result.verdict).toBe('deviates');
  const failed = result.cases.filter((one: { outcome: string }) => one.outcome === 'failed');
  expect(failed.map((one: { id: string }) => one.id)).toEqual(['7.1/status']);
  expect(result.findings).toMatchObject([
    { id: '7.1/status', endpoints: ['validate', 'consume'], variants: ['unknown'] },
  ]);
  expect(Object.keys(failed[0])).toEqual(
    expect.arrayContaining([
      'id',
      'section',
      'level',
      'outcome',
      'requirement',
      'expected',
      'observed',
      'reproduce',
      'durationMs',
    ]),
  );
});

test('skipped cases pass, unless the run must be complete', async () => {
  const { url } = await server();
  const only = ['--only', '5'];
  const lenient = await runCommand(['check', url, ...only]);
  expect(lenient.code).toBe(0);
  expect(lenient.stdout).toContain('skipped: the target has no key "rest"');
  expect((await runCommand(['check', url, ...only, '--fail-on', 'skipped'])).code).toBe(1);
});

test('known deviations do not fail, a stale one does', async () => {
  const { url, target } = await server(unknown200);
  const args = ['check', url, '--target', target, '--consume', '--only', '7.1', ...fast];
  const known = { '7.1/status{unknown}': 'ticket OPS-7' };
  const tolerated = await runCommand([...args, '--baseline', jsonFile(known)]);
  expect(tolerated.code).toBe(0);
  expect(tolerated.stdout).toContain(', 1 known');
  expect(tolerated.stdout).toContain('OPS-7');

  const stale = await runCommand([
    ...args,
    '--baseline',
    jsonFile({ ...known, '7.1/bad-body{null}': 'old' }),
  ]);
  expect(stale.code).toBe(1);
  expect(stale.stdout).toContain(
    '7.1/bad-body{null} is in the baseline, but the deployment now meets it',
  );

  const report = join(temporaryFolder(), 'before.json');
  await runCommand([...args, '--report', `json=${report}`]);
  expect((await runCommand([...args, '--baseline', report])).code).toBe(0);

  const typo = await runCommand([...args, '--baseline', jsonFile(['7.1/no-such-case'])]);
  expect(typo.code).toBe(2);
});

test('a baseline entry is not stale where its case was not asked in full', async () => {
  const { url, target } = await server();
  const args = ['check', url, '--target', target, ...fast];
  const whole = ['--baseline', jsonFile(['7.2/no-ticket-data'])];
  const inPart = await runCommand([...args, '--only', '7.2/no-ticket-data@validate', ...whole]);
  expect(inPart.code).toBe(0);
  const noConsent = await runCommand([...args, '--only', '7.2/no-ticket-data', ...whole]);
  expect(noConsent.code).toBe(0);
  const all = await runCommand([...args, '--consume', '--only', '7.2/no-ticket-data', ...whole]);
  expect(all.code).toBe(1);
  expect(all.stdout).toContain(
    '7.2/no-ticket-data is in the baseline, but the deployment now meets it',
  );
});

test('a run that takes no use says so, whatever was allowed', async () => {
  const { url } = await server();
  const { stderr } = await runCommand(['check', url, '--consume', '--only', '7.2/body-of-401']);
  expect(stderr).toBe('Cases to run: 1. No use will be taken.\n');
});

test('several reports at once', async () => {
  const { url } = await server();
  const folder = temporaryFolder();
  const reports = REPORT_FORMATS.flatMap((format) => [
    '--report',
    `${format}=${join(folder, format)}`,
  ]);
  const { code } = await runCommand(['check', url, '--only', '7.2/body-of-401', ...reports]);
  expect(code).toBe(0);
  const begins = {
    json: '{',
    junit: '<?xml',
    markdown: '## ',
    html: '<!doctype html>',
    github: '::',
    sarif: '{',
    pretty: 'Checked ',
  };
  for (const [format, begin] of Object.entries(begins)) {
    expect(readFileSync(join(folder, format), 'utf8').startsWith(begin), format).toBe(true);
  }
});

test('keys of a target can come from the environment', async () => {
  const { url, keys } = await server();
  const target = jsonFile({ keys: { rest: 'env:MY_KEY' } });
  const args = [
    'check',
    url,
    '--target',
    target,
    '--only',
    '7.1/bad-body{no-ticket-code}@validate',
    '--json',
  ];
  const { stdout } = await runCommand(args, { MY_KEY: keys.rest });
  expect(JSON.parse(stdout).verdict).toBe('conforms');
  const missing = await runCommand(args);
  expect(missing.code).toBe(2);
  expect(missing.stderr).toContain(
    `${target}, "keys.rest": The environment variable MY_KEY is not set.`,
  );
});

test('a target that is not JSON is refused with the place, and nothing of it is repeated', async () => {
  const target = join(temporaryFolder(), 'cut.json');
  writeFileSync(target, '{\n  "keys": { "rest": tscn_api_secret }\n}');
  const { code, stderr } = await runCommand(['check', 'http://127.0.0.1:9', '--target', target]);
  expect(code).toBe(2);
  expect(stderr).toContain(`${target} is not valid JSON: line 2, column 22.`);
  expect(stderr).not.toContain('secret');
});

test.each([
  [['check'], 'Which service?'],
  [['check', 'scan.example.org'], 'not an address'],
  [['check', 'ftp://scan.example.org'], 'https://'],
  [['check', 'https://u:p@scan.example.org'], 'must not have a user, password'],
  [
    ['check', 'http://127.0.0.1:9', '--only', '4.2/consume-twice'],
    'No case matches "4.2/consume-twice"',
  ],
  [['check', '--only', '7.1', 'http://127.0.0.1:9'], 'Write the address first: ticketscan check'],
  [['check', 'http://127.0.0.1:9', '--skip', 'nothing*'], 'No case matches "nothing*"'],
  [['check', 'http://127.0.0.1:9', '--only', 'x'.repeat(40_000)], 'No case matches "xxx'],
  [['check', 'http://127.0.0.1:9', '--skip', '*'], 'leaves no case'],
  [['check', 'http://127.0.0.1:9', '--only', '8/*'], '--rate-limits'],
  [['check', 'http://127.0.0.1:9', '--target', '/no/such/file'], '/no/such/file cannot be read'],
  [['check', 'http://127.0.0.1:9', '--format', 'xml'], "'xml' is invalid"],
  [['check', 'http://127.0.0.1:9', '--report', 'html'], 'FORMAT=FILE'],
  [
    ['check', 'http://127.0.0.1:9', '--timeout', 'soon'],
    '--timeout must be a duration with its unit',
  ],
  [['check', '--explain', 'nothing'], 'Unknown case "nothing"'],
  [['check', '--explain', '99.1'], 'The sections of the specification are 1, 2, 2.1,'],
])('%j is a usage error that says what to do', async (args, text) => {
  const { code, stdout, stderr } = await runCommand(args);
  expect(code).toBe(2);
  expect(stderr).toContain(text);
  expect(stderr).not.toMatch(/\n\s+at /);
  expect(stdout).toBe('');
});

test.each([
  [{ key: {} }, '"key" is not a member of the target'],
  [{ keys: { REST: 'abcd' } }, '"REST" is not a member of "keys"'],
  [{ keys: { rest: 'a key' } }, '"keys.rest" is not a usable key'],
  [
    { keys: { rest: 'abcdef', deleted: 'abcdef' } },
    '"keys.deleted" and "keys.rest" are the same key',
  ],
  [{ limits: { rate: 0 } }, '"limits.rate" must be a whole number above 0'],
  [{ limits: { quota: 5 } }, '"quota" is not a member of "limits"'],
  [{ tickets: { single: 'code' } }, '"tickets.single" must be an array'],
  [{ tickets: { single: [{ id: 'x' }] } }, '"tickets.single[0]" must be a ticket code'],
  [[], 'A target must be a JSON object'],
])('the target %j is refused, and the place is named', async (target, text) => {
  const { code, stderr } = await runCommand([
    'check',
    'http://127.0.0.1:9',
    '--target',
    jsonFile(target),
  ]);
  expect(code).toBe(2);
  expect(stderr).toContain(text);
});

test('--list shows every case once, --only narrows it', async () => {
  const all = await runCommand(['check', '--list']);
  const ids = all.stdout
    .trim()
    .split('\n')
    .map((line) => line.split(' ')[0]);
  expect(ids.length).toBeGreaterThan(100);
  expect(new Set(ids).size).toBe(ids.length);
  const races = await runCommand(['check', '--list', '--only', '*race*', '--json']);
  const cases = JSON.parse(races.stdout);
  expect(cases).toHaveLength(1);
  expect(cases[0]).toMatchObject({ section: '3.2', level: 'stated' });
});

test('--explain says what a case wants, needs and spends', async () => {
  const { code, stdout } = await runCommand(['check', '--explain', '3.2/keys-share-the-counter']);
  expect(code).toBe(0);
  expect(stdout).toContain('is used up for every key');
  expect(stdout).toContain('Asked on      consume, hw/consume');
  expect(stdout).toContain('key hardwareScoped, 2 single tickets');
  expect(stdout).toContain('2 uses of single tickets; needs --consume');
  expect(stdout).toContain('Section 3.2: Counting uses');
  expect(stdout).toContain('ticketscan check --explain 3.2, or docs/testing/specification.md#3.2');
  const { stdout: bodies } = await runCommand(['check', '--explain', '7.1/bad-body']);
  const variant = await runCommand(['check', '--explain', '7.1/bad-body{empty-body}@consume']);
  expect(variant.stdout).toBe(bodies);
  expect(bodies).toContain('Variants      empty, no-json,');
});

test('--explain prints a section of the specification, also for a statement in it', async () => {
  const { code, stdout } = await runCommand(['check', '--explain', '5.4']);
  expect(code).toBe(0);
  expect(stdout).toContain('Section 5: Authentication');
  expect(stdout).toContain('A key for **all events** scans');
  expect(stdout).toMatch(/\d+ cases: ticketscan check --list --only 5\n/);

  const json = await runCommand(['check', '--explain', '4.4', '--json']);
  expect(JSON.parse(json.stdout)).toMatchObject({ number: '4.4', title: 'POST /scan/hw/validate' });
  const status = await runCommand(['check', '--explain', '7.1', '--json']);
  expect(JSON.parse(status.stdout).cases).toContain('7.1/bad-body');

  const parts = await runCommand(['check', '--explain', '7']);
  expect(parts.stdout).toContain('Section 7.2: Error bodies for own software');
});

test('init writes a target file that check takes, never over another, for its owner alone', async () => {
  const path = join(temporaryFolder(), 'target.json');
  const args = ['check', 'init', 'https://scan.example.net', '--out', path];
  expect((await runCommand(args)).code).toBe(0);
  expect(JSON.parse(readFileSync(path, 'utf8')).baseUrl).toBe('https://scan.example.net');
  expect(statSync(path).mode & 0o077).toBe(0);
  expect((await runCommand(args)).code).toBe(2);
  const toStdout = await runCommand(['check', 'init']);
  const shipped = new URL('../../fixtures/target.sample.json', import.meta.url);
  expect(existsSync(shipped)).toBe(true);
  expect(readFileSync(shipped, 'utf8')).toBe(toStdout.stdout);
});

test('a file that cannot be written is a usage error, before the run', async () => {
  const file = join(temporaryFolder(), 'no', 'such', 'folder.xml');
  const { code, stderr } = await runCommand([
    'check',
    'http://127.0.0.1:9',
    '--report',
    `junit=${file}`,
  ]);
  expect(code).toBe(2);
  expect(stderr).toContain('cannot be written: no such file or folder');
  expect(stderr).not.toContain('Cases to run');
});
