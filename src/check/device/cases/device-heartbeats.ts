import { isRecord, parsedJson, show } from '../../facts/json.ts';
import type { Format } from '../formats/format.ts';
import type { SeenRequest } from '../wire/seen-request.ts';
import type { DeviceCase } from './device-case.ts';
import { type Facts, NotShown, SubjectDeviation } from './facts.ts';
import { judgeRegularity } from './heartbeat-gaps.ts';

const HEART = {
  level: 'stated',
  kind: 'device',
  endpoint: 'heartbeat',
  scenes: ['heartbeats'],
} as const;
const CLOCK_OFF_MS_MAX = 2 * 60_000;
/** `Now` has whole seconds, and a network may hold a heartbeat back. */
const CLOCK_DRIFT_MS_MAX = 3000;
const DAY_MS = 24 * 3_600_000;

const OWN_FORMAT = 'this model has a format of its own';
const NO_SERIALS = 'not both cards and heartbeats of this model say who sends them';

function onlyWithHeartbeat({ features }: Format): string | undefined {
  return features.heartbeat ? undefined : 'this model sends no regular heartbeat';
}

function onlyWithControllerFields(format: Format): string | undefined {
  const { controllerFields } = format.features;
  return onlyWithHeartbeat(format) ?? (controllerFields ? undefined : OWN_FORMAT);
}

function onlyWithSerials(format: Format): string | undefined {
  const { heartbeatSerial, serial } = format.features;
  return onlyWithHeartbeat(format) ?? (heartbeatSerial && serial ? undefined : NO_SERIALS);
}

function beats(facts: Facts): SeenRequest[] {
  if (facts.heartbeats.length > 0) return facts.heartbeats;
  throw new NotShown('no heartbeat arrived');
}

function fieldsOf(request: SeenRequest): Readonly<Record<string, unknown>> {
  const fields = parsedJson(request.body);
  return isRecord(fields) ? fields : {};
}

/** The time in the 16 digits, in milliseconds; undefined for other texts. Devices send their local time, so the hour is not judged. */
function clockMs(digits: unknown): number | undefined {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)\d\d$/.exec(String(digits)) ?? [];
  if (year === undefined) return undefined;
  const ms = Date.UTC(
    +year,
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  );
  return Number.isNaN(ms) ? undefined : ms;
}

/** Whole quarters of an hour, up to 14 hours, may be the time zone. */
function clockOffMs(clock: number, now: number): number {
  const off = clock - now;
  if (Math.abs(off) > (DAY_MS * 14.5) / 24) return off;
  const quarter = 15 * 60_000;
  return off - Math.round(off / quarter) * quarter;
}

function judgeClock(facts: Facts): void {
  const telling = beats(facts).filter((one) => fieldsOf(one)['Now'] !== undefined);
  if (telling.length === 0) throw new NotShown('the heartbeats do not tell the time', true);
  const offs = telling.map((one) => {
    const clock = clockMs(fieldsOf(one)['Now']);
    const off = clock === undefined ? Infinity : clockOffMs(clock, one.wallMs);
    if (Math.abs(off) <= CLOCK_OFF_MS_MAX) return { one, off };
    const expected = `16 digits near ${new Date(one.wallMs).toISOString()}`;
    throw new SubjectDeviation(expected, show(fieldsOf(one)['Now']), one);
  });
  // A clock may jump when it is set after a power loss.
  const { 'power-off': end = Infinity } = facts.record.marks;
  const [first, ...later] = offs.filter(({ one }) => one.atMs < end);
  const drifting = later.find(({ off }) => Math.abs(off - (first?.off ?? 0)) > CLOCK_DRIFT_MS_MAX);
  if (!first || !drifting) return;
  const passed = ((drifting.one.wallMs - first.one.wallMs) / 1000).toFixed(1);
  throw new SubjectDeviation(
    `a clock that is ${passed} s later after ${passed} s`,
    `${show(fieldsOf(first.one)['Now'])}, and then ${show(fieldsOf(drifting.one)['Now'])}`,
    drifting.one,
  );
}

