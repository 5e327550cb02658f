import { refuse, TicketscanError } from '../../core/errors.ts';
import type { Holder, Ticket, TicketTerms, ValidityWindow } from '../../core/ticket.ts';
import { editedTicket, type TicketEdits } from '../../core/ticket-changes.ts';
import { fieldsOf } from '../../core/ticket-field-values.ts';
import type { RecordStore } from '../../stores/record-store.ts';
import { issueAt, type RowIssue } from '../../tickets/lists/row-issues.ts';
import type { SpecList } from '../../tickets/lists/ticket-list.ts';
import { NAMED_TICKETS_MAX, type TicketAdministration } from './rules.ts';

/*
 * A shop's list that is imported again. The reference says which ticket a row is about. Names, windows and cancellations of the list
 * are taken over; a cell that is empty changes nothing, a ticket that is cancelled here stays as it is, and a row that is gone from the
 * list says nothing.
 */

/** References that are looked for at once: some 10 ms of a store's only writer. */
const REFERENCES_AT_ONCE = 250;
/** Tickets that these may have: a row with a number has up to 1,000. */
const TICKETS_FOUND_MAX = 5000;

/** What a list can say otherwise of a ticket. */
export interface ChangedTerms extends Partial<ValidityWindow> {
  readonly holder?: Holder | null;
}

/** A ticket of which the list says something else. */
export interface TicketChange {
  readonly line: number;
  readonly ticketId: string;
  readonly reference: string;
  /** What changes, as it is now, and as the list has it. */
  readonly before: ChangedTerms;
  readonly after: ChangedTerms;
}

/** A ticket that the list says is cancelled, and that is not cancelled yet. */
type TicketCancellation = Pick<TicketChange, 'line' | 'ticketId' | 'reference'>;

/** A reference of which a list has another number of tickets than there are. Nobody knows which of them to make or cancel. */
export interface OtherNumber {
  readonly reference: string;
  readonly listed: number;
  readonly here: number;
}

/** What a list would change of the tickets that are there. */
export interface ListUpdate {
  readonly changed: readonly TicketChange[];
  readonly cancelled: readonly TicketCancellation[];
  /** Tickets that are as the list has them. */
  readonly unchanged: number;
  /** Tickets that are cancelled here and not in the list: they stay cancelled. */
  readonly stayCancelled: number;
  /** References that are known, but of another event or of a guest who was erased: nothing of these changes. */
  readonly elsewhere: number;
  /** Tickets of which the list says something else that it does not change. */
  readonly differing: number;
  readonly otherNumbers: readonly OtherNumber[];
  /** Changes that a ticket cannot take, such as an end before its beginning. */
  readonly issues: readonly RowIssue[];
}

type UpdateStore = Pick<RecordStore, 'knownReferences' | 'ticketsWithReferences'>;

/** The owner and the id of the event that a list is for. */
interface ListedEvent {
  readonly id: string;
  readonly organisationId: string;
}

/** Those of the references that are known already. Scans are answered between two questions. */
export async function knownAmong(
  store: UpdateStore,
  organisationId: string,
  references: Iterable<string>,
): Promise<ReadonlySet<string>> {
  const known = new Set<string>();
  for (const some of someAtOnce([...new Set(references)])) {
    for (const one of await store.knownReferences(organisationId, some)) known.add(one);
  }
  return known;
}

/** Compares a list with the tickets of its references, and changes nothing. @throws TicketscanError `usage` */
export async function planUpdate(
  store: UpdateStore,
  event: ListedEvent,
  { items, cancelled }: Pick<SpecList, 'items' | 'cancelled'>,
): Promise<ListUpdate> {
  const rows = rowsByReference({ items, cancelled });
  const plan = new UpdatePlan();
  for (const some of someAtOnce([...rows.keys()])) {
    const found = await ticketsOf(store, event.id, some);
    for (const reference of some) {
      const row = rows.get(reference);
      if (row) plan.addAll(found.get(reference) ?? [], { ...row, reference });
    }
    const others = some.filter((reference) => !found.has(reference));
    plan.elsewhere += (await store.knownReferences(event.organisationId, others)).length;
  }
  return plan;
}

/** The references of which a list has another number of tickets than an event. */
export async function otherNumbersOf(
  store: Pick<UpdateStore, 'ticketsWithReferences'>,
  event: Pick<ListedEvent, 'id'>,
  items: SpecList['items'],
): Promise<OtherNumber[]> {
  const others: OtherNumber[] = [];
  for (const some of someAtOnce([...rowsByReference({ items, cancelled: [] })])) {
    const rows = new Map(some);
    const found = await allTicketsOf(store, event.id, [...rows.keys()]);
    for (const [reference, { count }] of rows)
      others.push(...otherNumber(reference, count, found.get(reference) ?? []));
  }
  return others;
}

/** The tickets of references, however many they are. */
async function allTicketsOf(
  store: Pick<UpdateStore, 'ticketsWithReferences'>,
  eventId: string,
  references: readonly string[],
): Promise<Map<string, Ticket[]>> {
  const found = await store.ticketsWithReferences(eventId, references, TICKETS_FOUND_MAX + 1);
  if (found.length <= TICKETS_FOUND_MAX || references.length === 1)
    return Map.groupBy(found, ({ reference = '' }) => reference);
  const middle = Math.ceil(references.length / 2);
  const halves = [references.slice(0, middle), references.slice(middle)];
  const all = new Map<string, Ticket[]>();
  for (const half of halves)
    for (const [reference, tickets] of await allTicketsOf(store, eventId, half))
      all.set(reference, tickets);
  return all;
}

/**
 * Compares the numbers of a reference. Tickets that are cancelled here may be among those that the list has, or not: they are the hand
 * that the last message asked for. An order that is cancelled here as a whole has no wrong number.
 */
