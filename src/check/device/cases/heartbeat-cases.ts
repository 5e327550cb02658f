import { Inconclusive } from '../../cases/case.ts';
import { Deviation } from '../../facts/failures.ts';
import { isRecord, parsedJson, show } from '../../facts/json.ts';
import type { Format } from '../formats/format.ts';
import type { SeenRequest } from '../http.ts';
import { UNANSWERED } from '../scenes/contact.ts';
import { type DeviceCase, deviceCase, eachRequest } from './device-case.ts';
import { only } from './request-cases.ts';
import { inSeconds, type SessionResults } from './session-results.ts';

const CLOCK_OFF_MS_MAX = 2 * 60_000;
/** `Now` has whole seconds, and a network may hold a heartbeat back. */
const CLOCK_DRIFT_MS_MAX = 3000;
const QUARTER_MS = 15 * 60_000;
const ZONE_MS_MAX = 14.5 * 3_600_000;
/** How far the time between two heartbeats may be off while nothing else happens. */
const GAP_OFF = 0.5;
const GAP_OFF_MS_MIN = 150;
/** How many intervals may pass at most while cards are read. */
const INTERVALS_MAX = 2;

/** A device may repeat a heartbeat that was not answered: so often at most in each interval, and once more at either end. */
const UNANSWERED_BEATS_MAX = 2;
/** More in an interval is a device that does not stop by itself. */
const FLOOD_BEATS = 10;

const SCENES = ['heartbeats'];
const onlyWithHeartbeat = only('heartbeat', 'this model sends no regular heartbeat');

function onlyWithControllerFields(format: Format): string | undefined {
  return (
    onlyWithHeartbeat(format) ??
    only('controllerFields', 'this model has a format of its own')(format)
  );
}

function onlyWithSerials(format: Format): string | undefined {
  const { heartbeatSerial, serial } = format.features;
  if (heartbeatSerial && serial) return onlyWithHeartbeat(format);
  return 'not both cards and heartbeats of this model say who sends them';
}

function beats({ heartbeats }: SessionResults): SeenRequest[] {
  if (heartbeats.length > 0) return heartbeats;
  throw new Inconclusive('no heartbeat arrived');
}

function fieldsOf(request: SeenRequest): Readonly<Record<string, unknown>> {
  const fields = parsedJson(request.body);
  return isRecord(fields) ? fields : {};
}

/**
 * While nothing else happens each gap is about as long as it is set, also the one until the first heartbeat and the one after
 * the last. While cards are read a device may be late by one interval and its Wait Time: many devices do one thing at a time.
 * @returns how far the gaps differ
 * @throws Deviation for another interval, or a hole
 */
export function judgeRegularity(results: SessionResults): string {
  const times = beats(results).map(({ atMs }) => atMs);
  const { heartbeats: from = 0, 'heartbeats-end': end = 0 } = results.record.marks;
  const quiet = times.filter((atMs) => atMs >= from && atMs <= end);
  const gaps = gapsOf(quiet);
  const { heartbeatMs, waitTimeMs } = results.settings;
  const off = Math.max(GAP_OFF * heartbeatMs, GAP_OFF_MS_MIN);
  const isEarly = gaps.some((ms) => ms < heartbeatMs - off);
  const holes = gapsOf([from, ...quiet, end]).filter((ms) => ms > heartbeatMs + off);
  const expected = `one every ${inSeconds(heartbeatMs)} (--heartbeat)`;
  if (gaps.length < 2 || isEarly || holes.length > 0) {
    const seen = gaps.length === 0 ? '' : `, ${gaps.map(inSeconds).join(', ')} apart`;
    throw irregular(expected, `${quiet.length} in ${inSeconds(end - from)}${seen}`);
  }
  const longest = Math.max(...gapsOf(times.filter((atMs) => atMs <= end)));
  if (longest > INTERVALS_MAX * heartbeatMs + waitTimeMs)
    throw irregular(expected, `none for ${inSeconds(longest)} while cards were read`);
  const average = gaps.reduce((sum, ms) => sum + ms, 0) / gaps.length;
  const jitter = Math.max(...gaps.map((ms) => Math.abs(ms - average)));
  return `every ${inSeconds(average)}, up to ${Math.round(jitter)} ms off; longest gap of the session ${inSeconds(longest)}`;
}

