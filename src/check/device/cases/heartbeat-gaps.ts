import { type Facts, NotShown, SubjectDeviation } from './facts.ts';

/** How far the time between two heartbeats may be off while nothing else happens. */
const GAP_OFF = 0.5;
const GAP_OFF_MS_MIN = 150;
/** How many intervals may pass at most while cards are read. */
const INTERVALS_MAX = 2;

/**
 * While nothing else happens each gap is about as long as it is set, also the one until the first heartbeat and the one after
 * the last. While cards are read a device may be late by one interval and its Wait Time: many devices do one thing at a time.
 * @returns how far the gaps differ
 * @throws SubjectDeviation for another interval, or a hole
 */
export function judgeRegularity(facts: Facts): string {
  const times = facts.heartbeats.map(({ atMs }) => atMs);
  if (times.length === 0) throw new NotShown('no heartbeat arrived');
  const { heartbeats: from = 0, 'heartbeats-end': end = 0 } = facts.record.marks;
  const quiet = times.filter((atMs) => atMs >= from && atMs <= end);
  const gaps = gapsOf(quiet);
  const { heartbeatMs, waitTimeMs } = facts.settings;
  const off = Math.max(GAP_OFF * heartbeatMs, GAP_OFF_MS_MIN);
  const isEarly = gaps.some((ms) => ms < heartbeatMs - off);
  const holes = gapsOf([from, ...quiet, end]).filter((ms) => ms > heartbeatMs + off);
  const expected = `one every ${seconds(heartbeatMs)} (--heartbeat)`;
  if (gaps.length < 2 || isEarly || holes.length > 0) {
    const seen = gaps.length === 0 ? '' : `, ${gaps.map(seconds).join(', ')} apart`;
    throw new SubjectDeviation(expected, `${quiet.length} in ${seconds(end - from)}${seen}`);
  }
  const longest = Math.max(...gapsOf(times.filter((atMs) => atMs <= end)));
  if (longest > INTERVALS_MAX * heartbeatMs + waitTimeMs)
    throw new SubjectDeviation(expected, `none for ${seconds(longest)} while cards were read`);
  const average = gaps.reduce((sum, ms) => sum + ms, 0) / gaps.length;
  const jitter = Math.max(...gaps.map((ms) => Math.abs(ms - average)));
  return `every ${seconds(average)}, up to ${Math.round(jitter)} ms off; longest gap of the session ${seconds(longest)}`;
}

function gapsOf(times: readonly number[]): number[] {
  return times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0));
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
