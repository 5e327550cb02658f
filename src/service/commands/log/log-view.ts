import { isoTime } from '../../../core/clock.ts';
import type { LogEntry } from '../../../core/records.ts';
import { sanitizeForTerminal } from '../../../kit/safe-text.ts';

/** A log entry for machines. */
export function logJson(entry: LogEntry): Record<string, unknown> {
  const { at, action, status, ...others } = entry;
  return { ...others, at: isoTime(at), operation: action, outcome: status };
}

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
    entry.action,
    outcomeText(entry),
    entry.ticketId ?? sanitizeForTerminal(entry.excerpt ?? ''),
    entry.usesConsumed === null ? '' : String(entry.usesConsumed),
    entry.keyId,
    sanitizeForTerminal(entry.serial ?? ''),
    sanitizeForTerminal(entry.reader ?? ''),
  ];
}

function outcomeText({ status, reason, replayed }: LogEntry): string {
  return `${status}${reason === null ? '' : ` ${reason}`}${replayed ? ' (repeated)' : ''}`;
}
