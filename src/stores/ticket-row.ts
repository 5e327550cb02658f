import { foldedText } from '../core/folded-text.ts';
import type { Holder, NewTicket, Ticket, TicketHistory, TicketType } from '../core/ticket.ts';
import { eventOfTicketId } from '../core/ticket-id.ts';

/** A ticket as every database of ours keeps it. Times are milliseconds since 1970 UTC. */
export interface TicketRow {
  readonly id: string;
  readonly type: TicketType;
  readonly uses_allowed: number;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly valid_from: number | null;
  readonly valid_until: number | null;
  readonly cancelled_at: number | null;
  readonly created_at: number;
  readonly batch: string | null;
  readonly uses_consumed: number;
  readonly last_consumed_at: number | null;
}

export function ticketFromRow(row: TicketRow): Ticket {
  return {
    id: row.id,
    eventId: eventOfTicketId(row.id) ?? '',
    ticketType: row.type,
    usesAllowed: row.uses_allowed,
    holder:
      row.first_name === null ? null : { firstName: row.first_name, lastName: row.last_name ?? '' },
    validFrom: row.valid_from,
    validUntil: row.valid_until,
    createdAt: row.created_at,
    usesConsumed: row.uses_consumed,
    lastConsumedAt: row.last_consumed_at,
    cancelledAt: row.cancelled_at,
    ...(row.batch !== null && { batch: row.batch }),
  };
}

type Incoming = NewTicket & Partial<TicketHistory>;
type Value = string | number | null;

/** What an insert writes into each column, with the type of the column. */
export const TICKET_COLUMNS: readonly (readonly [
  name: keyof TicketRow,
  type: 'text' | 'integer' | 'bigint',
  value: (ticket: Incoming) => Value,
])[] = [
  ['id', 'text', ({ id }) => id],
  ['type', 'text', ({ ticketType }) => ticketType],
  ['uses_allowed', 'integer', ({ usesAllowed }) => usesAllowed],
  ['first_name', 'text', ({ holder }) => holder?.firstName ?? null],
  ['last_name', 'text', ({ holder }) => holder?.lastName ?? null],
  ['valid_from', 'bigint', ({ validFrom }) => validFrom],
  ['valid_until', 'bigint', ({ validUntil }) => validUntil],
  ['cancelled_at', 'bigint', ({ cancelledAt }) => cancelledAt ?? null],
  ['created_at', 'bigint', ({ createdAt }) => createdAt],
  ['batch', 'text', ({ batch }) => batch ?? null],
];

/** The name of a holder as searches compare it; null without one. To be written whenever the names are. */
export function foldedName(holder: Holder | null): string | null {
  return holder && foldedText(`${holder.firstName} ${holder.lastName}`);
}

/** `TICKET_COLUMNS`, and what is written for searches alone. */
export const WRITTEN_COLUMNS: readonly (readonly [
  name: string,
  type: 'text' | 'integer' | 'bigint',
  value: (ticket: Incoming) => Value,
])[] = [...TICKET_COLUMNS, ['folded_name', 'text', ({ holder }) => foldedName(holder)]];

/** All columns of a `TicketRow`, for a SELECT. */
export const TICKET_ROW = [
  ...TICKET_COLUMNS.map(([name]) => name),
  'uses_consumed',
  'last_consumed_at',
].join(', ');

const CURSOR = /^#(\d{1,15})$/;

/** The `next` of a page of tickets: a number alone, because the ticket there may be another organisation's. */
export function cursorOf(place: number): string {
  return `#${place}`;
}

/** Before the first ticket. */
export const START = cursorOf(0);

/** The number in a cursor; undefined for a ticket id, which may stand in its place. */
export function placeOf(after: string): number | undefined {
  const found = CURSOR.exec(after);
  return found ? Number(found[1]) : undefined;
}
