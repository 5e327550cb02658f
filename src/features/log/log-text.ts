import type { LogEntry } from '../../core/records.ts';
import { inZone, shownTime } from '../../core/time-zone.ts';
import { sanitizeForTerminal } from '../../kit/text.ts';
import { type Names, withName } from '../../terminal/results.ts';

const HEADS = ['OPERATION', 'OUTCOME', 'TICKET', 'USES', 'KEY', 'SERIAL', 'READER'];

/** @param zone absent where the output names it elsewhere */
export function logHeads(zone?: string): string[] {
  return ['#', zone === undefined ? 'TIME' : inZone('TIME', zone), ...HEADS];
}

/** A line for people. */
export function logCells(entry: LogEntry, names: Names, zone: string): string[] {
  return [
    String(entry.sequence),
    shownTime(entry.at, zone),
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
