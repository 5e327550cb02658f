import { isRecord, parsedJson, show } from '../../facts/json.ts';
import type { Format } from '../formats/format.ts';
import type { SeenRequest } from '../wire/seen-request.ts';
import type { DeviceCase } from './device-case.ts';
import { mustOpen, stillOpens } from './door.ts';
import { type Facts, NotShown, SubjectDeviation } from './facts.ts';

const HEART = { kind: 'device', endpoint: 'heartbeat', scenes: ['heartbeats'] } as const;
const DEVICE = { kind: 'device', endpoint: 'hw/consume' } as const;
/** How far the time between two heartbeats may be off. */
const GAP_OFF = 0.5;
const GAP_OFF_MS_MIN = 150;
const CLOCK_OFF_MS_MAX = 2 * 60_000;
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

function judgeGaps(facts: Facts): string {
  const { heartbeats: from = 0, 'heartbeats-end': end = 0 } = facts.record.marks;
  const times = beats(facts)
    .map(({ atMs }) => atMs)
    .filter((atMs) => atMs >= from && atMs <= end);
  const gaps = times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0));
  const { heartbeatMs } = facts.settings;
  const off = Math.max(GAP_OFF * heartbeatMs, GAP_OFF_MS_MIN);
  const text = gaps.map((ms) => `${(ms / 1000).toFixed(1)} s`).join(', ');
  const isRegular = gaps.length >= 2 && gaps.every((ms) => Math.abs(ms - heartbeatMs) <= off);
  if (isRegular) return text;
  const observed =
    gaps.length === 0 ? `${times.length} in ${((end - from) / 1000).toFixed(1)} s` : text;
  throw new SubjectDeviation(`one every ${heartbeatMs / 1000} s (--heartbeat)`, observed);
}

/** What the 16 digits say, in milliseconds; undefined when they are none. Devices send their local time, so the hour is open. */
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

/** Cases on heartbeats, power, and where the key goes. */
export const DEVICE_CONTACT_CASES: readonly DeviceCase[] = [
  {
    ...HEART,
    id: '4.5/device-sends-heartbeats',
    level: 'stated',
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
    level: 'stated',
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
    level: 'stated',
    requirement: 'Heartbeats come regularly, at the time that is set.',
    cause:
      'The interval is set to another value, or heartbeats stop while the device does something else.',
    obstacle: onlyWithHeartbeat,
    judge: judgeGaps,
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
    level: 'stated',
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
    requirement: "The device's clock, which its heartbeats tell, is right to two minutes.",
    cause:
      'The clock was never set, or its battery is empty. Only the clock of the server decides; the records of the device are wrong.',
    obstacle: onlyWithControllerFields,
    judge(facts) {
      const [first] = beats(facts).filter((one) => fieldsOf(one)['Now'] !== undefined);
      if (!first) throw new NotShown('the heartbeats do not tell the time', true);
      const now = first.wallMs;
      const clock = clockMs(fieldsOf(first)['Now']);
      const expected = `16 digits near ${new Date(now).toISOString()}`;
      if (clock === undefined || Math.abs(clockOffMs(clock, now)) > CLOCK_OFF_MS_MAX)
        throw new SubjectDeviation(expected, show(fieldsOf(first)['Now']), first);
    },
  },
  {
    ...HEART,
    id: '4.5/device-comes-back',
    level: 'observed',
    scenes: ['unreachable'],
    requirement: 'When the server can be reached again, heartbeats and cards come again.',
    cause: 'The device gives up after some failures, and needs somebody to restart it.',
    judge(facts) {
      const { up } = facts.record.marks;
      if (up === undefined) throw new NotShown('the scene was not played');
      if (facts.posts('back').length === 0)
        throw new SubjectDeviation('the next card is posted', 'none arrived');
      if (facts.format.features.heartbeat && facts.heartbeats.length > 0) {
        if (!facts.heartbeats.some(({ atMs }) => atMs >= up))
          throw new SubjectDeviation('heartbeats', 'none since the server is back');
      }
      mustOpen(facts, 'back');
    },
  },
  stillOpens({
    id: '4.6/device-after-power-loss',
    kind: 'device',
    level: 'observed',
    scenes: ['after-power-loss'],
    requirement: 'After a power loss the device reads cards again without help.',
    cause: 'The settings are lost with the power, or the device waits for a button.',
  }),
  {
    ...DEVICE,
    id: '3.2/device-silent-after-power-loss',
    level: 'observed',
    scenes: ['power'],
    requirement: 'After a power loss no card is posted that nobody presented.',
    cause:
      'The device stores cards without an answer and posts them later: each takes a use, and nobody enters.',
    judge(facts) {
      const { 'power-on': on, 'power-settled': settled } = facts.record.marks;
      if (on === undefined || settled === undefined) throw new NotShown('the scene was not played');
      const stray = facts.cards.find(({ atMs }) => atMs >= on && atMs < settled);
      if (stray) throw new SubjectDeviation('no card', 'a card was posted', stray);
    },
  },
  {
    ...DEVICE,
    id: '5/device-redirect',
    level: 'observed',
    scenes: ['redirect'],
    requirement:
      'The device does not carry its key to another address when an answer redirects it.',
    cause: 'The HTTP library follows redirects. A false server could collect the key.',
    judge(facts) {
      facts.posted('redirect');
      const carried = facts.record.requests.find(({ place }) => place === 'elsewhere');
      if (carried) throw new SubjectDeviation('no request', 'the request with the key', carried);
    },
  },
  {
    ...DEVICE,
    id: '1/device-https',
    level: 'stated',
    scenes: ['certificate'],
    requirement: 'Requests use HTTPS, and go only to a server whose certificate the device trusts.',
    cause:
      'The check of certificates is off: anybody on the network could read the key and open the door.',
    judge(facts) {
      facts.seen('certificate');
      const carried = facts.record.requests.find(({ place }) => place === 'untrusted');
      if (carried) throw new SubjectDeviation('no request', 'the request with the key', carried);
    },
  },
];
