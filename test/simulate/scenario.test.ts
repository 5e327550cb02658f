import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { loadDeviceFiles } from '../../src/device-files/load.ts';
import type { DeviceFile } from '../../src/device-files/schema.ts';
import { DeviceFiles } from '../../src/scan/devices/device-files.ts';
import { scenarioJunit } from '../../src/simulate/commands/run-scenarios.ts';
import { modelFromFile } from '../../src/simulate/models/file-model.ts';
import { Endpoint } from '../../src/simulate/network/endpoint.ts';
import { loadScenario, parseScenario } from '../../src/simulate/scenario/load-scenario.ts';
import { playScenario } from '../../src/simulate/scenario/play-scenario.ts';
import { scenarioJsonSchema } from '../../src/simulate/scenario/scenario-schema.ts';
import { RealStage, VirtualStage } from '../../src/simulate/scenario/stages.ts';
import { TestService } from '../support/service.ts';

const folder = new URL('../../fixtures/scenarios/', import.meta.url);
const shipped = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
const play = (text: string) =>
  playScenario(
    parseScenario(text, 'test.yaml'),
    (scenario, seed) => new VirtualStage(scenario, seed),
  );

const HEAD = `
name: Test
devices:
  gate: {}
cards:
  anna: { state: single }
  used: { state: exhausted }
steps:
`;

test('there are at least twelve shipped scenarios', () => {
  expect(shipped.length).toBeGreaterThanOrEqual(12);
});

test.each(shipped)('%s passes in virtual time', async (name) => {
  const scenario = await loadScenario(new URL(name, folder).pathname);
  const result = await playScenario(scenario, (one, seed) => new VirtualStage(one, seed));
  expect(result).toMatchObject({ verdict: 'PASS', failures: [] });
});

