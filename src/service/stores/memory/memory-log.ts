import type { LogEntry } from '../../../core/records.ts';
import { MINUTE_MS } from '../../../kit/durations.ts';
import {
  indexFrom,
  type LogPage,
  type LogSearch,
  logPage,
  meetsConditions,
  type OutcomeCount,
  type OutcomeCounts,
  outcomeCounts,
  searchedRange,
} from '../log-search.ts';
import type { MemoryState } from './memory-state.ts';

export function searchLog(state: MemoryState, search: LogSearch): LogPage {
  const { newest, oldest } = state;
  const range = searchedRange(search, newest, oldest);
  const looked = between(state.log, range.first, range.last);
  if (search.afterSequence === undefined) looked.reverse();
  const { organisationId } = search;
  const found = looked.filter(
    (entry) =>
      (organisationId === undefined || state.ownerOfKey(entry.keyId) === organisationId) &&
      meetsConditions(entry, search),
  );
  const page = found.slice(0, search.limit).map((entry) => state.linked(entry));
  return logPage(search, range, newest, page, oldest);
}

export function countOutcomes(
  state: MemoryState,
  afterSequence: number,
  searchMax: number,
): OutcomeCounts {
  const { newest, oldest } = state;
  const range = searchedRange({ afterSequence, searchMax }, newest, oldest);
  const counts = new Map<string, OutcomeCount>();
  for (const entry of between(state.log, range.first, range.last)) {
    if (entry.operation !== 'consume' || entry.replayed || isExit(entry)) continue;
    const one = countOf(entry as ScanEntry, state.ownerOfKey(entry.keyId) ?? '');
    const name = JSON.stringify(one);
    counts.set(name, { ...one, count: (counts.get(name)?.count ?? 0) + 1 });
  }
  return outcomeCounts(afterSequence, range, newest, [...counts.values()]);
}

/** Somebody went out: that is no admission. */
function isExit({ direction, done }: LogEntry): boolean {
  return direction === 'out' && done !== undefined;
}

/** The entries with these numbers, both included. */
function between(log: readonly LogEntry[], first: number, last: number): LogEntry[] {
  const start = indexFrom(log, first);
  return log.slice(start, Math.max(start, indexFrom(log, last + 1)));
}

/** Every consume is a scan. */
type ScanEntry = LogEntry & Pick<OutcomeCount, 'status'>;

function countOf(entry: ScanEntry, organisationId: string): OutcomeCount {
  const { keyId, serial, status, reason, at } = entry;
  const minute = Math.floor(at / MINUTE_MS);
  return { organisationId, keyId, serial, minute, status, reason, count: 1 };
}
