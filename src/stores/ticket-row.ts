import { searchableName } from '../core/folded-text.ts';
import { isPersonal } from '../core/personal-texts.ts';
import type { Ticket, TicketType } from '../core/ticket.ts';
import { fieldsThat, ofEachField, type TicketFieldName } from '../core/ticket-fields.ts';
import {
  bigint,
  type Column,
  type Columns,
  derived,
  eventOfTicket,
  identifier,
  integer,
  nullable,
  onlyTrue,
  optional,
  text,
} from './sql/columns.ts';
import { columnsIn, type OtherColumn, type Table } from './sql/rows.ts';
import type { StoreRecords } from './transfer/records.ts';

const SEARCHED = fieldsThat(({ isSearched }) => isSearched);

/** The text of a ticket that searches compare: the names of its holder, and its fields; null if it has neither. */
export function foldedName(ticket: Pick<Ticket, 'holder' | TicketFieldName>): string | null {
  const { firstName = '', lastName = '' } = ticket.holder ?? {};
  const written = SEARCHED.map((name) => String(ticket[name] ?? ''));
  return searchableName([firstName, lastName, ...written]) || null;
}

/** The text that searches compare. JavaScript folds it: SQLite folds ASCII only, and no server folds as this program does. */
const FOLDED_NAME: OtherColumn<Ticket> = {
  ...nullable(text('folded_name')),
  of: foldedName,
};

const FIELDS = ofEachField(({ kind }, name) =>
  optional<string | true>(kind === 'text' ? text(name) : onlyTrue(name), null),
) as unknown as Pick<Columns<Ticket>, TicketFieldName>;

/** A name of a holder; a row that another program wrote may lack one. */
function nameOfHolder(name: string): Column<string> {
  return { name, type: 'text', isNullable: true, ifNull: '' };
}

/**
 * The tickets, read from the view `ticket_record`, because each engine counts uses in its own way. `batch` is the run of mint, import or create
 * that a ticket came with.
 */
export const TICKETS: Table<Ticket> = {
  table: 'ticket',
  columns: {
    id: identifier('ordered'),
    eventId: eventOfTicket(),
    ticketType: text('type', "CHECK (type IN ('single', 'multi'))"),
    usesAllowed: integer('uses_allowed'),
    holder: {
      members: { firstName: nameOfHolder('first_name'), lastName: nameOfHolder('last_name') },
      without: 'null',
    },
    validFrom: nullable(bigint('valid_from')),
    validUntil: nullable(bigint('valid_until')),
    cancelledAt: nullable(bigint('cancelled_at')),
    createdAt: bigint('created_at'),
    usesConsumed: derived(integer('uses_consumed')),
    lastConsumedAt: derived(nullable(bigint('last_consumed_at'))),
    batch: optional(text('batch'), null),
    ...FIELDS,
  },
  others: [FOLDED_NAME],
  end: 'changing',
};

/** The tickets with the counts that their store keeps. */
export const STORED_TICKETS: Table<StoreRecords['tickets']> = {
  table: 'ticket',
  columns: { ...TICKETS.columns, usesUnlogged: derived(integer('uses_unlogged')) },
};

type Member = keyof Ticket;

/** The columns that are written for a member of a ticket. */
function columnsOfMember(member: Member): Column[] {
  const written = columnsIn<object>({ [member]: TICKETS.columns[member] });
  return written.filter(({ isDerived }) => isDerived !== true);
}

/** Each member of a ticket that is stored, with its columns. */
export const STORED_MEMBERS = (Object.keys(TICKETS.columns) as Member[])
  .map((member) => ({ member, columns: columnsOfMember(member) }))
  .filter(({ columns }) => columns.length > 0);

/** The names of the columns with personal data of a guest. */
export const PERSONAL_COLUMNS: readonly string[] = [
  ...STORED_MEMBERS.filter(({ member }) => isPersonal(member)).flatMap(({ columns }) =>
    columns.map(({ name }) => name),
  ),
  FOLDED_NAME.name,
];

/** The members that a scan reads of a ticket whose id it knows, in the order of `TicketColumns`; the uses come last. */
const SCANNED_MEMBERS: readonly Member[] = [
  'ticketType',
  'usesAllowed',
  'holder',
  'validFrom',
  'validUntil',
  'cancelledAt',
  'createdAt',
  'batch',
];
export const SCANNED_COLUMNS = SCANNED_MEMBERS.flatMap(columnsOfMember)
  .map(({ name }) => name)
  .join(', ');

/**
 * A ticket as a scan reads it, as an array without member names and id. Statements return it and threads exchange it in this form.
 * Member names would cost as much as finding the row, and the caller knows the id. The type is written out, because every scan makes one.
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

/** @param eventId the event of that ticket; empty if its id is not well-formed */
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

/** The cursor before the first ticket. */
export const START = cursorOf(0);

/** The number in a cursor; undefined for a ticket id, which may stand for it. */
export function ordinalIn(after: string): number | undefined {
  const found = CURSOR.exec(after);
  return found ? Number(found[1]) : undefined;
}
