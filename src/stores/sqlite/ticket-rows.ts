import type { Ticket, TicketType } from '../../core/ticket.ts';
import { eventOfTicketId } from '../../core/ticket-id.ts';

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

export interface TicketRow {
  readonly id: number;
  readonly public_id: string;
  readonly type: TicketType;
  readonly uses_allowed: number;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly valid_from: number | null;
  readonly valid_until: number | null;
  readonly cancelled_at: number | null;
  readonly created_at: number;
  readonly uses_consumed: number;
  readonly last_consumed_at: number | null;
}

export function ticketFrom(row: TicketRow): Ticket {
  return ticketFromColumns([
    row.id,
    row.public_id,
    row.type,
    row.uses_allowed,
    row.first_name,
    row.last_name,
    row.valid_from,
    row.valid_until,
    row.cancelled_at,
    row.created_at,
    row.uses_consumed,
    row.last_consumed_at,
  ]);
}

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
