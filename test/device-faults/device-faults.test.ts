import { setTimeout as wait } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  type CheckResult,
  checkDevice,
  type DeviceCheckOptions,
  type Subject,
} from '../../src/check/index.ts';
import { makeSelfSigned } from '../../src/service/commands/serve/self-signed.ts';
import { ANTI_REPEAT_MS, controllerSubject, HEARTBEAT_MS, HONEST, WAIT_MS } from './controller.ts';
import { CONTROLLER_FAULTS, type Fault } from './controller-faults.ts';
import { ANSWER_MS, HONEST_PROGRAM, programSubject } from './program.ts';
import { PROGRAM_FAULTS } from './program-faults.ts';

/** The first scenes of many sessions would otherwise come in the same moment. */
const APART_MS = 25;
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
    '2.4/device-base64',
    '2.4/device-field-types',
    '2.4/device-serial',
    '2.4/device-reader',
    '4.6/device-opens-on-grant',
    '4.6/device-opens-on-1-only',
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
    '4.6/client-opens-on-valid',
    '4.6/client-opens-on-true-only',
    '7.1/client-reads-valid',
    '5/client-denies-on-403',
    '7.1/client-denies-on-404',
    '4.6/client-shows-message',
    '3.2/client-consumes-once',
  ],
};

/** `DEVICE_FAULTS=all` looks for each fault in every case, which takes a minute. */
const IN_ALL_CASES = process.env['DEVICE_FAULTS'] === 'all';

let started = 0;

/** The cases that fail or warn. */
async function found(subject: Subject, options: DeviceCheckOptions): Promise<string[]> {
  started += 1;
  await wait(started * APART_MS);
  const { cases }: CheckResult = await checkDevice({ ...options, subject });
  return cases
    .filter(({ outcome }) => outcome === 'failed' || outcome === 'warned')
    .map(({ id }) => id)
    .toSorted();
}

function lookedFor(options: DeviceCheckOptions, { caughtBy }: Fault<unknown>): DeviceCheckOptions {
  return IN_ALL_CASES ? options : { ...options, only: [...QUICK[options.kind], ...caughtBy] };
}

describe.concurrent('a controller', { timeout: 60_000 }, () => {
  test('that does everything right is clean', async () => {
    expect(await found(controllerSubject(HONEST), DEVICE)).toEqual([]);
  });
  test.each(CONTROLLER_FAULTS)('that $does', async (fault) => {
    const subject = controllerSubject({ ...HONEST, ...fault.change });
    const caughtBy = [...fault.caughtBy].toSorted();
    expect(await found(subject, lookedFor(DEVICE, fault))).toEqual(caughtBy);
  });
});

describe.concurrent('a program', { timeout: 60_000 }, () => {
  test('that does everything right is clean', async () => {
    expect(await found(programSubject(HONEST_PROGRAM), PROGRAM)).toEqual([]);
  });
  test.each(PROGRAM_FAULTS)('that $does', async (fault) => {
    const subject = programSubject({ ...HONEST_PROGRAM, ...fault.change });
    const caughtBy = [...fault.caughtBy].toSorted();
    expect(await found(subject, lookedFor(PROGRAM, fault))).toEqual(caughtBy);
  });
});

describe.concurrent('over HTTPS', { timeout: 60_000 }, () => {
  let tls: NonNullable<DeviceCheckOptions['tls']>;
  beforeAll(async () => {
    const [certificate, untrusted] = await Promise.all([
      makeSelfSigned(['127.0.0.1']),
      makeSelfSigned(['127.0.0.1']),
    ]);
    tls = { certificate, ca: certificate.cert, untrusted };
  });
  const withTls = (options: DeviceCheckOptions, id: string) => ({ ...options, tls, only: [id] });

  test('a controller sends nothing to a server that it cannot trust, or is caught', async () => {
    const options = withTls(DEVICE, '1/device-https');
    expect(await found(controllerSubject(HONEST), options)).toEqual([]);
    const trusting = controllerSubject({ ...HONEST, trustsAll: true });
    expect(await found(trusting, options)).toEqual(['1/device-https']);
  });

  test('and a program', async () => {
    const options = withTls(PROGRAM, '1/client-https');
    expect(await found(programSubject(HONEST_PROGRAM), options)).toEqual([]);
    const trusting = programSubject({ ...HONEST_PROGRAM, trustsAll: true });
    expect(await found(trusting, options)).toEqual(['1/client-https']);
  });
});

test('there are at least forty faults, and each names its case', () => {
  const all = [...CONTROLLER_FAULTS, ...PROGRAM_FAULTS];
  expect(all.length).toBeGreaterThanOrEqual(40);
  for (const { does, caughtBy } of all) expect([does, caughtBy.length > 0]).toEqual([does, true]);
});
