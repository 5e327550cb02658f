import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import qrcode from 'qrcode';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addSimulateOptions } from '../../src/simulate/commands/options.ts';
import { planRun } from '../../src/simulate/commands/plan.ts';
import type { CliIo } from '../../src/terminal/io.ts';
import { words } from '../support/words.ts';
import {
  collect,
  eventually,
  grantingHandler,
  PROGRAM,
  plainServer,
  program,
  type TestServer,
  tcpServer,
  temporaryFolder,
} from './support/servers.ts';

const folder = temporaryFolder();
const KEY = 'tscn_hw_SECRETSECRETSECRETSECRETSECRETSE123456';
const simulate = (...args: string[]) => program(['simulate', '--json', ...args]);
const eventsIn = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
let server: TestServer;

beforeAll(async () => {
  server = await plainServer(grantingHandler());
});
afterAll(async () => {
  await server.close();
  folder.remove();
});

test('one card: read from an image, posted, the door opens and closes, the summary comes last', async () => {
  const image = join(folder.path, 'ticket.png');
  await qrcode.toFile(image, 'TS1.tkt_abc123_x.signature');
  const run = await simulate(server.url, '--key', 'env:GATE_KEY', '--card', image);
  expect(run).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('The environment variable GATE_KEY is not set'),
  });

  const good = await program(
    ['simulate', server.url, '--json', '--key', 'env:GATE_KEY', '--card', image],
    { GATE_KEY: KEY },
  );
  expect(good.code).toBe(0);
  const names = eventsIn(good.stdout).map(({ event }) => event);
  expect(names.filter((name) => name !== 'heartbeat')).toEqual([
    'start',
    'power-on',
    'online',
    'read',
    'post',
    'granted',
    'door-open',
    'passed',
    'door-closed',
    'summary',
  ]);
  expect(eventsIn(good.stdout).at(-1)).toMatchObject({
    event: 'summary',
    scans: 1,
    granted: 1,
    denied: 0,
    errors: 0,
    timeouts: 0,
    latencyMs: {
      p50: expect.any(Number),
      p90: expect.any(Number),
      p99: expect.any(Number),
      p999: expect.any(Number),
      max: expect.any(Number),
    },
    rawLatencyMs: {
      p50: expect.any(Number),
      p90: expect.any(Number),
      p99: expect.any(Number),
      p999: expect.any(Number),
      max: expect.any(Number),
    },
  });
  expect(good.stdout + good.stderr).not.toContain(KEY);
});

test('a denied card makes exit code 1', async () => {
  const denying = await plainServer((_request, answer) =>
    answer(200, '{"AcsRes":"0","ActIndex":"0","Time":"0","Note":"Nein"}'),
  );
  const run = await simulate(denying.url, '--key', 'k', '--card', 'x', '--heartbeat', '0');
  await denying.close();
  expect(run.code).toBe(1);
});

describe('when there is nothing to be had from the server, one line says why', () => {
  const oneLine = (text: string) => text.trimEnd().split('\n');

  test.each([
    [
      'gone',
      async () => {
        const gone = await tcpServer(() => undefined);
        await gone.close();
        return gone.url;
      },
      3,
      /^ticketscan: nothing listens at /,
    ],
    [
      'unknown',
      async () => 'http://no-such-host.invalid',
      3,
      /^ticketscan: the name "no-such-host.invalid" cannot be resolved/,
    ],
    [
      'without TLS',
      async () => server.url.replace('http', 'https'),
      3,
      /^ticketscan: .* does not speak TLS/,
    ],
  ])('%s', async (_what, url, code, message) => {
    // Without an end to the run: it has to give up by itself.
    const endless = ['--rate', '5', '--duration', '10m'];
    const run = await simulate(await url(), '--key', KEY, '--card', 'x', ...endless);
    expect(run.code).toBe(code);
    expect(oneLine(run.stderr)).toEqual([expect.stringMatching(message)]);
    expect(run.stderr + run.stdout).not.toContain(KEY);
  });

  test('refusing the key', async () => {
    const refusing = await plainServer((_request, answer) =>
      answer(401, '{"AcsRes":"0","ActIndex":"0","Time":"0","Note":"Kein Zugriff"}'),
    );
    const run = await simulate(refusing.url, '--key', KEY, '--card', 'x');
    await refusing.close();
    expect(run.code).toBe(1);
    expect(oneLine(run.stderr)).toEqual([expect.stringMatching(/refuses the key \(HTTP 401\)/)]);
  });

  test('silent', async () => {
    const silent = await tcpServer(() => undefined);
    const run = await simulate(
      silent.url,
      '--key',
      KEY,
      '--card',
      'x',
      '--wait-time',
      '3',
      '--heartbeat',
      '0',
    );
    await silent.close();
    expect(run.code).toBe(3);
    expect(oneLine(run.stderr)).toEqual([
      expect.stringMatching(/answered none of 1 posts within the Wait Time/),
    ]);
  });
});

