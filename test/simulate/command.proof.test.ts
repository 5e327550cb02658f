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
const NOWHERE = 'http://127.0.0.1:1';
const CARD = words`--key k --card x`;
const simulate = (args: readonly string[], env: Record<string, string> = {}) =>
  program(['simulate', '--json', ...args], env);
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

/** A server that gives every post this answer. */
async function answering(status: number, body: string) {
  const started = await plainServer((_request, answer) => answer(status, body));
  return { url: started.url, [Symbol.asyncDispose]: () => started.close() };
}

/** The program as a process of its own, with what it printed so far. */
function spawned(args: readonly string[]) {
  const child = spawn(process.execPath, [PROGRAM, 'simulate', '--json', ...args]);
  return { child, stdout: collect(child.stdout), ended: once(child, 'close') };
}

/** They mostly wait: for doors that close, and for people who come. */
describe.concurrent('a run', () => {
  test('of one card: read from an image, posted, the door opens and closes, the summary comes last', async () => {
    const image = join(folder.path, 'ticket.png');
    await qrcode.toFile(image, 'TS1.tkt_abc123_x.signature');
    const args = words`${server.url} --key env:GATE_KEY --card ${image}`;
    const unset = await simulate(args);
    expect([unset.code, unset.stderr]).toEqual([2, expect.stringContaining('GATE_KEY is not set')]);

    const { code, stdout, stderr } = await simulate(args, { GATE_KEY: KEY });
    expect(code).toBe(0);
    const names = eventsIn(stdout).map(({ event }) => event);
    expect(names.filter((name) => name !== 'heartbeat')).toEqual(
      words`start power-on online read post granted door-open passed door-closed summary`,
    );
    const number = expect.any(Number);
    const percentiles = { p50: number, p90: number, p99: number, p999: number, max: number };
    expect(eventsIn(stdout).at(-1)).toMatchObject({
      event: 'summary',
      scans: 1,
      granted: 1,
      denied: 0,
      errors: 0,
      timeouts: 0,
      latencyMs: percentiles,
      rawLatencyMs: percentiles,
    });
    expect(stdout + stderr).not.toContain(KEY);
  });

  test('of a card that is denied makes exit code 1', async () => {
    await using denying = await answering(
      200,
      '{"AcsRes":"0","ActIndex":"0","Time":"0","Note":"Nein"}',
    );
    expect((await simulate(words`${denying.url} ${CARD} --heartbeat 0`)).code).toBe(1);
  });

  test('at a server that is gone gives up by itself, in one line', async () => {
    const gone = await tcpServer(() => undefined);
    await gone.close();
    const run = await simulate(words`${gone.url} --key ${KEY} --card x --rate 5 --duration 10m`);
    expect([run.code, run.stderr]).toEqual([
      3,
      expect.stringMatching(/^ticketscan: nothing listens at .*\n$/),
    ]);
    expect(run.stderr + run.stdout).not.toContain(KEY);
  });

  test('at one that refuses the key says so', async () => {
    await using refusing = await answering(
      401,
      '{"AcsRes":"0","ActIndex":"0","Time":"0","Note":"Kein Zugriff"}',
    );
    const { code, stderr } = await simulate(words`${refusing.url} ${CARD}`);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^.*refuses the key \(HTTP 401\).*\n$/),
    ]);
  });

  test('at one that is silent says so after the Wait Time', async () => {
    const silent = await tcpServer(() => undefined);
    const { code, stderr } = await simulate(
      words`${silent.url} ${CARD} --wait-time 3 --heartbeat 0`,
    );
    await silent.close();
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(/^.*answered none of 1 posts within the Wait Time.*\n$/),
    ]);
  });

  test('goes on when a server goes away in the middle', async () => {
    let posts = 0;
    const failing = await tcpServer((socket) => {
      socket.on('data', () => {
        posts += 1;
        const body = '{"AcsRes":"1","ActIndex":"0","Time":"0","Note":"Ja"}';
        if (posts > 5) socket.destroy();
        else socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
      });
    });
    const run = await simulate(words`${failing.url} ${CARD} --rate 50 --people 20 --heartbeat 0`);
    await failing.close();
    expect(eventsIn(run.stdout).at(-1)).toMatchObject({ scans: 20, granted: 5, errors: 15 });
  });

  test('goes on when its reader leaves early: its report and its thresholds count', async () => {
    const report = join(folder.path, 'left.json');
    const { child, ended } = spawned(
      words`${server.url} ${CARD} --rate 100 --people 50 --expect granted=51 --report ${report}`,
    );
    child.stdout.destroy();
    expect((await ended)[0]).toBe(1);
    expect(JSON.parse(readFileSync(report, 'utf8')).summary.granted).toBe(50);
  });

  test('with a trace shows request, card and answer on stderr, and hides the key', async () => {
    const { stdout, stderr } = await simulate(
      words`${server.url} --key ${KEY} --card TS1.tkt_a.b --trace`,
    );
    expect(stderr).toContain('SIM00001 > POST /scan/hw/consume?key=‹key› HTTP/1.1');
    expect(stderr).toContain('SIM00001 * code of the card: TS1.tkt_a.b');
    expect(stderr).toMatch(/SIM00001 < HTTP 200 after [\d.]+ ms\nSIM00001 < \{"AcsRes":"1"/);
    expect(stdout + stderr).not.toContain(KEY);
    expect(eventsIn(stdout).at(-1)).toMatchObject({ event: 'summary', granted: 1 });
  });

  test('with a trace of a device that a file describes shows the code, not the whole body', async () => {
    const file = words`--device-file control-id --wait-time 10`;
    const { stderr } = await simulate(
      words`${server.url} --key k --card TS1.tkt_a.b --trace ${file}`,
    );
    expect(stderr).toContain(' * code of the card: TS1.tkt_a.b\n');
  });
});

