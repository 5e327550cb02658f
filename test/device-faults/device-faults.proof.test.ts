import { afterAll, describe, expect, test } from 'vitest';
import {
  type CheckResult,
  checkDevice,
  type DeviceCheckOptions,
  type Subject,
} from '../../src/check/index.ts';
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
import { ANSWER_MS, HONEST_PROGRAM, type Program, programSubject } from './program.ts';
import { PROGRAM_FAULTS } from './program-faults.ts';

/** Sessions mostly wait: so many at a time keep no core busy. */
const AT_ONCE = 40;
const AGAIN_AT_ONCE = 4;
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

/** Each fault is looked for among these, too: they judge scenes that take milliseconds. */
const QUICK: Readonly<Record<DeviceCheckOptions['kind'], readonly string[]>> = {
  device: [
    '4.3/device-posts-card',
    '4.3/device-card-url',
    '5/device-key-in-query',
    '5/device-key-only-there',
    '2.4/device-card-body',
    '2.4/device-card-content',
    '2.4/device-long-code',
    '4.6/device-consumes',
    '4.6/device-admits-after-denial',
    '2.4/device-opens-without-name',
    '2.4/device-base64',
    '2.4/device-field-types',
    '2.4/device-serial',
    '2.4/device-reader',
    '4.6/device-opens-on-grant',
    '4.6/device-opens-on-1-only',
    '4.6/device-never-opens-by-itself',
    '7.3/device-shut-on-denial',
    '5/device-shut-on-401',
    '5/device-shut-on-403',
    '8/device-shut-on-429',
    '7.3/device-shows-note',
    '2.4/device-shows-name',
    '3.2/device-posts-once',
  ],
  client: [
    '4.6/client-sends-ticket',
    '4/client-path',
    '5/client-key-header',
    '5/client-key-only-there',
    '4.1/client-content-type',
    '4.1/client-body',
    '4.1/client-whole-code',
    '4.1/client-long-code',
    '4.6/client-opens-on-last-use',
    '4.6/client-admits-after-denial',
    '4.6/client-consumes',
    '3.2/client-used-meanwhile',
    '7.1/client-accepts-4xx',
    '4.6/client-opens-on-valid',
    '4.6/client-opens-on-true-only',
    '4.6/client-never-opens-by-itself',
    '7.1/client-reads-valid',
    '5/client-denies-on-403',
    '7.1/client-denies-on-404',
    '4.6/client-shows-message',
    '3.2/client-consumes-once',
  ],
};

/** `DEVICE_FAULTS=all` looks for each fault in every case, which takes a minute. */
const IN_ALL_CASES = process.env['DEVICE_FAULTS'] === 'all';

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

const TICK_MS = 10;
/** Half of the time in which a device must react. */
const STALL_MS = 30;
const TRIES_MAX = 3;

/** When this process stood still for a moment, and every device in it. */
let stoodStillAt = -Infinity;
let tickedAt = performance.now();
const watch = setInterval(() => {
  const now = performance.now();
  if (now - tickedAt > TICK_MS + STALL_MS) stoodStillAt = now;
  tickedAt = now;
}, TICK_MS);
afterAll(() => clearInterval(watch));

type Turn = () => Promise<void>;
const queue: Turn[] = [];
/** What is played again waits until the others are through. */
const again: Turn[] = [];
let running = 0;

function runTurns(): void {
  const next = queue.length > 0 ? queue : again;
  const most = queue.length > 0 ? AT_ONCE : AGAIN_AT_ONCE;
  while (running < most && next.length > 0) {
    running += 1;
    void next
      .shift()?.()
      .finally(() => {
        running -= 1;
        runTurns();
      });
  }
}

/**
 * The result of a session, once it had its turn. Who stands still looks like a slow device, so a session that shows anything else than
 * it should is played again if this process did; no other one is.
 */
function played(
  subject: () => Subject,
  options: DeviceCheckOptions,
  caughtBy: readonly string[],
): Promise<CheckResult> {
  const { promise, resolve, reject } = Promise.withResolvers<CheckResult>();
  const play = async (tries: number): Promise<void> => {
    const startedAt = performance.now();
    const result = await checkDevice({ ...options, subject: subject() });
    const isExpected = faultsIn(result).join() === caughtBy.join();
    if (isExpected || stoodStillAt < startedAt || tries === TRIES_MAX) resolve(result);
    else again.push(() => play(tries + 1).catch(reject));
  };
  queue.push(() => play(1).catch(reject));
  setImmediate(runTurns);
  return promise;
}

/** The ids of the findings, the most dangerous first. */
function faultsIn({ findings }: CheckResult): string[] {
  return findings.map(({ id }) => id);
}

function lookedFor(
  options: DeviceCheckOptions,
  { caughtBy, plays = [] }: Fault<unknown>,
): DeviceCheckOptions {
  return IN_ALL_CASES
    ? options
    : { ...options, only: [...QUICK[options.kind], ...caughtBy, ...plays] };
}

interface Planted {
  readonly name: string;
  readonly caughtBy: readonly string[];
  readonly result: Promise<CheckResult>;
}

function planted<Behaviour>(
  faults: readonly Fault<Behaviour>[],
  subjectWith: (change: Partial<Behaviour>) => Subject,
  options: DeviceCheckOptions,
): Planted[] {
  const honest = { name: 'that does everything right', caughtBy: [] };
  return [
    { ...honest, result: played(() => subjectWith({}), options, []) },
    ...faults.map((fault) => {
      const { does, caughtBy, change } = fault;
      const result = played(() => subjectWith(change), lookedFor(options, fault), caughtBy);
      return { name: `that ${does}`, caughtBy, result };
    }),
  ];
}

