import { searchableName } from '../core/folded-text.ts';
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

type Incoming = NewTicket & Partial<TicketHistory>;
type Value = string | number | null;

/** What an insert writes into each column, with the type of the column. */
const TICKET_COLUMNS: readonly (readonly [
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
  return holder && searchableName([holder.firstName, holder.lastName]);
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

/** The columns of texts that may be absent, the last ones of the table. */
export const ABSENT_TEXTS = ['batch', 'folded_name'];

const COLUMNS_WITHOUT_ID = TICKET_COLUMNS.map(([name]) => name).filter((name) => name !== 'id');

/** What a scan reads of a ticket whose id it knows, in the order of `TicketColumns`, which its uses end. */
export const SCANNED_COLUMNS = COLUMNS_WITHOUT_ID.join(', ');

export function ticketFromRow(row: TicketRow): Ticket {
  const columns = COLUMNS_WITHOUT_ID.map((name) => row[name]);
  const all = [...columns, row.uses_consumed, row.last_consumed_at] as unknown as TicketColumns;
  return ticketFromColumns(row.id, eventOfTicketId(row.id) ?? '', all);
}

/**
 * A ticket without names and without its id, as a statement gives it that returns arrays and as it crosses between the threads:
 * names cost as much as finding the row, and the caller knows the id.
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

const CURSOR = /^#(\d{1,15})$/;

/** The `next` of a page of tickets: a number alone, because the ticket there may be another organisation's. */
export function cursorOf(ordinal: number): string {
  return `#${ordinal}`;
}

/** Before the first ticket. */
export const START = cursorOf(0);

/** The number in a cursor; undefined for a ticket id, which may stand for it. */
export function ordinalIn(after: string): number | undefined {
  const found = CURSOR.exec(after);
  return found ? Number(found[1]) : undefined;
}