test('a run ends with the report so far at Ctrl-C', async () => {
  const report = join(folder.path, 'interrupted.json');
  const { child, stdout, ended } = spawned(
    words`${server.url} ${CARD} --rate 100 --duration 10m --report ${report}`,
  );
  await eventually(() => stdout().split('"granted"').length).toBeGreaterThan(20);
  child.kill('SIGINT');
  expect((await ended)[0]).toBe(130);
  const summary = eventsIn(stdout()).at(-1);
  expect(summary.event).toBe('summary');
  expect(summary.granted).toBeGreaterThan(10);
  expect(JSON.parse(readFileSync(report, 'utf8')).summary).toEqual(summary);
});

test('a run ends at Ctrl-C in virtual time, and with a scenario in real time, too', async () => {
  const scenario = join(folder.path, 'long.yaml');
  writeFileSync(scenario, 'name: Long\ndevices: { gate: {} }\ncards: {}\nsteps: [{ wait: 1h }]\n');
  for (const args of [
    words`virtual: --card x --rate 100 --duration 1000h --events none`,
    words`${server.url} --key k --scenario ${scenario}`,
  ]) {
    const { child, stdout, ended } = spawned(args);
    await eventually(() => stdout().includes('"event":"')).toBe(true);
    child.kill('SIGINT');
    await ended;
    expect(eventsIn(stdout()).at(-1).event).toMatch(/summary|scenarios/);
  }
});

test('the Card URL can be given as it is; its key is taken from it and shown nowhere', async () => {
  const cardUrl = `${server.url}/scan/hw/consume?key=${KEY}`;
  const run = await simulate(words`${cardUrl} --card x --rate 50`);
  expect(run.code).toBe(0);
  expect(eventsIn(run.stdout)[0]).toMatchObject({ event: 'start', baseUrl: server.url });
  expect(run.stdout + run.stderr).not.toContain(KEY);
});

test('a missed threshold is exit code 1 and is named; a met one is 0', async () => {
  const args = words`${server.url} ${CARD} --rate 50 --people 10 --expect`;
  const missed = await simulate([...args, 'granted=11']);
  expect([missed.code, missed.stderr]).toEqual([
    1,
    expect.stringContaining('expected granted=11: NO, it is 10'),
  ]);
  expect((await simulate([...args, 'granted=10'])).code).toBe(0);
});

