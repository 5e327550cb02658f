import { isoTime } from '../../../core/clock.ts';
import type { LogEntry } from '../../../core/records.ts';
import { sanitizeForTerminal } from '../../../kit/safe-text.ts';

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

export function logCells(entry: LogEntry): string[] {
  return [
    String(entry.sequence),
    isoTime(entry.at) ?? '',
    entry.operation,
    outcomeText(entry),
    entry.ticketId ?? sanitizeForTerminal(entry.excerpt ?? ''),
    entry.usesConsumed === null ? '' : String(entry.usesConsumed),
    entry.keyId,
    sanitizeForTerminal(entry.serial ?? ''),
    sanitizeForTerminal(entry.reader ?? ''),
  ];
}

function outcomeText({ status, reason, replayed, undo, undoneBy }: LogEntry): string {
  if (undo) return sanitizeForTerminal(`${status} #${undo.sequence} by ${undo.by}: ${undo.reason}`);
  const later = undoneBy === undefined ? '' : ` (undone by #${undoneBy})`;
  return `${status}${reason === null ? '' : ` ${reason}`}${replayed ? ' (repeated)' : ''}${later}`;
}
