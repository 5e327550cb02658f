import { isDeepStrictEqual } from 'node:util';
import { readTimestamp } from './timestamp.ts';

/** True for the same JSON value, whatever the order of members; timestamps with a zone are the same when they mean the same moment. */
export function isSameValue(one: unknown, other: unknown): boolean {
  if (isDeepStrictEqual(one, other)) return true;
  const [first, second] = [readTimestamp(one), readTimestamp(other)];
  return first?.hasZone === true && second?.hasZone === true && first.epochMs === second.epochMs;
}
