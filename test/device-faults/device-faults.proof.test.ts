import { describe, expect, test } from 'vitest';
import { checkDeviceIn } from '../../src/check/device/check-device.ts';
import type { Subject } from '../../src/check/index.ts';
import { type CheckResult, checkDevice, type DeviceCheckOptions } from '../../src/check/index.ts';
import { makeSelfSigned } from '../../src/serve/certificate.ts';
import {
  ANTI_REPEAT_MS,
  type Controller,
  controllerSubject,
  HEARTBEAT_MS,
  HONEST,
  WAIT_MS,
} from './controller.ts';
import { CONTROLLER_FAULTS } from './controller-faults.ts';
import type { Fault } from './fault.ts';
import { HONEST_BOOTH, HONEST_TURNSTILE, resultIn } from './file-devices.ts';
import { BOOTH_FAULTS, TURNSTILE_FAULTS } from './file-faults.ts';
import type { Answer, NoAnswer } from './http-post.ts';
import { virtualPlace } from './memory-network.ts';
import { HERE, type Place } from './place.ts';
import { ANSWER_MS, HONEST_PROGRAM, type Program, programSubject } from './program.ts';
import { PROGRAM_FAULTS } from './program-faults.ts';

const SHORT = { reactionMs: 60, heartbeatMs: HEARTBEAT_MS, antiRepeatMs: ANTI_REPEAT_MS };
const DEVICE: DeviceCheckOptions = {
  ...SHORT,
  kind: 'device',
  model: 'access-controller',
  waitTimeMs: WAIT_MS,
  openSeconds: [0.8, 1.8],
  bootMs: 400,
  // A setting, not what the device does; it is short here.
  skip: ['7.3/device-wait-time'],
};
const { model: _, ...OF_A_FILE } = DEVICE;
const CONTROL_ID = 'fixtures/device-files/control-id.yaml';
const PROGRAM: DeviceCheckOptions = { ...SHORT, kind: 'client', waitTimeMs: ANSWER_MS + 200 };

const FAIL_MODE_CASES = [
  '4.3/device-malformed-answer',
  '4.3/device-web-page',
  '4.6/device-opens-on-1-only',
  '7.1/device-shut-on-500-grant',
  '7.1/device-cut-answer',
  '7.3/device-no-answer',
  '7.3/device-remembers-no-admission',
  '7.3/device-unreachable',
];

/** What a session judges, and where it stands. */
type MakeSubject = (place: Place) => Subject;

/** The result of a session in which seconds pass as soon as everybody waits. */
async function played(subject: MakeSubject, options: DeviceCheckOptions): Promise<CheckResult> {
  const { time, world, place } = virtualPlace();
  return time.run(checkDeviceIn(world, { ...options, subject: subject(place) }));
}

/** The ids of the findings, the most dangerous first. */
function faultsIn({ findings }: CheckResult): string[] {
  return findings.map(({ id }) => id);
}

interface Planted {
  readonly name: string;
  readonly caughtBy: readonly string[];
  readonly subject: MakeSubject;
  readonly options: DeviceCheckOptions;
}

function planted<Behaviour>(
  faults: readonly Fault<Behaviour>[],
  subjectWith: (change: Partial<Behaviour>, place: Place) => Subject,
  options: DeviceCheckOptions,
): Planted[] {
  const honest = { does: 'does everything right', caughtBy: [], change: {} };
  return [honest, ...faults].map(({ does, caughtBy, change }) => ({
    name: `that ${does}`,
    caughtBy,
    subject: (place) => subjectWith(change, place),
    options,
  }));
}

const certificates = Promise.all([
  makeSelfSigned(['127.0.0.1']),
  makeSelfSigned(['127.0.0.1']),
]).then(([certificate, untrusted]) => ({ certificate, ca: certificate.cert, untrusted }));

const asController = (change: Partial<Controller>, place: Place) =>
  controllerSubject({ ...HONEST, ...change }, place);
const asProgram = (change: Partial<Program>, place: Place) =>
  programSubject({ ...HONEST_PROGRAM, ...change }, place);
const byFile = (honest: Controller) => (change: Partial<Controller>, place: Place) =>
  controllerSubject({ ...honest, ...change }, place);
const asTurnstile = byFile(HONEST_TURNSTILE);
const TURNSTILE = { ...OF_A_FILE, deviceFile: CONTROL_ID };
const BOOTH = { ...OF_A_FILE, deviceFile: 'test/device-faults/booth.yaml' };

