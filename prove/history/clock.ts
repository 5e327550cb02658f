import type { Terms } from '../model/store.ts';
import type { ClockLine } from './record.ts';

/** How far the clocks of clients and servers may differ, and how soon a server sees that somebody set its clock, milliseconds. */
const TOLERANCE_MS = 1000;

/**
 * Times that the servers' clock may have said within a span, one for each side of the window that it may have been on.
 * @param clock empty when nobody knows: then all
 */
export function timesWithin(
  clock: readonly ClockLine[],
  start: number,
  end: number,
  { validFrom, validUntil }: Terms,
): number[] {
  const inside = Math.max(0, Math.min(validFrom, Number.MAX_VALUE));
  const sides = [
    { time: validFrom - 1, from: -Infinity, to: validFrom },
    { time: inside, from: validFrom, to: validUntil },
    { time: validUntil + 1, from: validUntil, to: Infinity },
  ].filter(({ time }) => Number.isFinite(time));
  if (clock.length === 0) return sides.map(({ time }) => time);
  const said = clock.flatMap(({ at, wall }, index) => {
    const until = clock[index + 1]?.at ?? Infinity;
    if (at - TOLERANCE_MS > end || until + TOLERANCE_MS < start) return [];
    return [{ from: start + wall - at - TOLERANCE_MS, to: end + wall - at + TOLERANCE_MS }];
  });
  return sides
    .filter(({ from, to }) => said.some((one) => one.to >= from && one.from <= to))
    .map(({ time }) => time);
}
