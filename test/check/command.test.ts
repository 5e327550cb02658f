import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import type http from 'node:http';
import https from 'node:https';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { expect, onTestFinished, test } from 'vitest';
import { startServer } from '../mutants/reference/server.ts';
import { words } from '../support/words.ts';
import { jsonFile, temporaryFolder } from './support/files.ts';
import { listen } from './support/listen.ts';
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
const FAST = ['--max-rate', '5000'];
const NOWHERE = 'http://127.0.0.1:9';

test('a right deployment: exit 0, the verdict, and the budget before the run', async () => {
  const { target } = await server();
  const { code, stdout, stderr } = await runCommand(
    words`check --target ${target} --consume --only 4.1 4.2 ${FAST}`,
  );
  expect(code).toBe(0);
  expect(stdout).toContain('The deployment conforms');
  expect(stderr).toMatch(
    /^Cases to run: \d+\. They may take up to \d+ uses: \d+ uses? of \d+ single tickets?, /,
  );
});

test('a wrong deployment: exit 1, and only the broken cases fail', async () => {
  const { url, target } = await server(unknown200);
  const { code, stdout } = await runCommand(
    words`check ${url} --target ${target} --consume --json --only 7.1 ${FAST}`,
  );
  const result = JSON.parse(stdout);
  expect([code, result.verdict]).toEqual([1, 'deviates']);
  const failed = result.cases.filter((one: { outcome: string }) => one.outcome === 'failed');
  expect(failed.map((one: { id: string }) => one.id)).toEqual(['7.1/status']);
  expect(result.findings).toMatchObject([
    { id: '7.1/status', endpoints: ['validate', 'consume'], variants: ['unknown'] },
  ]);
  expect(Object.keys(failed[0])).toEqual(
    expect.arrayContaining(
      words`id section level outcome requirement expected observed reproduce durationMs`,
    ),
  );
});

test('skipped cases pass, unless the run must be complete', async () => {
  const { url } = await server();
  const lenient = await runCommand(words`check ${url} --only 5`);
  expect(lenient.code).toBe(0);
  expect(lenient.stdout).toContain('skipped: the target has no key "rest"');
  expect((await runCommand(words`check ${url} --only 5 --fail-on skipped`)).code).toBe(1);
});

test('known deviations do not fail, a stale one does', async () => {
  const { url, target } = await server(unknown200);
  const only = words`--only 7.1/status 7.1/bad-body{null}`;
  const run = (...more: string[]) =>
    runCommand(words`check ${url} --target ${target} --consume ${only} ${FAST} ${more}`);
  const known = { '7.1/status{unknown}': 'ticket OPS-7' };
  const report = join(temporaryFolder(), 'before.json');
  const tolerated = await run('--baseline', jsonFile(known), '--report', `json=${report}`);
  expect(tolerated).toMatchObject({ code: 0, stdout: expect.stringContaining(', 1 known') });
  expect(tolerated.stdout).toContain('OPS-7');

  const stale = await run('--baseline', jsonFile({ ...known, '7.1/bad-body{null}': 'old' }));
  expect(stale.code).toBe(1);
  expect(stale.stdout).toContain('7.1/bad-body{null} is in the baseline, but the deployment');

  expect((await run('--baseline', report)).code).toBe(0);
  expect((await run('--baseline', jsonFile(['7.1/no-such-case']))).code).toBe(2);
});

test('a baseline entry is not stale where its case was not asked in full', async () => {
  const { url, target } = await server();
  const id = '7.2/no-ticket-data';
  const run = (...more: string[]) =>
    runCommand(words`check ${url} --target ${target} --baseline ${jsonFile([id])} ${FAST} ${more}`);
  expect((await run('--only', `${id}@validate`)).code).toBe(0);
  expect((await run('--only', id)).code).toBe(0);
  const all = await run('--only', id, '--consume');
  expect(all.code).toBe(1);
  expect(all.stdout).toContain(`${id} is in the baseline, but the deployment now meets it`);
});

test('a run that takes no use says so, whatever was allowed', async () => {
  const { url } = await server();
  const { stderr } = await runCommand(words`check ${url} --consume --only 7.2/body-of-401`);
  expect(stderr).toBe('Cases to run: 1. No use will be taken.\n');
});

test('several reports at once: each has the format that is named, or that of its ending', async () => {
  const { url } = await server();
  const folder = temporaryFolder();
  const begins = {
    'a.json': '{',
    'a.xml': '<?xml',
    'a.html': '<!doctype html>',
    'a.md': '## ',
    'a.sarif': '{',
    'a.txt': 'Checked ',
    // what is no format belongs to the name
    'x=y.json': '{',
  };
  const byName = { json: '{', junit: '<?xml', markdown: '## ', github: '::', pretty: 'Checked ' };
  const reports = [
    ...Object.keys(begins).map((name) => join(folder, name)),
    ...Object.keys(byName).map((format) => `${format}=${join(folder, format)}`),
  ].flatMap((report) => ['--report', report]);
  const few = words`check ${url} --only 7.2/body-of-401`;
  expect((await runCommand([...few, ...reports])).code).toBe(0);
  for (const [name, begin] of Object.entries({ ...begins, ...byName }))
    expect(readFileSync(join(folder, name), 'utf8').startsWith(begin), name).toBe(true);

  const unknown = await runCommand([...few, '--report', join(folder, 'c.pdf')]);
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('.sarif') });
  expect(existsSync(join(folder, 'c.pdf'))).toBe(false);
});

