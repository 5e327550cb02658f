import { searchableName } from '../core/folded-text.ts';
import { IS_PERSONAL } from '../core/personal-texts.ts';
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

/** A column of the tickets: what an insert writes into it, and the member that this is made of. */
type Column<Name extends string = string> = readonly [
  name: Name,
  type: 'text' | 'integer' | 'bigint',
  value: (ticket: Incoming) => Value,
  member: keyof Ticket,
];

/** A column whose value is made of one member, and of nothing else. */
function column<Name extends string, Member extends keyof Incoming>(
  name: Name,
  type: Column[1],
  member: Member,
  value: (of: Incoming[Member]) => Value,
): Column<Name> {
  return [name, type, (ticket) => value(ticket[member]), member];
}

const orNull = (value: string | number | null | undefined) => value ?? null;

const TICKET_COLUMNS: readonly Column<keyof TicketRow>[] = [
  column('id', 'text', 'id', orNull),
  column('type', 'text', 'ticketType', orNull),
  column('uses_allowed', 'integer', 'usesAllowed', orNull),
  column('first_name', 'text', 'holder', (holder) => holder?.firstName ?? null),
  column('last_name', 'text', 'holder', (holder) => holder?.lastName ?? null),
  column('valid_from', 'bigint', 'validFrom', orNull),
  column('valid_until', 'bigint', 'validUntil', orNull),
  column('cancelled_at', 'bigint', 'cancelledAt', orNull),
  column('created_at', 'bigint', 'createdAt', orNull),
  column('batch', 'text', 'batch', orNull),
];

/** The name of a holder as searches compare it; null without one. */
export function foldedName(holder: Holder | null): string | null {
  return holder && searchableName([holder.firstName, holder.lastName]);
}

/** `TICKET_COLUMNS`, and what is written for searches alone. */
export const WRITTEN_COLUMNS: readonly Column[] = [
  ...TICKET_COLUMNS,
  column('folded_name', 'text', 'holder', foldedName),
];

/** The columns that tell of a guest. */
export const PERSONAL_COLUMNS = WRITTEN_COLUMNS.filter(([, , , member]) => IS_PERSONAL[member]).map(
  ([name]) => name,
);

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