test('a server that goes away in the middle is no reason to stop', async () => {
  let posts = 0;
  const failing = await tcpServer((socket) => {
    socket.on('data', () => {
      posts += 1;
      const body = '{"AcsRes":"1","ActIndex":"0","Time":"0","Note":"Ja"}';
      if (posts > 5) socket.destroy();
      else socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    });
  });
  const run = await simulate(
    failing.url,
    '--key',
    'k',
    '--card',
    'x',
    '--rate',
    '50',
    '--people',
    '20',
    '--heartbeat',
    '0',
  );
  await failing.close();

  expect(eventsIn(run.stdout).at(-1)).toMatchObject({ scans: 20, granted: 5, errors: 15 });
});

describe('a wrong command line is explained with exit code 2', () => {
  test.each([
    [['--card', 'x'], /Which server\?/],
    [['http://127.0.0.1:1'], /Which key\?/],
    [['gate', '--key', 'k'], /"gate" is not a server address/],
    [['http://127.0.0.1:1', '--key', 'k', '--model', 'lift'], /Unknown device model "lift"/],
    [['http://127.0.0.1:1', '--key', 'k', '--rate', '5'], /needs cards/],
    [['http://127.0.0.1:1', '--key', 'k', '--duration', 'long'], /--duration must be a duration/],
    [['http://127.0.0.1:1', '--key', 'k', '--wait-time', '16.15s'], /a multiple of 0.1 s/],
    [['http://127.0.0.1:1', '--key', 'k', '--card', 'none.png'], /none.png cannot be read/],
    [
      ['http://127.0.0.1:1', '--key', 'k', '--card', 'x', '--faults', 'fire=1'],
      /Unknown fault "fire"/,
    ],
    [
      ['http://127.0.0.1:1', '--key', 'k', '--card', 'x', '--expect', 'speed<1'],
      /"speed<1" is not a threshold/,
    ],
    [
      ['http://127.0.0.1:1', '--key', 'k', '--card', 'x', '--report', 'a.pdf'],
      /--report a\.pdf: it must be FORMAT=FILE, with a format of json, pretty/,
    ],
    [
      ['http://127.0.0.1:1', '--key', 'k', '--card', 'x', '--report', 'json=/nowhere/x'],
      /\/nowhere\/x cannot be written: no such file or folder/,
    ],
    [
      ['http://127.0.0.1:1', '--key', 'k', '--devices', '20000', '--card', 'x'],
      /--devices must be a whole number from 1 to 10000/,
    ],
    [['virtual:', '--scenario', 'none.yaml'], /none.yaml cannot be read/],
  ])('%j', async (args, message) => {
    const run = await simulate(...args);
    expect(run.stderr).toMatch(message);
    expect(run.stderr).not.toContain('    at ');
    expect(run.code).toBe(2);
  });
});

test('Ctrl-C ends the run with the report so far', async () => {
  const report = join(folder.path, 'interrupted.json');
  const child = spawn(process.execPath, [
    PROGRAM,
    'simulate',
    server.url,
    '--json',
    '--key',
    'k',
    '--card',
    'x',
    '--rate',
    '100',
    '--duration',
    '10m',
    '--report',
    report,
  ]);
  const stdout = collect(child.stdout);
  await eventually(() => stdout().split('"granted"').length).toBeGreaterThan(20);
  child.kill('SIGINT');
  const [code] = await once(child, 'close');

  expect(code).toBe(130);
  const summary = eventsIn(stdout()).at(-1);
  expect(summary.event).toBe('summary');
  expect(summary.granted).toBeGreaterThan(10);
  expect(JSON.parse(readFileSync(report, 'utf8')).summary).toEqual(summary);
});

