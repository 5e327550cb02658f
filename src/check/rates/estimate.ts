import type { TargetLimits } from '../deployment/target.ts';
import type { Range, Reading } from './reading.ts';

type Limits = Required<TargetLimits>;

/**
 * The refill rates, in requests a second, of which a token bucket gives these answers. A refusal says that less than
 * one token was left, so what was served between two refusals is what was refilled, give or take one. When the server
 * decided lies anywhere between a request and its answer: no right server is outside the range, however slow the line.
 */
export function refillRate(readings: readonly Reading[], limits: Limits): Range {
  const refusals = readings.filter(({ outcome }) => outcome === 'limited');
  const allServed = servedOf(readings);
  let from = 0;
  let to = Number.POSITIVE_INFINITY;
  for (const refusal of refusals) {
    const served = servedAfter(allServed, refusal.answeredAt);
    for (const { count, until } of served)
      from = Math.max(from, ((count - 1) / (until - refusal.sentAt)) * 1000);
    const fullAt = fullAfter(refusal, served, limits);
    for (const next of refusals) {
      const elapsed = next.sentAt - refusal.answeredAt;
      if (elapsed <= 0 || next.answeredAt >= fullAt) continue;
      to = Math.min(to, ((possiblyBetween(readings, refusal, next) + 1) / elapsed) * 1000);
    }
  }
  return { from, to };
}

/** Of a full bucket: the bursts that it can have, when it refills at about `rate` a second. */
export function burstSize(readings: readonly Reading[], rate: number): Range {
  const refilled = (ms: number) => (rate * Math.max(0, ms)) / 1000;
  let from = 0;
  const served = servedOf(readings);
  for (const { sentAt } of served) {
    for (const { count, until } of servedAfter(served, sentAt))
      from = Math.max(from, count - refilled(until - sentAt));
  }
  const passed = readings.filter(({ outcome }) => outcome !== 'limited');
  let to = Number.POSITIVE_INFINITY;
  for (const refusal of readings.filter(({ outcome }) => outcome === 'limited')) {
    const before = passed.filter(({ sentAt }) => sentAt <= refusal.answeredAt);
    // the bucket was full for the last time before some request; from then on it only got emptier
    const possible = before
      .map(({ answeredAt }) => answeredAt)
      .toSorted((a, b) => b - a)
      .map((fullAt, i) => i + 2 - refilled(refusal.sentAt - fullAt));
    to = Math.min(to, Math.max(1, ...possible));
  }
  return { from, to };
}

/** A server that refills so much faster than its limit shows it in the requests that it serves. */
const FASTEST = 1.15;

/** When the bucket may have been full again, also one that refills too fast: what came after that was lost. */
function fullAfter(
  { sentAt }: Reading,
  served: readonly { count: number; until: number }[],
  { rate, burst }: Limits,
): number {
  const fullAt = (taken: number) => sentAt + ((burst - 1 + taken) / (rate * FASTEST)) * 1000;
  const early = served.find(({ count, until }) => fullAt(count - 1) < until);
  return fullAt(early ? early.count - 1 : served.length);
}

/** Those that were served, in the order of their answers. */
function servedOf(readings: readonly Reading[]): Reading[] {
  return readings
    .filter(({ outcome }) => outcome === 'served')
    .toSorted((a, b) => a.answeredAt - b.answeredAt);
}

/** How many of the served were certainly sent after a time, up to each of the answers. */
function servedAfter(served: readonly Reading[], time: number) {
  return served
    .filter(({ sentAt }) => sentAt >= time)
    .map(({ answeredAt }, i) => ({ count: i + 1, until: answeredAt }));
}

/** How many may have been served between two refusals. */
function possiblyBetween(readings: readonly Reading[], from: Reading, to: Reading): number {
  return readings.filter(
    ({ outcome, sentAt, answeredAt }) =>
      outcome !== 'limited' && answeredAt >= from.sentAt && sentAt <= to.answeredAt,
  ).length;
}
