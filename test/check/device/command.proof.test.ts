import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { CheckResult, SessionRecord } from '../../../src/check/index.ts';
import { PROGRAM } from '../../support/cli.ts';
import { BUILT_IN_NAMES } from '../../support/device-files.ts';
import { words } from '../../support/words.ts';
import { temporaryFolder } from '../support/files.ts';
import { runCommand } from '../support/run-command.ts';

const SIMULATED = `"${process.execPath}" "${PROGRAM}" simulate --commands --wait-time 10 --anti-repeat 200ms`;
const FAST = words`--wait-time 10 --reaction 50ms --anti-repeat 200ms`;
const DENIALS = ['4.6/device-opens-on-grant', '7.3/device-shut-on-denial', '7.3/device-shows-note'];

/** A device of a few lines: it posts the card, and opens whatever comes. */
const OPENS_ALWAYS = `
  const lines = require('node:readline').createInterface({ input: process.stdin });
  console.log('{"tells":["door"]}');
  lines.on('line', async (line) => {
    const Card = Buffer.from(JSON.parse(line).present).toString('base64');
    const body = JSON.stringify({ Card, Serial: 'A1', Reader: 0 });
    await fetch(process.env.TICKETSCAN_CARD_URL, { method: 'POST', body }).catch(() => {});
    console.log('{"door":"open"}\\n{"done":true}');
  });`;

function check(...args: string[]) {
  return runCommand(['check', 'device', ...args], { PATH: process.env['PATH'] ?? '' });
}

function outcomes({ cases }: CheckResult) {
  return Object.fromEntries(cases.map(({ id, outcome }) => [id, outcome]));
}

test('a simulated device is judged without a person, and every report can be written', async () => {
  const folder = temporaryFolder();
  const reports = ['json', 'xml', 'html', 'md', 'sarif', 'txt'];
  const files = reports.map((ending) => join(folder, `report.${ending}`));
  const { code, stdout, stderr } = await check(
    ...['--run', SIMULATED, ...FAST, '--tls-self-signed', '--only', ...DENIALS, '1/device-https'],
    ...files.flatMap((file) => ['--report', file]),
  );
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^Scene 1 of \d+: granted\n/)]);
  expect(stdout).toContain('The device conforms.');
  const result = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as CheckResult;
  expect(outcomes(result)).toEqual({
    ...Object.fromEntries(DENIALS.map((id) => [id, 'passed'])),
    '1/device-https': 'passed',
  });
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    expect(text.length, file).toBeGreaterThan(100);
    expect(text).not.toMatch(/tscn_hw_\w{10}/);
  }
});

test('a device that opens whatever comes fails, with what shows it and what it says on the wire', async () => {
  const folder = temporaryFolder();
  const program = join(folder, 'opens-always.cjs');
  writeFileSync(program, OPENS_ALWAYS);
  const run = `"${process.execPath}" "${program}"`;
  const { code, stdout } = await check('--run', run, ...FAST, '--only', ...DENIALS, '--json');
  const result = JSON.parse(stdout) as CheckResult;
  expect([code, result.verdict]).toEqual([1, 'deviates']);
  expect(outcomes(result)).toEqual({
    '4.6/device-opens-on-grant': 'passed',
    '7.3/device-shut-on-denial': 'failed',
    // it told that it tells of its door only
    '7.3/device-shows-note': 'skipped',
  });
  const failed = result.cases.find(({ outcome }) => outcome === 'failed');
  expect(failed).toMatchObject({
    expected: 'the door stays shut',
    observed: 'it opened on HTTP 200, AcsRes "0"',
    cause: 'AcsRes is not looked at.',
    failedEndpoints: ['hw/consume'],
    reproduce: 'ticketscan check device --only 7.3/device-shut-on-denial',
  });
  expect(failed?.evidence?.request).toMatch(/^POST \/scan\/hw\/consume\?key=\$KEY\n/);
  expect(failed?.evidence?.response).toContain('"AcsRes":"0"');
});