const opensAlways = { failsOpen: () => true };
const opensUnanswered = {
  failsOpen: (answer: Answer | NoAnswer) => typeof answer === 'string',
};
const STUBBORN = { ...DEVICE, failMode: 'safe', only: ['7.3/device-no-answer'] } as const;
const IN_FAIL_MODE = { failMode: 'safe', only: FAIL_MODE_CASES } as const;
/** Takes a decision that its file does not know for none. */
const knowsTwoEvents: Partial<Controller> = {
  ...opensAlways,
  decide: (answer) =>
    [6, 7].includes(Number(resultIn(answer)?.event)) ? HONEST_TURNSTILE.decide(answer) : undefined,
};

const EARLY_MS = 60;
/** A timer that ends a little early. */
const early: Partial<Program> = {
  retryMs(answer, tries) {
    const ms = HONEST_PROGRAM.retryMs(answer, tries);
    return ms !== undefined && ms > 1000 ? ms - EARLY_MS : ms;
  },
};

/** What a subject is set to, or what it is free to do. */
const SETTINGS: readonly Planted[] = [
  {
    name: 'a controller that opens without an answer, as it is set to',
    caughtBy: [],
    subject: (place) => asController(opensUnanswered, place),
    options: { ...DEVICE, ...IN_FAIL_MODE },
  },
  {
    name: 'a controller that opens without a decision, as it is set to',
    caughtBy: [],
    subject: (place) => asController(opensAlways, place),
    options: { ...DEVICE, ...IN_FAIL_MODE },
  },
  {
    name: 'a controller that stays shut without an answer, and is set to open',
    caughtBy: ['7.3/device-no-answer'],
    subject: (place) => asController({}, place),
    options: STUBBORN,
  },
  {
    name: 'a turnstile that opens without a decision of its file, as it is set to',
    caughtBy: [],
    subject: (place) => asTurnstile(knowsTwoEvents, place),
    options: { ...TURNSTILE, ...IN_FAIL_MODE },
  },
  {
    name: 'a program that validates first, also when it has to wait',
    caughtBy: [],
    subject: (place) => asProgram({ validatesFirst: true }, place),
    options: { ...PROGRAM, only: ['7.2/*', '4.6/client-consumes'] },
  },
  {
    name: 'a program that has a timer that ends a little early',
    caughtBy: [],
    subject: (place) => asProgram(early, place),
    options: { ...PROGRAM, only: ['7.2/*'] },
  },
];

/** These are over sockets, in the time of this machine. */
const TRUSTING = (
  [
    ['device', asController, DEVICE],
    ['client', asProgram, PROGRAM],
  ] as const
).flatMap(([kind, as, options]) => {
  const id = `1/${kind}-https`;
  return [
    { does: 'verifies certificates', change: { trustsAll: false }, caughtBy: [] },
    { does: 'trusts any certificate', change: { trustsAll: true }, caughtBy: [id] },
    {
      does: 'opens where it trusts no certificate',
      change: { trustsAll: false, ...opensAlways },
      caughtBy: [id],
    },
  ].map(({ does, change, caughtBy }) => ({
    name: `a ${kind} that ${does}`,
    caughtBy,
    subject: () => as(change, HERE),
    options: { ...options, only: [id] },
  }));
});

const ALL: Readonly<Record<string, readonly Planted[]>> = {
  'a controller': planted(CONTROLLER_FAULTS, asController, DEVICE),
  'a turnstile that a device file describes': planted(TURNSTILE_FAULTS, asTurnstile, TURNSTILE),
  'a reader that a device file without simulate describes': planted(
    BOOTH_FAULTS,
    byFile(HONEST_BOOTH),
    BOOTH,
  ),
  'a program': planted(PROGRAM_FAULTS, asProgram, PROGRAM),
  settings: SETTINGS,
};

describe.each(Object.entries(ALL))('%s', (_, sessions) => {
  test.each(sessions)('$name', async ({ subject, options, caughtBy }) => {
    expect(faultsIn(await played(subject, options))).toEqual(caughtBy);
  });
});

describe('over TLS, and sockets of this machine', () => {
  test.each(TRUSTING)('$name', async ({ subject, options, caughtBy }) => {
    const tls = await certificates;
    const result = await checkDevice({ ...options, tls, subject: subject() });
    expect(faultsIn(result)).toEqual(caughtBy);
  });
});