test('a file that cannot be written is a usage error, before the run', async () => {
  const file = join('package.json', 'folder.xml');
  const { code, stderr } = await runCommand(words`check ${NOWHERE} --report junit=${file}`);
  expect(code).toBe(2);
  expect(stderr).toContain('cannot be written: a part of its path is not a folder');
  expect(stderr).not.toContain('Cases to run');
});

test('keys of a target can come from the environment', async () => {
  const { url, keys } = await server();
  const target = jsonFile({ keys: { rest: 'env:MY_KEY' } });
  const only = '7.1/bad-body{no-ticket-code}@validate';
  const args = words`check ${url} --target ${target} --only ${only} --json`;
  const { stdout } = await runCommand(args, { MY_KEY: keys.rest });
  expect(JSON.parse(stdout).verdict).toBe('conforms');
  const missing = await runCommand(args);
  expect(missing.code).toBe(2);
  expect(missing.stderr).toContain(`"keys.rest": The environment variable MY_KEY is not set.`);
});

test('a target that is not JSON is refused with the place, and nothing of it is repeated', async () => {
  const target = join(temporaryFolder(), 'cut.json');
  writeFileSync(target, '{\n  "keys": { "rest": tscn_api_secret }\n}');
  const { code, stdout, stderr } = await runCommand(words`check ${NOWHERE} --target ${target}`);
  expect(code).toBe(2);
  expect(stderr).toContain(`${target} is not valid JSON: line 2, column 22.`);
  expect(stdout + stderr).not.toContain('secret');
});

test('a certificate is trusted with --ca, and any with --insecure-tls, which the report says', async () => {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });
  const refuse: http.RequestListener = (_, response) => {
    response.writeHead(401, { 'content-type': 'application/json' }).end('{"message":"Forbidden"}');
  };
  const { port } = new URL(await listen(https.createServer({ cert, key }, refuse)));
  const ca = join(temporaryFolder(), 'ca.pem');
  writeFileSync(ca, cert);
  const only = ['7.2/body-of-401', '5/refused-key{no-key}@heartbeat'];
  const run = (...more: string[]) =>
    runCommand(words`check https://127.0.0.1:${port} --only ${only} --json ${more}`);
  const strict = await run();
  expect(strict.code).toBe(3);
  expect(strict.stderr).toMatch(/--ca FILE.*--insecure-tls|--insecure-tls.*--ca FILE/s);
  const trusted = await run('--ca', ca);
  expect([trusted.code, JSON.parse(trusted.stdout).totals.passed]).toEqual([0, 2]);
  const blind = await run('--insecure-tls');
  expect([blind.code, JSON.parse(blind.stdout).notes]).toEqual([
    0,
    expect.arrayContaining(['The TLS certificate was not verified (--insecure-tls).']),
  ]);
});

/** What stands behind `check`, and what the message must say. */
const WRONG_USAGE: readonly (readonly [args: readonly string[], text: string])[] = [
  [[], 'Which service?'],
  [['scan.example.org'], 'not an address'],
  [['ftp://scan.example.org'], 'https://'],
  [['https://u:p@scan.example.org'], 'must not have a user, password'],
  [words`${NOWHERE} --only 4.2/consume-twice`, 'No case matches "4.2/consume-twice"'],
  [words`--only 7.1 ${NOWHERE}`, 'Write the address first: ticketscan check'],
  [words`${NOWHERE} --skip nothing*`, 'No case matches "nothing*"'],
  [[NOWHERE, '--only', 'x'.repeat(40_000)], 'No case matches "xxx'],
  [words`${NOWHERE} --skip *`, 'leaves no case'],
  [words`${NOWHERE} --only 8/*`, '--rate-limits'],
  [words`${NOWHERE} --target /no/such/file`, '/no/such/file cannot be read'],
  [words`${NOWHERE} --format xml`, 'not "xml"'],
  [words`${NOWHERE} --report html`, 'FORMAT=FILE'],
  ...['soon', '0', '0s', '-1', '300', '10 apples'].map(
    (time) => [[NOWHERE, '--timeout', time], '--timeout must be'] as const,
  ),
  [words`--explain nothing`, 'unknown case "nothing"'],
  [words`--explain 99.1`, 'The sections of the specification are 1, 2, 2.1,'],
  [words`${NOWHERE} --requirements 2019-01`, 'Known sets: 2026-11.'],
  [words`${NOWHERE} --hook disable=x`, 'Did you mean "disable-key"? Names: disable-key'],
  [words`${NOWHERE} --hook enable-key=`, '"enable-key=" is not a hook'],
  [words`${NOWHERE} --hook enable-key=a --hook enable-key=b`, '--hook enable-key=… is given twice'],
  [words`${NOWHERE} --hook enable-key=a --token env:TOKEN`, 'cannot be combined'],
  [words`${NOWHERE} --token env:NONE`, 'The environment variable NONE is not set'],
  [words`explore --seed x`, 'whole number from 0'],
  [words`explore --parallel 65`, 'from 1 to 64'],
  [words`explore --soak long`, '--soak must be a duration with its unit'],
  [words`explore ${NOWHERE}`, 'no key "rest"'],
  [words`explore ${NOWHERE} --budget 1.5`, 'whole number above 0'],
  [words`explore ${NOWHERE} --budget 0`, 'whole number above 0'],
  [words`explore --replay /no/such/file`, 'cannot be read'],
  [words`explore --replay fault.json --seed 1`, '--replay and --seed cannot be combined'],
  [
    words`explore --replay fault.json --against b.json`,
    '--replay and --against cannot be combined',
  ],
  [words`explore --against b.json --save fault.json`, '--against and --save cannot be combined'],
];

