import type { Ticket, TicketType } from '../../core/ticket.ts';
import { eventOfTicketId } from '../../core/ticket-id.ts';
import { type TicketRow as AnyTicketRow, ticketFromRow } from '../ticket-row.ts';

/** With `ticket` as t and `ticket_use` or `ticket_now` as u. */
export const TICKET_COLUMNS =
  't.id, t.public_id, t.type, t.uses_allowed, t.first_name, t.last_name, t.valid_from, t.valid_until, ' +
  't.cancelled_at, t.created_at, u.uses_consumed, u.last_consumed_at';

/** A row of TICKET_COLUMNS without names, as a statement gives it that returns arrays. */
export type TicketColumns = readonly [
  id: number,
  publicId: string,
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

export interface TicketRow extends AnyTicketRow {
  readonly public_id: string;
}

export function ticketFrom(row: TicketRow): Ticket {
  return ticketFromRow(row.public_id, row);
}

/** As `ticketFrom`, for what is read with every scan. */
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