test('an interrupted session goes on where it was, with the same address and key', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'session.json');
  const only = ['--only', '7.3/device-shut-on-denial'];
  const args = ['--run', SIMULATED, ...FAST, '--session', file, ...only];
  const child = spawn(process.execPath, [PROGRAM, 'check', 'device', ...args]);
  let stderr = '';
  child.stderr.on('data', (text) => (stderr += text));
  child.stdout.resume();
  while (!(existsSync(file) && readSession(file).played.length >= 2)) await wait(20);
  child.kill('SIGINT');
  const [code] = await once(child, 'exit');
  expect([code, stderr]).toEqual([130, expect.stringContaining(`check device --resume ${file}`)]);
  const before = readSession(file);
  const other = await check('--run', SIMULATED, '--resume', file, '--model', 'bas-ip');
  expect([other.code, other.stderr]).toEqual([
    2,
    expect.stringContaining('is about access-controller, not bas-ip'),
  ]);

  const rest = ['--run', SIMULATED, ...FAST, '--resume', file, ...only, '--json'];
  const { code: end, stdout } = await check(...rest);
  const after = readSession(file);
  expect([end, (JSON.parse(stdout) as CheckResult).totals.warned]).toEqual([0, 0]);
  expect([after.key, after.port]).toEqual([before.key, before.port]);
  expect(after.played.slice(0, before.played.length)).toEqual(before.played);
  expect(new Set(after.played).size).toBe(after.played.length);
  expect(after.requests.slice(0, before.requests.length)).toEqual(before.requests);
});

test('a program that ends early is exit 3, and where nobody can be asked it is 2', async () => {
  const gone = await check('--run', 'exit 7', ...FAST, '--only', ...DENIALS);
  expect([gone.code, gone.stderr]).toEqual([3, expect.stringContaining('ended with exit code 7')]);
  const alone = await check();
  expect([alone.code, alone.stderr]).toEqual([2, expect.stringContaining('--run COMMAND')]);
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const taken = await check('--run', SIMULATED, ...FAST, '--port', String(port));
  expect([taken.code, taken.stderr]).toEqual([2, expect.stringContaining(`${port} is taken`)]);
});

const FILES = 'fixtures/device-files';

test.each<[string[], string]>([
  [['--run', ' '], '--run needs a command'],
  [words`--run true --wait-time 0`, '--wait-time must be from 0.1 s to 600 s'],
  [words`--run true --heartbeat 0s`, '--heartbeat must be from 1 ms to 24 h'],
  [words`--run true --client --model bas-ip`, 'A model describes a device'],
  [
    words`--resume nowhere.json`,
    'nowhere.json cannot be read: no such file or folder (check the path).',
  ],
  [words`--run ${PROGRAM} --resume ${PROGRAM}`, 'not valid JSON'],
  [['--run', 'no-such-robot --fast'], 'was not found: no-such-robot --fast. Check its name'],
  [['--run', '/dev/null'], 'cannot be executed: /dev/null. Check its permissions'],
  [words`--run true --device-file nowhere.yaml`, 'nowhere.yaml cannot be read: no such file'],
  [
    words`--run true --device-file ${FILES}`,
    `Name the model (--model): ${BUILT_IN_NAMES.join(', ')}.`,
  ],
  [
    words`--run true --device-file ${FILES} --model gatex`,
    `has the name "gatex"; there is: ${BUILT_IN_NAMES.join(', ')}`,
  ],
  [words`--run true --client --device-file akuvox`, 'A device file describes a device'],
  [words`--run true --model gatex`, 'needs a device file (--device-file)'],
])('%j is refused', async (args, sentence) => {
  const { code, stderr } = await check(...args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)]);
});

test('cases are listed and explained', async () => {
  const { stdout } = await check('--client', '--list', '--only', '7.2');
  expect(stdout.split('\n')[0]).toMatch(/^7\.2\/client-waits-on-429 +stated +After HTTP 429/);
  expect((await check('--explain', '2.4/device-open-time')).stdout).toContain('seconds in Time');
  expect((await check('--list', '--only', '9.9')).code).toBe(2);
});

function readSession(file: string): SessionRecord {
  return JSON.parse(readFileSync(file, 'utf8'));
}

test.each(['SIGINT', 'SIGTERM'] as const)(
  'a device that waits for commands ends at %s, though its input stays open',
  async (signal) => {
    const device = spawn(process.execPath, [
      ...[PROGRAM, 'simulate', 'http://127.0.0.1:9', '--key', 'k', '--commands'],
    ]);
    onTestFinished(() => void device.kill('SIGKILL'));
    await once(device.stdout, 'data');
    device.kill(signal);
    expect(await once(device, 'exit')).toEqual([0, null]);
  },
);

test('a scene is played with those that it builds on', async () => {
  const folder = temporaryFolder();
  const record = join(folder, 'record.json');
  await check(
    ...['--run', SIMULATED, ...FAST, '--only', '4.6/device-opens-on-grant', '--session', record],
  );
  const { played } = JSON.parse(readFileSync(record, 'utf8')) as SessionRecord;
  expect(played).toContain('admitted-later');
  expect(played.indexOf('denied-notYetValid')).toBeLessThan(played.indexOf('admitted-later'));
  expect(played).toContain('denied-notYetValid');
});
