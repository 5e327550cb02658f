import type { LogEntry } from '../../../core/records.ts';
import { sanitizeForTerminal } from '../../../kit/safe-text.ts';
import { localTime } from '../../../terminal/local-time.ts';
import { type Names, withName } from '../access/names.ts';

export const LOG_HEADS = [
  '#',
  'TIME',
  'OPERATION',
  'OUTCOME',
  'TICKET',
  'USES',
  'KEY',
  'SERIAL',
  'READER',
];

/** A line for people: times are those of this machine's clock. */
export function logCells(entry: LogEntry, names: Names): string[] {
  return [
    String(entry.sequence),
    localTime(entry.at),
    entry.operation,
    outcomeText(entry),
    entry.ticketId ?? sanitizeForTerminal(entry.excerpt ?? ''),
    entry.usesConsumed === null ? '' : String(entry.usesConsumed),
    withName(entry.keyId, names),
    sanitizeForTerminal(entry.serial ?? ''),
    sanitizeForTerminal(entry.reader ?? ''),
  ];
}

/** With the direction, where the key says one: `consumed in`, `opened out`. */
function outcomeText(entry: LogEntry): string {
  const { status, reason, replayed, undo, undoneBy, direction, done } = entry;
  if (undo) return sanitizeForTerminal(`${status} #${undo.sequence} by ${undo.by}: ${undo.reason}`);
  const later = undoneBy === undefined ? '' : ` (undone by #${undoneBy})`;
  const outcome = done ?? `${status}${reason === null ? '' : ` ${reason}`}`;
  return `${outcome}${direction ? ` ${direction}` : ''}${replayed ? ' (repeated)' : ''}${later}`;
}
