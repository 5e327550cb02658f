import type { Ticket, TicketType } from '../../../core/ticket.ts';
import { TICKET_COLUMNS } from '../ticket-row.ts';

/** What a scan reads of a ticket whose id it knows, in the order of `TicketColumns`, which its uses end. */
export const SCANNED_COLUMNS = TICKET_COLUMNS.map(([name]) => name)
  .filter((name) => name !== 'id')
  .join(', ');

/**
 * A ticket without names and without its id, as a statement gives it that returns arrays and as it crosses between the threads:
 * names cost as much as finding the row, and who asks about a ticket knows its id.
 */
export type TicketColumns = readonly [
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

/** @param eventId of that ticket; empty where its id is not well-formed */
export function ticketFromColumns(
  id: string,
  eventId: string,
  [
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
  ]: readonly [...TicketColumns, ...unknown[]],
): Ticket {
  const ticket: Ticket = {
    id,
    eventId,
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
  const { holder } = ticket;
  return [
    ticket.ticketType,
    ticket.usesAllowed,
    holder?.firstName ?? null,
    holder?.lastName ?? null,
    ticket.validFrom,
    ticket.validUntil,
    ticket.cancelledAt,
    ticket.createdAt,
    ticket.batch ?? null,
    ticket.usesConsumed,
    ticket.lastConsumedAt,
  ];
}
