import type { LogEntry } from '../../../core/records.ts';
import { usesIn } from '../../../core/undo.ts';
import type { PrunableLog } from '../store.ts';
import type { MemoryState } from './memory-state.ts';

/** What `pruneOldest` would remove without a bound on its number. */
export function prunableOf({ log }: MemoryState, before: number): PrunableLog {
  const entries = log.slice(0, prefixLength(log, before));
  return {
    entries: entries.length,
    uses: entries.reduce((sum, entry) => sum + usesIn(entry), 0),
    firstAt: entries[0]?.at ?? null,
    lastAt: entries.at(-1)?.at ?? null,
  };
}

/** Removes the oldest entries and remembers their uses by ticket. Returns how many. */
export function pruneOldest(state: MemoryState, before: number, entriesMax: number): number {
  const length = Math.min(entriesMax, prefixLength(state.log, before));
  const dropped = state.dropOldest(length);
  forgetEntries(state, dropped);
  const last = dropped.at(-1)?.sequence;
  if (last !== undefined) state.prunedUpTo(last);
  return length;
}

/** Remembers the uses of entries that are removed, by ticket, and that their scans are no longer in the log. */
export function forgetEntries(state: MemoryState, entries: readonly LogEntry[]): void {
  for (const entry of entries) {
    if (!entry.replayed) state.addCount(state.sortOf(entry), 0, 1);
    const change = usesIn(entry);
    if (change === 0 || entry.ticketId === null) continue;
    const unlogged = (state.importedUses.get(entry.ticketId) ?? 0) + change;
    if (unlogged === 0) state.importedUses.delete(entry.ticketId);
    else state.importedUses.set(entry.ticketId, unlogged);
  }
}

/** Up to the first entry that is not older than `before`; the newest stays, because the numbers go on from it. */
function prefixLength(log: readonly LogEntry[], before: number): number {
  const kept = log.findIndex(({ at }) => at >= before);
  return kept === -1 ? Math.max(0, log.length - 1) : kept;
}
