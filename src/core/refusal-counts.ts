import { DAY_MS } from '../kit/durations.ts';
import type { Occurrences, RefusalCount } from './records.ts';

/** The refused requests of one organisation, or of nobody's keys. */
export interface RefusalCounts {
  /** The rows, in no order; `REFUSAL_ROWS_MAX` is the most there are. */
  readonly rows: readonly RefusalCount[];
  /** Those that are not in a row; null when all are. */
  readonly others: Occurrences | null;
}

/** What somebody may see of them. */
export interface SeenRefusals extends RefusalCounts {
  /** Whether requests without a key of this store are among them. */
  readonly unknownKeys: boolean;
}

/** Whose the refused requests are that came without a key of this store; no organisation has this id. */
export const OF_NO_ORGANISATION = 'server';

export const NO_REFUSALS: RefusalCounts = { rows: [], others: null };

/** Rows that are kept of each organisation, and of the requests without a key of this store. */
export const REFUSAL_ROWS_MAX = 200;
/** A row is dropped when nothing like it was refused for this long: addresses are personal data. */
export const REFUSALS_KEPT_MS = 30 * DAY_MS;
/** A row that is silent for this long gives way to new ones, however often it was counted. */
const QUIET_MS = DAY_MS;

/**
 * Adds refused requests to those that were counted before. Where there are too many rows, the silent ones are
 * counted with the others first, then those with the fewest requests: a flood of different keys does not hide a
 * device that tries again and again.
 * @param now milliseconds since 1970 UTC
 */
export function addRefusals(
  counted: RefusalCounts,
  added: RefusalCounts,
  now: number,
): RefusalCounts {
  const rows = new Map<string, RefusalCount>();
  for (const row of [...counted.rows, ...added.rows]) {
    const name = nameOf(row);
    rows.set(name, { ...row, ...sumOf(rows.get(name), row) });
  }
  const current = withoutOld({ rows: [...rows.values()], others: counted.others }, now);
  const ranked = current.rows.toSorted((a, b) => rank(b, a, now));
  const dropped = ranked.slice(REFUSAL_ROWS_MAX);
  const others = [added.others, ...dropped].reduce<Occurrences | null>(
    (sum, one) => (one ? sumOf(sum, one) : sum),
    current.others,
  );
  return { rows: ranked.slice(0, REFUSAL_ROWS_MAX), others };
}

/** Leaves out what was last refused more than 30 days ago. @param now milliseconds since 1970 UTC */
export function withoutOld({ rows, others }: RefusalCounts, now: number): RefusalCounts {
  const isKept = ({ lastAt }: Occurrences) => lastAt >= now - REFUSALS_KEPT_MS;
  return { rows: rows.filter(isKept), others: others && isKept(others) ? others : null };
}

/** The sum of two, of which the first may be missing. */
export function sumOf(sum: Occurrences | null | undefined, one: Occurrences): Occurrences {
  const { times, firstAt, lastAt } = one;
  if (!sum) return { times, firstAt, lastAt };
  return {
    times: sum.times + times,
    firstAt: Math.min(sum.firstAt, firstAt),
    lastAt: Math.max(sum.lastAt, lastAt),
  };
}

/** Positive when `a` is to be kept rather than `b`. */
function rank(a: RefusalCount, b: RefusalCount, now: number): number {
  const isCurrent = ({ lastAt }: RefusalCount) => Number(Math.abs(now - lastAt) <= QUIET_MS);
  return isCurrent(a) - isCurrent(b) || a.times - b.times || a.lastAt - b.lastAt;
}

function nameOf({ reason, key, keyId, serial, address, endpoint }: RefusalCount): string {
  return JSON.stringify([reason, key, keyId, serial, address, endpoint]);
}