/** The first assertion of each shipped scenario, turned into its opposite, must be noticed. */
test.each(shipped)('%s fails when an assertion in it is wrong', async (name) => {
  const text = readFileSync(new URL(name, folder), 'utf8');
  const wrong = text
    .replace(
      /result: (granted|denied|timeout|error)/,
      (_all, result) => `result: ${result === 'granted' ? 'denied' : 'granted'}`,
    )
    .replace(/run: \[(scans|granted)(>?=)(\d+)/, (_all, measure) => `run: [${measure}=99999`)
    .replace("run: ['granted>=", "run: ['granted>=99999");
  expect(wrong).not.toBe(text);
  const result = await play(wrong);
  expect(result.verdict).toBe('FAIL');
});

test('the published JSON Schema is the one that files are checked with', () => {
  const published = JSON.parse(readFileSync(new URL('scenario.schema.json', folder), 'utf8'));
  expect(published).toEqual(scenarioJsonSchema());
});

describe('a mistake in a file is named with its line', () => {
  test.each([
    [
      'an unknown setting',
      `${HEAD}  - wait: 1s\n    foo: 1\n`,
      /test\.yaml:10: .*"foo" is unknown/,
    ],
    [
      'an unknown setting whose value is on the next lines',
      `${HEAD}  - wait: 1s\n    foo:\n      bar: 1\n`,
      /test\.yaml:10: .*"foo" is unknown/,
    ],
    [
      'a step that does not exist',
      `${HEAD}  - dance: 1\n`,
      /test\.yaml:9: a step must have one of: present, wait/,
    ],
    ['a time that is none', `${HEAD}  - wait: soon\n`, /test\.yaml:9: .*a duration must look like/],
    [
      'an unknown card',
      `${HEAD}  - wait: 1s\n  - present: nobody\n    at: gate\n`,
      /test\.yaml:10: unknown card "nobody"; known: anna, used/,
    ],
    ['an unknown device', `${HEAD}  - cutNetwork: door\n`, /test\.yaml:9: unknown device "door"/],
    [
      'a model that does not exist',
      'name: x\ndevices:\n  gate: { model: lift }\ncards: {}\nsteps: [{ wait: 1s }]\n',
      /test\.yaml:3: /,
    ],
    ['broken YAML', 'name: "x\ndevices: {}\n', /test\.yaml:\d+: /],
    [
      'a card that is neither ticket nor text',
      'name: x\ndevices: {}\ncards:\n  a: { uses: 3 }\nsteps: [{ wait: 1s }]\n',
      /test\.yaml:4: .*either a state or a code/,
    ],
  ])('%s', (_what, text, message) => {
    expect(() => parseScenario(text, 'test.yaml')).toThrow(message);
  });
});

describe('a device of a file', () => {
  const [file] = loadDeviceFiles('control-id') as [DeviceFile];
  const modelOf = (name: string) => (name === file.name ? modelFromFile(file) : undefined);
  const TURNED_BACK = `
name: Turned back
devices:
  turnstile: { model: control-id, serial: '47', turnBack: 1, passTime: 1ms, antiRepeat: 0ms, readTime: 0ms, heartbeat: 0s }
cards:
  single: { state: single }
steps:
  - { present: single, at: turnstile, expect: { result: granted, relay: clockwise } }
  - wait: 150ms
  - { present: single, at: turnstile, expect: { result: denied, note: Ticket erschöpft } }
`;
  const parsed = parseScenario(TURNED_BACK, 'test.yaml', ['control-id']);

  test('plays on a real server: the use of who turns back stays taken', async () => {
    await using service = await TestService.start({
      store: 'memory',
      deviceFiles: new DeviceFiles([file]),
    });
    const key = service.key('hardware');
    await service.administration.keys.edit(key, { device: 'control-id' });
    const endpoint = new Endpoint({ baseUrl: service.url, key });
    const code = await service.mint();
    const pool = new Map([['single', [{ code, label: 'single' }]]]);
    const stage = new RealStage(parsed, { endpoint, pool, hooks: new Map() });
    expect((await playScenario(parsed, () => stage, { modelOf })).failures).toEqual([]);
  });

  test('is skipped in virtual time, and unknown without its file', async () => {
    const skipped = await playScenario(parsed, (one, seed) => new VirtualStage(one, seed), {
      modelOf,
    });
    expect(skipped.verdict).toBe('SKIP');
    expect(skipped.reason).toContain('"control-id": give the address of a real server');
    expect(() => parseScenario(TURNED_BACK, 'test.yaml')).toThrow(
      /test\.yaml:4: unknown device model "control-id"; .* --device-file FILE/,
    );
  });
});

test('a failure says at which step, what was seen and what was expected', async () => {
  const result = await play(
    `${HEAD}  - wait: 1s\n  - present: used\n    at: gate\n    expect: { result: granted, note: Hallo }\n`,
  );
  expect(result.failures).toEqual([
    { step: 2, what: 'result is "denied", expected "granted"' },
    { step: 2, what: 'note is "Ticket erschöpft", expected "Hallo"' },
  ]);
});

test('the verdicts make JUnit XML, in which special characters are escaped', async () => {
  const passed = await play(
    `${HEAD}  - present: anna\n    at: gate\n    expect: { result: granted }\n`,
  );
  const failed = await play(
    `${HEAD.replace('Test', '"A < B & \\"C\\""')}  - expect: { device: gate, name: '<x>' }\n`,
  );
  const skipped = { ...passed, verdict: 'SKIP' as const, reason: 'no "hook"' };
  const xml = scenarioJunit([passed, failed, skipped]);

  expect(xml).toContain('<testsuite name="scenarios" tests="3" failures="1" errors="0"');
  expect(xml).toMatch(/<testsuite [^>]* skipped="1"/);
  expect(xml).toContain('<failure message="step 1: gate: ');
  expect(xml).toContain('name="A &lt; B &amp; &quot;C&quot;"');
  expect(xml).toContain('step 1: gate: name is &quot;&quot;, expected &quot;&lt;x&gt;&quot;');
  expect(xml).toContain('<skipped message="no &quot;hook&quot;"/>');
});

test('the same scenario with the same seed tells the same events', async () => {
  const events = async () => {
    const lines: string[] = [];
    const scenario = await loadScenario(new URL('restart-in-rush.yaml', folder).pathname);
    await playScenario(scenario, (one, seed) => new VirtualStage(one, seed), {
      listener: (event) => lines.push(JSON.stringify(event)),
    });
    return lines.join('\n');
  };
  expect(await events()).toBe(await events());
});

/** Each level stands nine times for the one before: nine to the power of eight at the end. */
const LAUGHS = [...'bcdefgh'].reduce(
  (text, name, at) => `${text}${name}: &${name} [${`*${'abcdefgh'[at]},`.repeat(9)}]\n`,
  'a: &a [x,x,x,x,x,x,x,x,x]\n',
);

test.each([
  ['aliases that multiply', LAUGHS, /aliases cannot be resolved/],
  ['an alias of nothing', 'name: *nope\n', /aliases cannot be resolved.*nope/],
  ['an alias of itself', 'name: &a [*a]\n', /^test\.yaml:1: name:/],
  ['deep lists', '['.repeat(20_000), /^test\.yaml:1: it is nested too deeply$/],
  ['deep maps', '{a: '.repeat(20_000), /^test\.yaml:1: it is nested too deeply$/],
])('a file with %s is refused as a wrong one', (_what, text, message) => {
  const refused = () => parseScenario(text, 'test.yaml');
  expect(refused).toThrow(expect.objectContaining({ name: 'SimulateError' }));
  expect(refused).toThrow(expect.objectContaining({ message: expect.stringMatching(message) }));
});

test('a scenario file is at most 64 KiB, so that reading one takes no minutes', async () => {
  const { mkdtempSync, rmSync, writeFileSync } = await import('node:fs');
  const { tmpdir } = await import('node:os');
  const place = mkdtempSync(`${tmpdir()}/ticketscan-scenario-`);
  const keys = Array.from({ length: 120_000 }, (_, index) => `k${index}: 1`).join('\n');
  writeFileSync(`${place}/large.yaml`, keys);
  await expect(loadScenario(`${place}/large.yaml`)).rejects.toThrow('larger than 64 KiB');
  rmSync(place, { recursive: true });
});