test.each(SETTINGS.slice(0, 2))('$name, passes the case', async ({ subject, options }) => {
  const { cases } = await played(subject, options);
  expect(cases.find(({ id }) => id === '7.3/device-no-answer')?.outcome).toBe('passed');
});

test('posts after an answer that leaves a use open fail, and a program that never repeats after 429 is a warning', async () => {
  const [flood, giveUp] = ['8/device-does-not-flood', '7.2/client-waits-on-429'];
  const floods = (place: Place) => asController({ repeats: (_answer, tries) => tries < 5 }, place);
  const device = await played(floods, { ...DEVICE, only: [flood] });
  expect(device.findings).toMatchObject([{ outcome: 'failed', isDangerous: true }]);
  const givesUp = (place: Place) => asProgram({ retryMs: () => undefined }, place);
  const client = await played(givesUp, { ...PROGRAM, only: [giveUp] });
  expect(client.findings).toMatchObject([{ outcome: 'warned' }]);
});

test('a short wait after 429 is a warning, and a program that repeats at once each time fails', async () => {
  const only = ['7.2/client-waits-on-429', '7.2/client-waits-without-retry-after'];
  const after = (waitMs: (tries: number) => number) => (place: Place) =>
    asProgram(
      {
        retryMs: (answer, tries) =>
          tries < 6 && typeof answer !== 'string' && answer.status === 429
            ? waitMs(tries)
            : undefined,
      },
      place,
    );
  const outcomes = async (waitMs: (tries: number) => number) => {
    const { findings } = await played(after(waitMs), { ...PROGRAM, only });
    return findings.map(({ id, outcome }) => [id, outcome]);
  };
  expect(await outcomes(() => 0)).toEqual([[only[0], 'failed']]);
  expect(await outcomes(() => 1000)).toEqual([[only[0], 'warned']]);
});

test('a door that opens on its own late admission is told so, though an admission shortly before the Wait Time came first', async () => {
  const only = ['7.3/device-waits', '7.3/device-late-grant'];
  const patient = (place: Place) => asController({ waitMs: 3 * HONEST.waitMs }, place);
  const { findings } = await played(patient, { ...DEVICE, only });
  expect(findings).toMatchObject([
    { id: '7.3/device-late-grant', cause: expect.stringContaining('after the Wait Time') },
  ]);
});

test('a door that shows an earlier answer where it gets none is told that it keeps it, and no setting', async () => {
  const only = ['7.3/device-no-answer'];
  const keeping = (place: Place) => asController({ goesByTheLast: true }, place);
  const { findings } = await played(keeping, { ...DEVICE, only });
  expect(findings).toMatchObject([
    { id: '7.3/device-no-answer', cause: expect.stringContaining('keeps its last admission') },
  ]);
});

test('a session that is interrupted skips what it did not play to its end', async () => {
  const stop = new AbortController();
  const { time, world, place } = virtualPlace();
  const session = checkDeviceIn(world, {
    ...DEVICE,
    subject: asController({}, place),
    only: ['4.5/*', '4.6/device-opens-on-grant'],
    signal: stop.signal,
    onScene: (scene) => {
      if (scene === 'heartbeats') time.after(50, () => stop.abort());
    },
  });
  const result = await time.run(session);
  expect(faultsIn(result)).toEqual([]);
  const regular = result.cases.find(({ id }) => id === '4.5/device-heartbeat-regular');
  expect([regular?.outcome, regular?.reason]).toEqual([
    'skipped',
    'the session ended before its scene "heartbeats" was over',
  ]);
  const opens = result.cases.find(({ id }) => id === '4.6/device-opens-on-grant');
  expect(opens?.outcome).toBe('passed');
});

test('the report says of a gate that only validates what that means', async () => {
  const validates = (place: Place) =>
    asProgram({ url: ({ baseUrl }) => `${baseUrl}/scan/validate` }, place);
  const { notes } = await played(validates, { ...PROGRAM, only: ['4.6/client-sends-ticket'] });
  expect(notes).toEqual([
    'It only ever validates. That takes no use: one ticket admits any number of people.',
  ]);
});

test('there are at least forty faults, and each names its case', () => {
  const all = [...CONTROLLER_FAULTS, ...PROGRAM_FAULTS];
  expect(all.length).toBeGreaterThanOrEqual(40);
  for (const { does, caughtBy } of all) expect([does, caughtBy.length > 0]).toEqual([does, true]);
});