test('in virtual time the same seed prints the same bytes', async () => {
  const args = [
    'virtual:',
    '--card',
    'a',
    'b',
    'c',
    '--devices',
    '5',
    '--rate',
    '20',
    '--people',
    '100',
    '--faults',
    'all=0.05',
    '--seed',
    'x',
    '--events',
    'all',
  ];
  const [first, second] = [await simulate(...args), await simulate(...args)];
  expect(first.stdout.split('\n').length).toBeGreaterThan(300);
  expect(second.stdout).toBe(first.stdout);
});

test('the Card URL can be given as it is; its key is taken from it and shown nowhere', async () => {
  const run = await simulate(
    `${server.url}/scan/hw/consume?key=${KEY}`,
    '--card',
    'x',
    '--rate',
    '50',
  );
  expect(run.code).toBe(0);
  expect(eventsIn(run.stdout)[0]).toMatchObject({ event: 'start', baseUrl: server.url });
  expect(run.stdout + run.stderr).not.toContain(KEY);
});

test('Ctrl-C ends a run in virtual time and a scenario in real time too', async () => {
  const scenario = join(folder.path, 'long.yaml');
  writeFileSync(scenario, 'name: Long\ndevices: { gate: {} }\ncards: {}\nsteps: [{ wait: 1h }]\n');
  for (const args of [
    ['virtual:', '--card', 'x', '--rate', '100', '--duration', '1000h', '--events', 'none'],
    [server.url, '--key', 'k', '--scenario', scenario],
  ]) {
    const child = spawn(process.execPath, [PROGRAM, 'simulate', '--json', ...args]);
    const stdout = collect(child.stdout);
    await eventually(() => stdout().includes('"event":"')).toBe(true);
    child.kill('SIGINT');
    await once(child, 'close');
    expect(eventsIn(stdout()).at(-1).event).toMatch(/summary|scenarios/);
  }
});

test('a missed threshold is exit code 1 and is named; a met one is 0', async () => {
  const args = [server.url, '--key', 'k', '--card', 'x', '--rate', '50', '--people', '10'];
  const missed = await simulate(...args, '--expect', 'granted=11');
  expect(missed).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('expected granted=11: NO, it is 10'),
  });
  const met = await simulate(...args, '--expect', 'granted=10');
  expect(met).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('expected granted=10: yes'),
  });
});

test('scenarios give a verdict each, JUnit and an exit code', async () => {
  const wrong = join(folder.path, 'wrong.yaml');
  const junit = join(folder.path, 'junit.xml');
  writeFileSync(
    wrong,
    'name: Wrong\ndevices: { gate: {} }\ncards: { a: { state: expired } }\nsteps:\n  - { present: a, at: gate, expect: { result: granted } }\n',
  );
  const good = new URL('../../fixtures/scenarios/power-cut.yaml', import.meta.url).pathname;
  const run = await simulate('virtual:', '--scenario', good, wrong, '--report', `junit=${junit}`);

  expect(run.code).toBe(1);
  expect(eventsIn(run.stdout).at(-1)).toEqual({
    event: 'scenarios',
    passed: 1,
    failed: 1,
    skipped: 0,
  });
  expect(readFileSync(junit, 'utf8')).toContain(
    '<failure message="step 1: result is &quot;denied&quot;',
  );
});

test('in a pipe the lines are for people, and the summary comes last', async () => {
  const run = await program(['simulate', 'virtual:', '--card', 'a', '--seed', '1']);
  expect(run.stdout).toContain('SIM00001  GRANTED in');
  expect(run.stdout).toMatch(/\n1 scan by 1 device in /);
  expect(() => JSON.parse(run.stdout.split('\n')[0] ?? '')).toThrow();
});