function irregular(expected: string, observed: string): Deviation<undefined> {
  return new Deviation(expected, observed, undefined, { fields: ['regular heartbeats'] });
}

/** @throws Deviation for a device that repeats heartbeats without end while they stay unanswered */
function judgeUnanswered({ heartbeats, record, settings }: SessionResults): string {
  const counts: string[] = [];
  for (const [after, [from, to]] of Object.entries(UNANSWERED)) {
    const { [from]: fromMs, [to]: toMs } = record.marks;
    if (fromMs === undefined || toMs === undefined) continue;
    const sent = heartbeats.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs);
    const intervals = Math.ceil((toMs - fromMs) / settings.heartbeatMs);
    const where = after === 'heartbeats' ? '' : ` after ${AFTER[after]}`;
    counts.push(`${sent.length} in ${inSeconds(toMs - fromMs)}${where}`);
    if (sent.length <= UNANSWERED_BEATS_MAX * (intervals + 1)) continue;
    throw new Deviation(
      `about one every ${inSeconds(settings.heartbeatMs)} (--heartbeat), answered or not`,
      `${sent.length} in ${inSeconds(toMs - fromMs)}${where}`,
      sent.at(-1),
      { level: sent.length > FLOOD_BEATS * intervals ? 'stated' : undefined },
    );
  }
  return counts.join(', ');
}

const AFTER: Readonly<Record<string, string>> = { outage: 'an outage', power: 'a power loss' };

function gapsOf(times: readonly number[]): number[] {
  return times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0));
}

/** The time in the 16 digits, in milliseconds; undefined for other texts. Devices send their local time, so the hour is not judged. */
function clockMs(digits: unknown): number | undefined {
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)\d\d$/.exec(String(digits));
  if (!parts) return undefined;
  const [year = 0, month = 0, ...rest] = parts.slice(1).map(Number);
  const ms = Date.UTC(year, month - 1, ...rest);
  return Number.isNaN(ms) ? undefined : ms;
}

/** Whole quarters of an hour, up to 14 hours, may be the time zone. */
function clockOffMs(clock: number, now: number): number {
  const off = clock - now;
  return Math.abs(off) > ZONE_MS_MAX ? off : off - Math.round(off / QUARTER_MS) * QUARTER_MS;
}

function judgeClock(results: SessionResults): void {
  const telling = beats(results).filter((one) => fieldsOf(one)['Now'] !== undefined);
  if (telling.length === 0) throw new Inconclusive('the heartbeats do not tell the time', true);
  const offs = telling.map((one) => {
    const clock = clockMs(fieldsOf(one)['Now']);
    const off = clock === undefined ? Infinity : clockOffMs(clock, one.wallMs);
    if (Math.abs(off) <= CLOCK_OFF_MS_MAX) return { one, off };
    const expected = `16 digits near ${new Date(one.wallMs).toISOString()}`;
    throw new Deviation(expected, show(fieldsOf(one)['Now']), one);
  });
  // A clock may jump when it is set after a power loss.
  const { 'power-off': end = Infinity } = results.record.marks;
  const [first, ...later] = offs.filter(({ one }) => one.atMs < end);
  const drifting = later.find(({ off }) => Math.abs(off - (first?.off ?? 0)) > CLOCK_DRIFT_MS_MAX);
  if (!first || !drifting) return;
  const passed = ((drifting.one.wallMs - first.one.wallMs) / 1000).toFixed(1);
  const [before, after] = [first, drifting].map(({ one }) => show(fieldsOf(one)['Now']));
  throw new Deviation(
    `a clock that is ${passed} s later after ${passed} s`,
    `${before}, and then ${after}`,
    drifting.one,
    { cause: before === after ? 'The clock does not run.' : undefined },
  );
}

