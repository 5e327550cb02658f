import { beforeAll, describe, expect, test } from 'vitest';
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
import { CONTROLLER_FAULTS, type Fault } from './controller-faults.ts';
import { HONEST_BOOTH, HONEST_TURNSTILE, resultIn } from './file-devices.ts';
import { BOOTH_FAULTS, TURNSTILE_FAULTS } from './file-faults.ts';
import type { Answer, NoAnswer } from './http-post.ts';
import { ANSWER_MS, HONEST_PROGRAM, type Program, programSubject } from './program.ts';
import { PROGRAM_FAULTS } from './program-faults.ts';

/** Sessions mostly wait: so many at a time keep no core busy. */
const AT_ONCE = 40;
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

/** A session whose turn comes. */
type Session = () => Promise<void>;
const queue: Session[] = [];

/**
 * The cases that fail or warn, once the session had its turn. A machine that stalls for half a second looks like a slow device: a
 * session that shows anything else than `caughtBy` is played once more.
 */
function found(
  subject: () => Subject,
  options: DeviceCheckOptions,
  caughtBy: readonly string[],
): Promise<string[]> {
  const { promise, resolve, reject } = Promise.withResolvers<string[]>();
  const play = async () => faultsIn(await checkDevice({ ...options, subject: subject() }));
  queue.push(() =>
    play()
      .then((ids) => (ids.join() === caughtBy.join() ? ids : play()))
      .then(resolve, reject),
  );
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
  readonly found: Promise<string[]>;
}

function planted<Behaviour>(
  faults: readonly Fault<Behaviour>[],
  subjectWith: (change: Partial<Behaviour>) => Subject,
  options: DeviceCheckOptions,
): Planted[] {
  const honest = found(() => subjectWith({}), options, []);
  const faulty = faults.map((fault) => {
    const { caughtBy } = fault;
    const subject = () => subjectWith(fault.change);
    const name = `that ${fault.does}`;
    return { name, caughtBy, found: found(subject, lookedFor(options, fault), caughtBy) };
  });
  return [{ name: 'that does everything right', caughtBy: [], found: honest }, ...faulty];
}

const asController = (change: Partial<Controller>) => controllerSubject({ ...HONEST, ...change });
const asProgram = (change: Partial<Program>) => programSubject({ ...HONEST_PROGRAM, ...change });
const controllers = planted(CONTROLLER_FAULTS, asController, DEVICE);
const turnstiles = planted(
  TURNSTILE_FAULTS,
  (change) => controllerSubject({ ...HONEST_TURNSTILE, ...change }),
  { ...OF_A_FILE, deviceFile: CONTROL_ID },
);
const booths = planted(
  BOOTH_FAULTS,
  (change) => controllerSubject({ ...HONEST_BOOTH, ...change }),
  { ...OF_A_FILE, deviceFile: 'test/device-faults/booth.yaml' },
);
const programs = planted(PROGRAM_FAULTS, asProgram, PROGRAM);

beforeAll(() => {
  const turns = queue.values();
  for (let worker = 0; worker < AT_ONCE; worker += 1) {
    void (async () => {
      for (const session of turns) await session();
    })();
  }
});

describe('a controller', { timeout: 90_000 }, () => {
  test.each(controllers)('$name', async ({ found: ids, caughtBy }) => {
    expect(await ids).toEqual(caughtBy);
  });
});

describe('a turnstile that a device file describes', { timeout: 90_000 }, () => {
  test.each(turnstiles)('$name', async ({ found: ids, caughtBy }) => {
    expect(await ids).toEqual(caughtBy);
  });
});

describe('a reader that a device file without simulate describes', { timeout: 90_000 }, () => {
  test.each(booths)('$name', async ({ found: ids, caughtBy }) => {
    expect(await ids).toEqual(caughtBy);
  });
});

describe('a program', { timeout: 90_000 }, () => {
  test.each(programs)('$name', async ({ found: ids, caughtBy }) => {
    expect(await ids).toEqual(caughtBy);
  });
});

test.each([
  ['device', asController, DEVICE],
  ['client', asProgram, PROGRAM],
] as const)('a %s that trusts any certificate', { timeout: 90_000 }, async (kind, as, options) => {
  const [certificate, untrusted] = await Promise.all([
    makeSelfSigned(['127.0.0.1']),
    makeSelfSigned(['127.0.0.1']),
  ]);
  const tls = { certificate, ca: certificate.cert, untrusted };
  const id = `1/${kind}-https`;
  const check = async (change: { trustsAll: boolean; failsOpen?: () => boolean }) =>
    faultsIn(await checkDevice({ ...options, tls, only: [id], subject: as(change) }));
  expect(await check({ trustsAll: false })).toEqual([]);
  expect(await check({ trustsAll: true })).toEqual([id]);
  expect(await check({ trustsAll: false, failsOpen: () => true })).toEqual([id]);
});

test.each([
  ['stays shut on', (answer: Answer | NoAnswer) => typeof answer === 'string'],
  ['opens on', () => true],
] as const)(
  'a controller that opens without an answer, and %s one that is no decision, does what it is set to',
  { timeout: 90_000 },
  async (_does, failsOpen) => {
    const result = await checkDevice({
      ...DEVICE,
      failMode: 'safe',
      only: FAIL_MODE_CASES,
      subject: asController({ failsOpen }),
    });
    expect(faultsIn(result)).toEqual([]);
    expect(result.cases.find(({ id }) => id === '7.3/device-no-answer')?.outcome).toBe('passed');
    const stubborn = { ...DEVICE, failMode: 'safe', only: ['7.3/device-no-answer'] } as const;
    const shut = await checkDevice({ ...stubborn, subject: asController({}) });
    expect(faultsIn(shut)).toEqual(['7.3/device-no-answer']);
  },
);

test('a turnstile that opens without an answer may take a decision that its file does not know for none', {
  timeout: 90_000,
}, async () => {
  const subject = controllerSubject({
    ...HONEST_TURNSTILE,
    decide: (answer) =>
      [6, 7].includes(Number(resultIn(answer)?.event))
        ? HONEST_TURNSTILE.decide(answer)
        : undefined,
    failsOpen: () => true,
  });
  const result = await checkDevice({
    ...{ ...OF_A_FILE, deviceFile: CONTROL_ID, failMode: 'safe', only: FAIL_MODE_CASES },
    subject,
  });
  expect(faultsIn(result)).toEqual([]);
  expect(result.cases.find(({ id }) => id === '7.3/device-no-answer')?.outcome).toBe('passed');
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

const EARLY_MS = 60;

test.each<[string, Partial<Program>, string[]]>([
  [
    'validates first, also when it has to wait',
    { validatesFirst: true },
    ['7.2/*', '4.6/client-consumes'],
  ],
  [
    'has a timer that ends a little early',
    {
      retryMs: (answer, tries) => {
        const ms = HONEST_PROGRAM.retryMs(answer, tries);
        return ms !== undefined && ms > 1000 ? ms - EARLY_MS : ms;
      },
    },
    ['7.2/*'],
  ],
])('a program that %s does nothing wrong', { timeout: 90_000 }, async (_does, change, only) => {
  expect(faultsIn(await checkDevice({ ...PROGRAM, only, subject: asProgram(change) }))).toEqual([]);
});

test('there are at least forty faults, and each names its case', () => {
  const all = [...CONTROLLER_FAULTS, ...PROGRAM_FAULTS];
  expect(all.length).toBeGreaterThanOrEqual(40);
  for (const { does, caughtBy } of all) expect([does, caughtBy.length > 0]).toEqual([does, true]);
});