const certificates = Promise.all([
  makeSelfSigned(['127.0.0.1']),
  makeSelfSigned(['127.0.0.1']),
]).then(([certificate, untrusted]) => ({ certificate, ca: certificate.cert, untrusted }));

const asController = (change: Partial<Controller>) => controllerSubject({ ...HONEST, ...change });
const asProgram = (change: Partial<Program>) => programSubject({ ...HONEST_PROGRAM, ...change });
const byFile = (honest: Controller) => (change: Partial<Controller>) =>
  controllerSubject({ ...honest, ...change });
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
const SETTINGS = (
  [
    {
      name: 'a controller that opens without an answer, as it is set to',
      subject: () => asController(opensUnanswered),
      options: { ...DEVICE, ...IN_FAIL_MODE },
    },
    {
      name: 'a controller that opens without a decision, as it is set to',
      subject: () => asController(opensAlways),
      options: { ...DEVICE, ...IN_FAIL_MODE },
    },
    {
      name: 'a controller that stays shut without an answer, and is set to open',
      subject: () => asController({}),
      options: STUBBORN,
      caughtBy: ['7.3/device-no-answer'],
    },
    {
      name: 'a turnstile that opens without a decision of its file, as it is set to',
      subject: () => asTurnstile(knowsTwoEvents),
      options: { ...TURNSTILE, ...IN_FAIL_MODE },
    },
    {
      name: 'a program that validates first, also when it has to wait',
      subject: () => asProgram({ validatesFirst: true }),
      options: { ...PROGRAM, only: ['7.2/*', '4.6/client-consumes'] },
    },
    {
      name: 'a program that has a timer that ends a little early',
      subject: () => asProgram(early),
      options: { ...PROGRAM, only: ['7.2/*'] },
    },
  ] satisfies Setting[]
).map(({ name, subject, options, caughtBy = [] }: Setting) => ({
  name,
  caughtBy,
  result: played(subject, options, caughtBy),
}));

interface Setting {
  readonly name: string;
  readonly subject: () => Subject;
  readonly options: DeviceCheckOptions;
  readonly caughtBy?: readonly string[];
}

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
    result: certificates.then((tls) =>
      played(() => as(change), { ...options, tls, only: [id] }, caughtBy),
    ),
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
  certificates: TRUSTING,
};

describe.each(Object.entries(ALL))('%s', (_, sessions) => {
  test.each(sessions)('$name', async ({ result, caughtBy }) => {
    expect(faultsIn(await result)).toEqual(caughtBy);
  });
});

test.each(SETTINGS.slice(0, 2))('$name, passes the case', async ({ result }) => {
  const one = (await result).cases.find(({ id }) => id === '7.3/device-no-answer');
  expect(one?.outcome).toBe('passed');
});

test('posts after an answer that leaves a use open fail, and a program that never repeats after 429 is a warning', async () => {
  const [flood, giveUp] = ['8/device-does-not-flood', '7.2/client-waits-on-429'];
  const floods = () => asController({ repeats: (_answer, tries) => tries < 5 });
  const device = await played(floods, { ...DEVICE, only: [flood] }, [flood]);
  expect(device.findings).toMatchObject([{ outcome: 'failed', isDangerous: true }]);
  const givesUp = () => asProgram({ retryMs: () => undefined });
  const client = await played(givesUp, { ...PROGRAM, only: [giveUp] }, [giveUp]);
  expect(client.findings).toMatchObject([{ outcome: 'warned' }]);
});

test('a short wait after 429 is a warning, and a program that repeats at once each time fails', async () => {
  const only = ['7.2/client-waits-on-429', '7.2/client-waits-without-retry-after'];
  const after = (waitMs: (tries: number) => number) => () =>
    asProgram({
      retryMs: (answer, tries) =>
        tries < 6 && typeof answer !== 'string' && answer.status === 429
          ? waitMs(tries)
          : undefined,
    });
  const outcomes = async (waitMs: (tries: number) => number) => {
    const { findings } = await played(after(waitMs), { ...PROGRAM, only }, only);
    return findings.map(({ id, outcome }) => [id, outcome]);
  };
  expect(await outcomes(() => 0)).toEqual([[only[0], 'failed']]);
  expect(await outcomes(() => 1000)).toEqual([[only[0], 'warned']]);
});

test('a session that is interrupted skips what it did not play to its end', async () => {
  const stop = new AbortController();
  const result = await checkDevice({
    ...DEVICE,
    subject: asController({}),
    only: ['4.5/*', '4.6/device-opens-on-grant'],
    signal: stop.signal,
    onScene: (scene) => {
      if (scene === 'heartbeats') setTimeout(() => stop.abort(), 50);
    },
  });
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
  const subject = asProgram({ url: ({ baseUrl }) => `${baseUrl}/scan/validate` });
  const { notes } = await checkDevice({ ...PROGRAM, subject, only: ['4.6/client-sends-ticket'] });
  expect(notes).toEqual([
    'It only ever validates. That takes no use: one ticket admits any number of people.',
  ]);
});

test('there are at least forty faults, and each names its case', () => {
  const all = [...CONTROLLER_FAULTS, ...PROGRAM_FAULTS];
  expect(all.length).toBeGreaterThanOrEqual(40);
  for (const { does, caughtBy } of all) expect([does, caughtBy.length > 0]).toEqual([does, true]);
});
