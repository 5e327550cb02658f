import {
  type LogPage,
  type LogSearch,
  logPage,
  meetsConditions,
  type OutcomeCount,
  type OutcomeCounts,
  searchedRange,
} from '../../core/log-search.ts';
import type { LogEntry } from '../../core/records.ts';
import type { MemoryState } from './memory-state.ts';

const MINUTE_MS = 60_000;

type Held = Pick<MemoryState, 'log' | 'keyOwners'>;

export function searchLog({ log, keyOwners }: Held, search: LogSearch): LogPage {
  const range = searchedRange(search, log.length);
  const looked = log.slice(range.first - 1, Math.max(range.last, range.first - 1));
  if (search.afterSequence === undefined) looked.reverse();
  const { organisationId } = search;
  const found = looked.filter(
    (entry) =>
      (organisationId === undefined || keyOwners.get(entry.keyId) === organisationId) &&
      meetsConditions(entry, search),
  );
  return logPage(search, range, log.length, found.slice(0, search.limit));
}

export function countOutcomes(
  { log, keyOwners }: Held,
  afterSequence: number,
  searchMax: number,
): OutcomeCounts {
  const searchedTo = Math.max(afterSequence, Math.min(log.length, afterSequence + searchMax));
  const counts = new Map<string, OutcomeCount>();
  for (const entry of log.slice(afterSequence, searchedTo)) {
    if (entry.action !== 'consume' || entry.replayed) continue;
    const one = countOf(entry, keyOwners.get(entry.keyId) ?? '');
    const name = JSON.stringify(one);
    counts.set(name, { ...one, count: (counts.get(name)?.count ?? 0) + 1 });
  }
  return { counts: [...counts.values()], searchedTo, ended: searchedTo >= log.length };
}

function countOf(entry: LogEntry, organisationId: string): OutcomeCount {
  const { keyId, serial, status, reason, at } = entry;
  const minute = Math.floor(at / MINUTE_MS);
  return { organisationId, keyId, serial, minute, status, reason, count: 1 };
}
