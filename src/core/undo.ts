import { refuse } from './errors.ts';
import { REASON_CHARACTERS_MAX } from './limits.ts';
import { checkNoCode, checkNoKey, isPeopleText } from './people-texts.ts';
import type { LogEntry, UndoNote } from './records.ts';
import { looksEmpty } from './text-length.ts';

/** Who takes back which use, and why (ADR 0017). */
export interface UndoRequest extends UndoNote {
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
}

/** @throws TicketscanError `usage` for a reason that is empty, too long or not one line of text */
export function checkedReason(reason: string): string {
  const text = reason.trim();
  if (looksEmpty(text) || !isPeopleText(text, REASON_CHARACTERS_MAX))
    throw refuse('undo_reason', { max: REASON_CHARACTERS_MAX });
  checkNoKey(text);
  checkNoCode(text);
  return text;
}

/** What an entry adds to the counter of its ticket: a use, a use that was taken back, or nothing. */
export function usesIn({ status, replayed }: Pick<LogEntry, 'status' | 'replayed'>): 1 | -1 | 0 {
  if (status === 'undone') return -1;
  return status === 'consumed' && !replayed ? 1 : 0;
}

/**
 * The entry whose use may be taken back.
 * @param undoneBy the number of the entry that took it back already
 * @throws TicketscanError `not_found` when the log has no such entry, `conflict` when it took no use, or none any more
 */
export function undoable(
  entry: LogEntry | undefined,
  sequence: number,
  undoneBy: number | undefined,
): LogEntry & { readonly ticketId: string } {
  if (!entry) throw refuse('log_entry_missing', { entry: sequence });
  const { ticketId } = entry;
  if (usesIn(entry) !== 1 || ticketId === null) throw refuse('undo_no_use', { entry: sequence });
  if (undoneBy !== undefined) throw refuse('undo_twice', { entry: sequence, by: undoneBy });
  return { ...entry, ticketId };
}

/** The log entry that takes back a use, at the gate where it was taken. @param usesConsumed the counter after it */
export function undoneEntry(
  { keyId, serial, reader, ticketId, direction }: LogEntry,
  { at, sequence, by, reason }: UndoRequest,
  usesConsumed: number,
): Omit<LogEntry, 'sequence'> {
  return {
    at,
    keyId,
    serial,
    reader,
    operation: 'undo',
    status: 'undone',
    reason: null,
    ticketId,
    excerpt: null,
    usesConsumed,
    replayed: false,
    undo: { sequence, by, reason },
    ...(direction && { direction }),
  };
}