test('a trace shows request, card and answer on stderr, and hides the key', async () => {
  const args = ['simulate', server.url, '--key', KEY, '--card', 'TS1.tkt_a.b', '--trace', '--json'];
  const { stdout, stderr } = await program(args);
  expect(stderr).toContain('SIM00001 > POST /scan/hw/consume?key=‹key› HTTP/1.1');
  expect(stderr).toContain('SIM00001 * code of the card: TS1.tkt_a.b');
  expect(stderr).toMatch(/SIM00001 < HTTP 200 after [\d.]+ ms\nSIM00001 < \{"AcsRes":"1"/);
  expect(stdout + stderr).not.toContain(KEY);
  expect(eventsIn(stdout).at(-1)).toMatchObject({ event: 'summary', granted: 1 });
});

test('a trace of a device that a file describes shows the code, not the whole body', async () => {
  const { stderr } = await program([
    ...['simulate', server.url, '--key', KEY, '--card', 'TS1.tkt_a.b', '--trace'],
    ...['--device-file', 'control-id', '--wait-time', '10'],
  ]);
  expect(stderr).toContain(' * code of the card: TS1.tkt_a.b\n');
});

test('a reader that leaves early does not end a run: its report and its thresholds count', async () => {
  const report = join(folder.path, 'left.json');
  const args = [server.url, '--key', 'k', '--card', 'x', '--rate', '100', '--people', '50'];
  const child = spawn(
    process.execPath,
    words`${PROGRAM} simulate ${args} --expect granted=51 --report ${report}`,
  );
  child.stdout.destroy();
  const [code] = await once(child, 'close');
  expect(code).toBe(1);
  expect(JSON.parse(readFileSync(report, 'utf8')).summary.granted).toBe(50);
});

test.each([
  [['--cards', 'fresh', '--key', 'k'], /--cards fresh creates tickets: add --token TOKEN/],
  [['--cards', 'old', '--key', 'k'], /Allowed choices are fresh/],
  [['--cards', 'fresh', '--rate', 'max', '--duration', '1s', '--key', 'k'], /need --people/],
  [
    ['--cards', 'fresh', '--people', '100001', '--key', 'k'],
    /At most 100000 new cards are created, not 100001/,
  ],
])('fresh cards: %j', async (args, message) => {
  const { code, stderr } = await simulate(server.url, ...args);
  expect(stderr).toMatch(message);
  expect(code).toBe(2);
});

const planned = async (...args: string[]) => {
  const command = new Command().argument('[base-url]');
  addSimulateOptions(command as never);
  command.parse([...args, '--card', 'x'], { from: 'user' });
  const { fleet } = await planRun('virtual:', command.opts(), { env: {} } as CliIo);
  return fleet;
};

test.each([
  ['16.1s', 161],
  ['32.2s', 322],
  ['32.3s', 323],
  ['0.3s', 3],
  ['500ms', 5],
  ['30', 30],
])('a Wait Time of %s is %i units of 0.1 s', async (text, units) => {
  expect((await planned('--wait-time', text)).device?.waitTime).toBe(units);
});

test.each([
  [['--wait-time', '3000s'], '--wait-time must be from 0.1 s to 600 s, not "3000s".'],
  [['--wait-time', '16.15s'], '--wait-time must be a multiple of 0.1 s, not "16.15s".'],
  [['--duration', '10'], '--duration must be a duration with its unit, such as 500ms'],
  [['--pass-time', '1h'], '--pass-time must be from 0 s to 600 s, not "1h".'],
  [['--clock-offset', 'soon'], '--clock-offset must be a duration such as 90s or -365d'],
  [['--reader', '256'], '--reader must be a whole number from 0 to 255, not "256".'],
  [['--turn-back', '2'], '--turn-back must be a number from 0 to 1, not "2".'],
  [['--rate', '-1'], '--rate must be max, or a number of people a second above 0'],
])('a value is refused in the words of the option: %j', async (args, message) => {
  await expect(planned(...args)).rejects.toThrow(message);
});

test('at virtual: a fleet without cards gets a card for each person', async () => {
  const { stdout, code } = await program(
    words`simulate virtual: --devices 20 --rate 10 --duration 5s --json`,
  );
  expect(code).toBe(0);
  const [start, summary, ...more] = eventsIn(stdout);
  expect(start).toMatchObject({ event: 'start', devices: 20 });
  expect(summary).toMatchObject({ event: 'summary', errors: 0, denied: 0 });
  expect(summary.granted).toBeGreaterThan(20);
  expect(more).toEqual([]);
});

test('without cards it says that it sends heartbeats only', async () => {
  const run = await program(['simulate', server.url, '--key', 'k', '--duration', '100ms']);
  expect(run.stderr).toContain('No cards: heartbeats only, for 0.1 s.');
});
