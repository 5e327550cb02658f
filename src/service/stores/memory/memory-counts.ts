import { type CountedBy, QUARTER_MS, type ScanCount } from '../../../core/scan-count.ts';
import type { CountSearch, ScanSum } from '../store.ts';
import { countsOtherScans } from '../verify-words.ts';
import type { MemoryState } from './memory-state.ts';

/** Which members a sum keeps apart besides operation, outcome and direction. */
const KEPT_APART = {
  quarter: ['quarter'],
  event: ['eventId'],
  gate: ['keyId', 'serial'],
  kind: ['kind'],
} as const satisfies Record<CountSearch['by'], readonly (keyof CountedBy)[]>;

/** See `LogStore.sumScans`. */
export function sumScans(state: MemoryState, search: CountSearch): ScanSum[] {
  const { organisationId, fromQuarter, untilQuarter, by, eventId } = search;
  const sums = new Map<string, ScanSum>();
  for (const count of state.counts.values()) {
    if (count.quarter < fromQuarter || count.quarter >= untilQuarter) continue;
    if (eventId !== undefined && count.eventId !== eventId) continue;
    if (state.ownerOfKey(count.keyId) !== organisationId) continue;
    const names = [...KEPT_APART[by], 'operation', 'outcome', 'direction'] as const;
    const sort = Object.fromEntries(names.map((name) => [name, count[name]]));
    const name = JSON.stringify(sort);
    const scans = (sums.get(name)?.scans ?? 0) + count.scans;
    sums.set(name, { ...sort, scans } as ScanSum);
  }
  return [...sums.values()];
}

/** Counters that the log contradicts, in sentences. Left out are serials, because not all of them are named, and what a ticket is now. */
export function countProblems(state: MemoryState): string[] {
  const sums = new Map<string, { sort: ScanCount | CountedBy; counted: number; logged: number }>();
  const sumOf = (sort: ScanCount | CountedBy) => {
    const { quarter, keyId, eventId, kind, operation, outcome, direction } = sort;
    const isMulti = kind === 'permanent' ? 'multi' : kind;
    const name = JSON.stringify([quarter, keyId, eventId, isMulti, operation, outcome, direction]);
    const sum = sums.get(name) ?? { sort, counted: 0, logged: 0 };
    sums.set(name, sum);
    return sum;
  };
  for (const count of state.counts.values()) sumOf(count).counted += count.scans - count.pruned;
  for (const entry of state.log) if (!entry.replayed) sumOf(state.sortOf(entry)).logged += 1;
  return [...sums.values()]
    .filter(({ counted, logged }) => counted !== logged)
    .map(({ sort, ...sum }) =>
      countsOtherScans({ ...sort, ...sum, at: sort.quarter * QUARTER_MS }),
    );
}
