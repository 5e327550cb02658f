import type { Ticket, TicketType } from '../../../core/ticket.ts';
import { eventOfTicketId } from '../../../core/ticket-id.ts';
import { TICKET_COLUMNS } from '../ticket-row.ts';

/** What a scan reads of a ticket, with `ticket` as t and `ticket_use` as u, in the order of `TicketColumns`. */
export const SCANNED_COLUMNS = [
  ...TICKET_COLUMNS.map(([name]) => `t.${name}`),
  'u.uses_consumed',
  'u.last_consumed_at',
].join(', ');

/**
 * A ticket without names, as a statement gives it that returns arrays and as it crosses between the threads: names cost
 * as much as finding the row.
 */
export type TicketColumns = readonly [
  id: string,
  type: TicketType,
  usesAllowed: number,
  firstName: string | null,
  lastName: string | null,
  validFrom: number | null,
  validUntil: number | null,
  cancelledAt: number | null,
  createdAt: number,
  batch: string | null,
  usesConsumed: number,
  lastConsumedAt: number | null,
];

export function ticketFromColumns([
  id,
  ticketType,
  usesAllowed,
  firstName,
  lastName,
  validFrom,
  validUntil,
  cancelledAt,
  createdAt,
  batch,
  usesConsumed,
  lastConsumedAt,
]: readonly [...TicketColumns, ...unknown[]]): Ticket {
  const ticket: Ticket = {
    id,
    eventId: eventOfTicketId(id) ?? '',
    ticketType,
    usesAllowed,
    holder: firstName === null ? null : { firstName, lastName: lastName ?? '' },
    validFrom,
    validUntil,
    createdAt,
    usesConsumed,
    lastConsumedAt,
    cancelledAt,
  };
  return batch === null ? ticket : { ...ticket, batch };
}

export function columnsFromTicket(ticket: Ticket): TicketColumns {
  const columns: unknown[] = TICKET_COLUMNS.map(([, , value]) => value(ticket));
  columns.push(ticket.usesConsumed, ticket.lastConsumedAt);
  return columns as unknown as TicketColumns;
}