/** Cases on heartbeats. */
export const HEARTBEAT_CASES: readonly DeviceCase[] = [
  deviceCase('4.5/device-sends-heartbeats', {
    requirement: 'The device sends heartbeats.',
    scenes: SCENES,
    skipReason: onlyWithHeartbeat,
    run({ heartbeats, cards }) {
      if (heartbeats.length > 0) return;
      throw new Deviation(
        'heartbeats',
        'none arrived',
        undefined,
        cards.length > 0 ? { cause: 'Cards arrive: it is the Heart URL, or its switch.' } : {},
      );
    },
  }),
  eachRequest('4.5/device-heart-url', {
    requirement: 'Heartbeats are sent with POST to /scan/hw/heartbeat, or as the device file says.',
    scenes: SCENES,
    skipReason: onlyWithHeartbeat,
    of: beats,
    expected: ({ format }) => format.addresses.heartbeat,
    wrong: (one, results) => (results.format.isAtAddress(one) ? undefined : results.targetOf(one)),
  }),
  deviceCase('4.5/device-heartbeat-regular', {
    states: ['regular heartbeats'],
    isTimed: true,
    requirement: 'Heartbeats come regularly, at the time that is set, also while cards are read.',
    scenes: SCENES,
    skipReason: onlyWithHeartbeat,
    run: judgeRegularity,
  }),
  deviceCase('4.5/device-heartbeat-unanswered', {
    requirement:
      'Heartbeats that get no answer are not repeated without a pause, also after an outage and a power loss.',
    level: 'observed',
    scenes: ['heartbeats-unanswered', 'unreachable', 'power'],
    cause:
      'Many devices that do so keep a server down that comes back, and use up the month of their keys.',
    skipReason: onlyWithHeartbeat,
    run: judgeUnanswered,
  }),
  eachRequest('4.5/device-heartbeat-key', {
    requirement: 'A heartbeat has a field Key, which the answer repeats.',
    level: 'observed',
    scenes: SCENES,
    cause: 'Without it the answer repeats the API key, or nothing.',
    skipReason: onlyWithControllerFields,
    of: beats,
    expected: 'a field Key',
    wrong: (one) => (fieldsOf(one)['Key'] === undefined ? show(one.body) : undefined),
  }),
  deviceCase('4.5/device-heartbeat-serial', {
    requirement: 'Heartbeats name the same Serial as cards.',
    level: 'observed',
    scenes: SCENES,
    cause: 'One device then shows as two.',
    skipReason: onlyWithSerials,
    run(results) {
      const { format, cards } = results;
      const card = cards.map((one) => format.read(one)?.serial).find(Boolean);
      if (card === undefined) throw new Inconclusive('no card named a Serial', true);
      const request = beats(results).find((one) => format.heartbeatSerial(one) !== card);
      if (!request) return;
      throw new Deviation(show(card), show(format.heartbeatSerial(request)), request, {
        fields: ['the Serial'],
      });
    },
  }),
  deviceCase('4.5/device-accepts-echo', {
    requirement:
      'An answer with the same Key, or the answer of the device file, tells the device that the server can be reached.',
    scenes: ['heartbeats', 'granted', 'relay-in'],
    skipReason: onlyWithHeartbeat,
    run(results) {
      const scenes = results.played(['granted', 'relay-in']);
      const seen = scenes.map((scene) => results.presentation(scene).seen.online);
      if (seen.every((online) => online === undefined))
        throw new Inconclusive('the device does not tell whether it is in contact', true);
      const [request] = beats(results);
      if (seen.some((online) => online?.includes(false)))
        throw new Deviation('the device shows contact', 'it shows no contact', request);
    },
  }),
  deviceCase('4.5/device-clock', {
    requirement:
      "The device's clock, which its heartbeats tell, is right to two minutes, and runs.",
    level: 'observed',
    scenes: SCENES,
    skipReason: onlyWithControllerFields,
    run: judgeClock,
  }),
];
