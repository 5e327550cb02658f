import { isAhead, isoTime } from '../../core/clock.ts';
import { parseDateTime } from '../../core/date-time.ts';
import { TicketscanError } from '../../core/errors.ts';
import { type Ticket, windowFrom } from '../../core/ticket.ts';
import { splitTicketCode } from '../../core/ticket-code.ts';
import { eventOfTicketId, isBatchId } from '../../core/ticket-id.ts';
import { checkTimeZone } from '../../core/time-zone.ts';
import { issueOf, type RawRow, type RowIssue } from './row-issue.ts';
import { SPEC_COLUMNS, specFromRow } from './ticket-spec.ts';

/** The columns of a list of tickets that exist already, as an export writes it. */
export const RECORD_COLUMNS = {
  ticketId: ['id', 'Ticketkennung', 'Ticketnummer'],
  code: ['Ticketcode'],
  event: ['Veranstaltungskennung'],
  eventName: ['Veranstaltung'],
  ...SPEC_COLUMNS,
  usesConsumed: ['Verbrauchte Nutzungen'],
  /** Follows from the rest and the time: an export writes it, and nobody reads it. */
  state: ['Zustand'],
  createdAt: ['Angelegt'],
  lastConsumedAt: ['Letzte Nutzung'],
  cancelledAt: ['Storniert'],
  /** `Charge` is what older German lists call it. */
  batch: ['Serie', 'Charge'],
  /** Of the times in this row, where they name none. */
  timeZone: ['Zeitzone'],
} as const;

/** A ticket of a list, with the name of its event where the list has it. */
export interface TicketRecord {
  readonly line: number;
  readonly ticket: Ticket;
  readonly eventName: string;
}

interface RowContext {
  readonly timeZone: string;
  /** Milliseconds since 1970 UTC; the time of creation for rows that do not say it. */
  readonly now: number;
  /** By the ids of events: a row may name its event by either. */
  readonly eventNames?: ReadonlyMap<string, string> | undefined;
}

/**
 * The ticket that a row describes, or everything that is wrong with the row.
 */
export function recordFromRow(
  row: RawRow,
  { timeZone: usual, now, eventNames = new Map() }: RowContext,
): { record: TicketRecord } | { faults: RowIssue[] } {
  const timeZone = zoneFrom(row, usual);
  if (typeof timeZone !== 'string') return { faults: [timeZone] };
  const made = specFromRow(row, {
    kind: 'single',
    window: windowFrom({}, Number),
    uses: undefined,
    timeZone,
  });
  const issues: RowIssue[] = 'faults' in made ? [...made.faults] : [];
  const cell = (column: string) => row.cells.get(column) ?? '';
  const read = <Value>(column: string, convert: (text: string) => Value): Value | undefined => {
    try {
      return convert(cell(column).trim());
    } catch (error) {
      if (!(error instanceof TicketscanError)) throw error;
      issues.push(issueOf(row.line, column, error));
      return undefined;
    }
  };
  const dateTime = (text: string) => (text === '' ? null : pastDateTime(text, timeZone, now));
  const id = read('ticketId', ticketIdFrom) ?? '';
  read('event', (text) => checkEvent(text, id, eventNames));
  read('code', (text) => checkCode(text, id));
  const createdAt = read('createdAt', dateTime) ?? now;
  const lastConsumedAt = read('lastConsumedAt', dateTime) ?? null;
  const cancelledAt = read('cancelledAt', dateTime) ?? null;
  const allowed = 'spec' in made ? made.spec.usesAllowed : Number.MAX_SAFE_INTEGER;
  const batch = read('batch', batchFrom);
  const usesConsumed = read('usesConsumed', (text) => countFrom(text, allowed)) ?? 0;
  if (issues.length > 0 || !('spec' in made)) return { faults: issues };
  const eventId = eventOfTicketId(id) ?? '';
  const history = { createdAt, usesConsumed, lastConsumedAt, cancelledAt };
  const ticket = { id, eventId, ...made.spec, ...history, ...(batch && { batch }) };
  return { record: { line: row.line, ticket, eventName: cell('eventName') } };
}

/** The zone that the row names, else the usual one. */
function zoneFrom({ cells, line }: RawRow, usual: string): string | RowIssue {
  const named = cells.get('timeZone')?.trim();
  try {
    return named ? checkTimeZone(named) : usual;
  } catch (error) {
    if (!(error instanceof TicketscanError)) throw error;
    return issueOf(line, 'timeZone', error);
  }
}

/** What happened already: a time from the future would make later uses lie there too. */
function pastDateTime(text: string, timeZone: string, now: number): number {
  const dateTime = parseDateTime(text, 'from', timeZone);
  if (!isAhead(dateTime, now)) return dateTime;
  throw new TicketscanError('usage', `"${text}" is in the future; it is ${isoTime(now)} now`, {
    reason: 'row_future',
    values: { text },
  });
}

function ticketIdFrom(text: string): string {
  if (eventOfTicketId(text) !== undefined) return text;
  throw new TicketscanError(
    'usage',
    `"${text}" is not a ticket id such as tkt_ab12cd_0123456789abcdefghij`,
    { reason: 'row_ticket_id', values: { text } },
  );
}

function batchFrom(text: string): string {
  if (text === '' || isBatchId(text)) return text;
  throw new TicketscanError('usage', `"${text}" is not a batch such as bat_0123456789`, {
    reason: 'row_batch',
    values: { text },
  });
}

function checkEvent(text: string, ticketId: string, eventNames: ReadonlyMap<string, string>): void {
  const eventId = eventOfTicketId(ticketId);
  if (text === '' || eventId === undefined || eventId === text) return;
  if (eventNames.get(eventId) === text) return;
  throw new TicketscanError('usage', `"${text}" is not the event that the ticket id names`, {
    reason: 'row_other_event',
    values: { named: text },
  });
}

function checkCode(text: string, ticketId: string): void {
  if (text === '' || ticketId === '' || splitTicketCode(text)?.ticketId === ticketId) return;
  throw new TicketscanError('usage', 'this code does not belong to the ticket', {
    reason: 'row_code',
  });
}

function countFrom(text: string, allowed: number): number {
  const count = Number(text === '' ? 0 : text);
  if (Number.isInteger(count) && count >= 0 && count <= allowed) return count;
  throw new TicketscanError('usage', `"${text}" is not a number of uses from 0 to ${allowed}`, {
    reason: 'row_consumed',
    values: { text, max: allowed },
  });
}