function otherNumber(
  reference: string,
  listed: number,
  tickets: readonly Pick<Ticket, 'cancelledAt'>[],
): OtherNumber[] {
  const valid = tickets.filter(({ cancelledAt }) => cancelledAt === null).length;
  if (valid === 0) return [];
  if (listed < valid) return [{ reference, listed, here: valid }];
  return listed > tickets.length ? [{ reference, listed, here: tickets.length }] : [];
}

/** A row, with what it says of its tickets; without it the row says that it was cancelled. */
interface ListedRow {
  readonly line: number;
  readonly terms?: TicketTerms;
  /** How many tickets it stands for. */
  readonly count: number;
}

function rowsByReference({ items, cancelled }: Pick<SpecList, 'items' | 'cancelled'>) {
  const rows = new Map<string, ListedRow>();
  // A row that stands for several tickets is there several times.
  for (const { line, terms } of items) {
    const { reference } = terms;
    if (reference === undefined) continue;
    rows.set(reference, { line, terms, count: (rows.get(reference)?.count ?? 0) + 1 });
  }
  for (const { line, reference } of cancelled)
    if (reference !== undefined) rows.set(reference, { line, count: 0 });
  return rows;
}

async function ticketsOf(
  store: UpdateStore,
  eventId: string,
  references: readonly string[],
): Promise<Map<string, Ticket[]>> {
  const found = await store.ticketsWithReferences(eventId, references, TICKETS_FOUND_MAX + 1);
  if (found.length > TICKETS_FOUND_MAX)
    throw refuse('references_many', { max: TICKETS_FOUND_MAX, count: references.length });
  return Map.groupBy(found, ({ reference = '' }) => reference);
}

class UpdatePlan implements ListUpdate {
  readonly changed: TicketChange[] = [];
  readonly cancelled: TicketCancellation[] = [];
  readonly otherNumbers: OtherNumber[] = [];
  readonly issues: RowIssue[] = [];
  unchanged = 0;
  stayCancelled = 0;
  elsewhere = 0;
  differing = 0;

  /** Compares a row with the tickets of its reference. */
  addAll(tickets: readonly Ticket[], row: ListedRow & { readonly reference: string }): void {
    if (row.terms) this.otherNumbers.push(...otherNumber(row.reference, row.count, tickets));
    for (const ticket of tickets) this.#add(ticket, row);
  }

  #add(
    ticket: Ticket,
    { line, terms, reference }: ListedRow & { readonly reference: string },
  ): void {
    const about = { line, ticketId: ticket.id, reference };
    const isCancelled = ticket.cancelledAt !== null;
    if (terms === undefined && !isCancelled) this.cancelled.push(about);
    else if (terms === undefined) this.unchanged += 1;
    else if (isCancelled) this.stayCancelled += 1;
    else {
      if (isOtherwise(ticket, terms)) this.differing += 1;
      this.#compare(ticket, about, termsChanged(ticket, terms));
    }
  }

  #compare(ticket: Ticket, about: TicketCancellation, after: ChangedTerms): void {
    const names = Object.keys(after) as (keyof ChangedTerms)[];
    if (names.length === 0) {
      this.unchanged += 1;
      return;
    }
    try {
      editedTicket(ticket, after);
    } catch (error) {
      if (!(error instanceof TicketscanError)) throw error;
      this.issues.push(issueAt(about.line, null, error));
      return;
    }
    const before = Object.fromEntries(names.map((name) => [name, ticket[name]]));
    this.changed.push({ ...about, before, after });
  }
}

/** What a row says otherwise. */
function termsChanged(
  ticket: Ticket,
  { holder, validFrom, validUntil }: TicketTerms,
): ChangedTerms {
  return {
    ...(holder !== null && !isSamePerson(ticket.holder, holder) && { holder }),
    ...(validFrom !== null && validFrom !== ticket.validFrom && { validFrom }),
    ...(validUntil !== null && validUntil !== ticket.validUntil && { validUntil }),
  };
}

/** Whether a row says otherwise what a list does not change. An empty cell says nothing. */
function isOtherwise(ticket: Ticket, terms: TicketTerms): boolean {
  const { ticketType, usesAllowed } = terms;
  const fields = Object.entries(fieldsOf(terms)) as [keyof Ticket, unknown][];
  return (
    ticketType !== ticket.ticketType ||
    usesAllowed !== ticket.usesAllowed ||
    fields.some(([name, value]) => value !== ticket[name])
  );
}

/** A list may have the whole name in one column, which was split here, or the other way round. */
function isSamePerson(one: Holder | null, other: Holder): boolean {
  return one !== null && wholeName(one) === wholeName(other);
}

/** The name of a holder as people read it. */
export function wholeName({ firstName, lastName }: Holder): string {
  return `${firstName} ${lastName}`.trim();
}

/** Cancels and changes what a list says, first what must not get in any more. After a crash, the same list does the rest. */
export async function applyUpdate(
  administration: TicketAdministration,
  { cancelled, changed }: Pick<ListUpdate, 'cancelled' | 'changed'>,
): Promise<void> {
  const ids = cancelled.map(({ ticketId }) => ticketId);
  for (let from = 0; from < ids.length; from += NAMED_TICKETS_MAX)
    await administration.cancel(ids.slice(from, from + NAMED_TICKETS_MAX));
  for (const { ticketId, after } of changed) {
    const edits: TicketEdits = after;
    await administration.edit(ticketId, edits);
  }
}

function* someAtOnce<Each>(references: readonly Each[]): Generator<readonly Each[]> {
  for (let from = 0; from < references.length; from += REFERENCES_AT_ONCE)
    yield references.slice(from, from + REFERENCES_AT_ONCE);
}