test('scenarios give a verdict each, JUnit and an exit code', async () => {
  const wrong = join(folder.path, 'wrong.yaml');
  const junit = join(folder.path, 'junit.xml');
  writeFileSync(
    wrong,
    'name: Wrong\ndevices: { gate: {} }\ncards: { a: { state: expired } }\nsteps:\n  - { present: a, at: gate, expect: { result: granted } }\n',
  );
  const good = new URL('../../fixtures/scenarios/power-cut.yaml', import.meta.url).pathname;
  const run = await simulate(words`virtual: --scenario ${good} ${wrong} --report junit=${junit}`);

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

test('at virtual: a fleet without cards gets a card for each person', async () => {
  const { stdout, code } = await simulate(words`virtual: --devices 20 --rate 10 --duration 5s`);
  expect(code).toBe(0);
  const [start, summary, ...more] = eventsIn(stdout);
  expect(start).toMatchObject({ event: 'start', devices: 20 });
  expect(summary).toMatchObject({ event: 'summary', errors: 0, denied: 0 });
  expect(summary.granted).toBeGreaterThan(20);
  expect(more).toEqual([]);
});

test('without cards it says that it sends heartbeats only', async () => {
  const run = await program(words`simulate ${server.url} --key k --duration 100ms`);
  expect(run.stderr).toContain('No cards: heartbeats only, for 0.1 s.');
});

test.each([
  [CARD, /Which server\?/],
  [[NOWHERE], /Which key\?/],
  [words`gate --key k`, /"gate" is not a server address/],
  [words`${NOWHERE} --key k --model lift`, /Unknown device model "lift"/],
  [words`${NOWHERE} --key k --rate 5`, /needs cards/],
  [words`${NOWHERE} --key k --duration long`, /--duration must be a duration/],
  [words`${NOWHERE} --key k --card none.png`, /none.png cannot be read/],
  [words`${NOWHERE} ${CARD} --faults fire=1`, /Unknown fault "fire"/],
  [words`${NOWHERE} ${CARD} --expect speed<1`, /"speed<1" is not a threshold/],
  [
    words`${NOWHERE} ${CARD} --report a.pdf`,
    /it must be FORMAT=FILE, with a format of json, pretty/,
  ],
  [
    words`${NOWHERE} ${CARD} --report json=package.json/x`,
    /cannot be written: a part of its path is not a folder/,
  ],
  [words`${NOWHERE} ${CARD} --devices 20000`, /--devices must be a whole number from 1 to 10000/],
  [words`virtual: --scenario none.yaml`, /none.yaml cannot be read/],
  [words`${NOWHERE} --key k --cards fresh`, /--cards fresh creates tickets: add --token TOKEN/],
  [words`${NOWHERE} --key k --cards old`, /--cards must be fresh, not "old"/],
  [words`${NOWHERE} --key k --cards fresh --rate max --duration 1s`, /need --people/],
  [words`${NOWHERE} --key k --cards fresh --people 100001`, /At most 100000 new cards are created/],
])('%j is a usage error that says what to do', async (args, message) => {
  const { code, stderr } = await simulate(args);
  expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  expect(stderr).not.toContain('    at ');
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
  [words`--wait-time 3000s`, '--wait-time must be from 0.1 s to 600 s, not "3000s".'],
  [words`--wait-time 16.15s`, '--wait-time must be a multiple of 0.1 s, not "16.15s".'],
  [words`--duration 10`, '--duration must be a duration with its unit, such as 500ms'],
  [words`--pass-time 1h`, '--pass-time must be from 0 s to 600 s, not "1h".'],
  [words`--clock-offset soon`, '--clock-offset must be a duration such as 90s or -365d'],
  [words`--reader 256`, '--reader must be a whole number from 0 to 255, not "256".'],
  [words`--turn-back 2`, '--turn-back must be a number from 0 to 1, not "2".'],
  [words`--rate -1`, '--rate must be max, or a number of people a second above 0'],
])('a value is refused in the words of the option: %j', async (args, message) => {
  await expect(planned(...args)).rejects.toThrow(message);
});