/** Cases on heartbeats. */
export const DEVICE_HEARTBEAT_CASES: readonly DeviceCase[] = [
  {
    ...HEART,
    id: '4.5/device-sends-heartbeats',
    requirement: 'The device sends heartbeats.',
    cause: 'The Heart URL is not set, or the heartbeat is switched off.',
    obstacle: onlyWithHeartbeat,
    judge(facts) {
      if (facts.heartbeats.length === 0) throw new SubjectDeviation('heartbeats', 'none arrived');
    },
  },
  {
    ...HEART,
    id: '4.5/device-heart-url',
    requirement: 'Heartbeats are sent with POST to /scan/hw/heartbeat, or as the device file says.',
    cause: 'The Card URL was typed in twice, or the firmware appends something to the URL.',
    obstacle: onlyWithHeartbeat,
    judge(facts) {
      const { format } = facts;
      const wrong = beats(facts).find((one) => !format.isAtAddress(one));
      if (!wrong) return;
      throw new SubjectDeviation(format.addresses.heartbeat, facts.targetOf(wrong), wrong);
    },
  },
  {
    ...HEART,
    id: '4.5/device-heartbeat-regular',
    requirement: 'Heartbeats come regularly, at the time that is set, also while cards are read.',
    cause:
      'The interval is set to another value, or heartbeats stop while the device does something else.',
    obstacle: onlyWithHeartbeat,
    judge: judgeRegularity,
  },
  {
    ...HEART,
    id: '4.5/device-heartbeat-key',
    level: 'observed',
    requirement: 'A heartbeat has a field Key, which the answer repeats.',
    cause:
      'The firmware sends the field under another name: the echo is then the API key, or nothing.',
    obstacle: onlyWithControllerFields,
    judge(facts) {
      const without = beats(facts).find((one) => fieldsOf(one)['Key'] === undefined);
      if (without) throw new SubjectDeviation('a field Key', show(without.body), without);
    },
  },
  {
    ...HEART,
    id: '4.5/device-heartbeat-serial',
    level: 'observed',
    requirement: 'Heartbeats name the same Serial as cards.',
    cause:
      'The two forms of request take the serial from two settings: one device then shows as two.',
    obstacle: onlyWithSerials,
    judge(facts) {
      const { format } = facts;
      const card = facts.cards.map((one) => format.read(one)?.serial).find(Boolean);
      if (card === undefined) throw new NotShown('no card named a Serial', true);
      const other = beats(facts).find((one) => format.heartbeatSerial(one) !== card);
      if (!other) return;
      throw new SubjectDeviation(show(card), show(format.heartbeatSerial(other)), other);
    },
  },
  {
    ...HEART,
    id: '4.5/device-accepts-echo',
    requirement:
      'An answer with the same Key, or the answer of the device file, tells the device that the server can be reached.',
    cause: 'The device compares Key with something else, or wants further fields in the answer.',
    obstacle: onlyWithHeartbeat,
    scenes: ['heartbeats', 'granted', 'relay-in'],
    inParts: true,
    judge(facts) {
      const scenes = facts.played(['granted', 'relay-in']);
      const seen = scenes.map((scene) => facts.seen(scene).sight.online);
      if (seen.every((online) => online === undefined))
        throw new NotShown('the device does not tell whether it is in contact', true);
      if (seen.some((online) => online?.includes(false)))
        throw new SubjectDeviation(
          'the device shows contact',
          'it shows no contact',
          beats(facts)[0],
        );
    },
  },
  {
    ...HEART,
    id: '4.5/device-clock',
    level: 'observed',
    requirement:
      "The device's clock, which its heartbeats tell, is right to two minutes, and runs.",
    cause:
      'The clock was never set, its battery is empty, or every heartbeat repeats the time of the first. Only the clock of the server decides; the records of the device are wrong.',
    obstacle: onlyWithControllerFields,
    judge: judgeClock,
  },
  {
    ...HEART,
    id: '5/device-heartbeat-redirect',
    level: 'observed',
    scenes: ['redirect'],
    requirement:
      'The device does not carry its key to another address when the answer to a heartbeat redirects it.',
    cause: 'The HTTP library follows redirects. A false server could collect the key.',
    obstacle: onlyWithHeartbeat,
    judge(facts) {
      const { 'heartbeat-redirected': at } = facts.record.marks;
      if (at === undefined) throw new NotShown('the scene was not played');
      const isRedirected = facts.heartbeats.some(({ answer }) => answer?.status === 307);
      if (!isRedirected) throw new NotShown('no heartbeat arrived to be redirected', true);
      const carried = facts.heartbeats.find(({ place }) => place === 'elsewhere');
      if (carried) throw new SubjectDeviation('no request', 'the heartbeat with the key', carried);
    },
  },
];