test.each(WRONG_USAGE)('%j is a usage error that says what to do', async (args, text) => {
  const { code, stdout, stderr } = await runCommand(['check', ...args], { TOKEN: 'secret' });
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(text);
  expect(stderr).not.toMatch(/\n\s+at /);
});

test.each([
  [{ key: {} }, '"key" is not a member of the target'],
  [{ keys: { REST: 'abcd' } }, '"REST" is not a member of "keys"'],
  [{ keys: { rest: 'a key' } }, '"keys.rest": it has a blank inside. Give the key alone.'],
  [
    { keys: { rest: 'abcdef', deleted: 'abcdef' } },
    '"keys.rest" and "keys.deleted" are the same key',
  ],
  [{ limits: { rate: 0 } }, '"limits.rate" must be a whole number above 0'],
  [{ limits: { quota: 5 } }, '"quota" is not a member of "limits"'],
  [{ tickets: { single: 'code' } }, '"tickets.single" must be an array'],
  [{ tickets: { single: [{ id: 'x' }] } }, '"tickets.single[0]" must be a ticket code'],
  [
    { tickets: { unknown: [{ code: 'h', inScope: 'yes' }] } },
    '"tickets.unknown[0].inScope" must be true or false.',
  ],
  [[], 'A target must be a JSON object'],
])('the target %j is refused, and the place is named', async (target, text) => {
  const { code, stderr } = await runCommand(words`check ${NOWHERE} --target ${jsonFile(target)}`);
  expect([code, stderr]).toEqual([2, expect.stringContaining(text)]);
});

test('--list shows every case once, --only narrows it', async () => {
  const all = await runCommand(['check', '--list']);
  const ids = all.stdout
    .trim()
    .split('\n')
    .map((line) => line.split(' ')[0]);
  expect(ids.length).toBeGreaterThan(100);
  expect(new Set(ids).size).toBe(ids.length);
  const races = await runCommand(words`check --list --only *race* --json`);
  expect(JSON.parse(races.stdout)).toMatchObject([{ section: '3.2', level: 'stated' }]);
});

test('--explain says what a case wants, needs and spends', async () => {
  const { code, stdout } = await runCommand(words`check --explain 3.2/keys-share-the-counter`);
  expect(code).toBe(0);
  for (const text of [
    'Asked on      consume, hw/consume',
    'key hardwareScoped, 2 single tickets',
    '2 uses of single tickets; needs --consume',
    'ticketscan check --explain 3.2',
  ])
    expect(stdout).toContain(text);
  const { stdout: bodies } = await runCommand(words`check --explain 7.1/bad-body`);
  const variant = await runCommand(words`check --explain 7.1/bad-body{empty-body}@consume`);
  expect(variant.stdout).toBe(bodies);
  expect(bodies).toContain('Variants      empty, no-json,');
});

test('--explain prints a section of the specification, also for a statement in it', async () => {
  const { code, stdout } = await runCommand(words`check --explain 5.4`);
  expect(code).toBe(0);
  expect(stdout).toContain('Section 5: Authentication');
  expect(stdout).toMatch(/\d+ cases: ticketscan check --list --only 5\n/);
  const json = await runCommand(words`check --explain 4.4 --json`);
  expect(JSON.parse(json.stdout)).toMatchObject({ number: '4.4', title: 'POST /scan/hw/validate' });
  const status = await runCommand(words`check --explain 7.1 --json`);
  expect(JSON.parse(status.stdout).cases).toContain('7.1/bad-body');
  const parts = await runCommand(words`check --explain 7`);
  expect(parts.stdout).toContain('Section 7.2: Error bodies for own software');
});

test('init writes a target file that check takes, never over another, for its owner alone', async () => {
  const path = join(temporaryFolder(), 'target.json');
  const args = words`check init https://scan.example.net --out ${path}`;
  expect((await runCommand(args)).code).toBe(0);
  expect(JSON.parse(readFileSync(path, 'utf8')).baseUrl).toBe('https://scan.example.net');
  expect(statSync(path).mode & 0o077).toBe(0);
  expect((await runCommand(args)).code).toBe(2);
  const { stdout } = await runCommand(['check', 'init']);
  expect(readFileSync('fixtures/target.sample.json', 'utf8')).toBe(stdout);
});
