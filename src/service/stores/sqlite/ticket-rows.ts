import type { Ticket, TicketType } from '../../../core/ticket.ts';
import { eventOfTicketId } from '../../../core/ticket-id.ts';

/** What a scan reads of a ticket, with `ticket` as t and `ticket_use` as u. */
export const SCANNED_COLUMNS =
  't.ordinal, t.id, t.type, t.uses_allowed, t.first_name, t.last_name, t.valid_from, t.valid_until, ' +
  't.cancelled_at, t.created_at, u.uses_consumed, u.last_consumed_at';

/** A row of SCANNED_COLUMNS without names, as a statement gives it that returns arrays. */
export type TicketColumns = readonly [
  ordinal: number,
  id: string,
  type: TicketType,
  usesAllowed: number,
  firstName: string | null,
  lastName: string | null,
  validFrom: number | null,
  validUntil: number | null,
  cancelledAt: number | null,
  createdAt: number,
  usesConsumed: number,
  lastConsumedAt: number | null,
];

/** As `ticketFromRow`, without the cost of names. */
export function ticketFromColumns(columns: TicketColumns): Ticket {
  const [, id, ticketType, usesAllowed, firstName, lastName, validFrom, validUntil] = columns;
  return {
    id,
    eventId: eventOfTicketId(id) ?? '',
    ticketType,
    usesAllowed,
    holder: firstName === null ? null : { firstName, lastName: lastName ?? '' },
    validFrom,
    validUntil,
    createdAt: columns[9],
    usesConsumed: columns[10],
    lastConsumedAt: columns[11],
    cancelledAt: columns[8],
  };
}
