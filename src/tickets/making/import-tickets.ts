import { refuse } from '../../core/errors.ts';
import type { BatchedTicket, SkippedTickets, Ticket } from '../../core/ticket.ts';
import type { ReadList } from '../lists/read-list.ts';
import { issueAt } from '../lists/row-issues.ts';
import type { TicketRecord } from '../lists/ticket-list.ts';

/** Some 8 ms of a store's only writer, while guests wait at the gates. */
const STORED_AT_ONCE = 1000;

/** The part of a store that finds imported tickets. */
export interface TicketFinder {
  /** Returns the tickets that exist, in any order. */
  findTickets(
    ticketIds: readonly string[],
  ): Promise<readonly { readonly id: string; readonly reference?: string | undefined }[]>;
}

/** The records whose event is not among these, by its id. */
export function ofUnknownEvents(
  records: readonly TicketRecord[],
  events: readonly { readonly id: string }[],
): Map<string, TicketRecord[]> {
  const known = new Set(events.map(({ id }) => id));
  return Map.groupBy(
    records.filter(({ ticket }) => !known.has(ticket.eventId)),
    ({ ticket }) => ticket.eventId,
  );
}

/**
 * The records of a list that can be stored; the others become issues of it.
 * @param unknown those of events that there are not
 * @param finder looks for tickets that exist already; undefined where these are no issue
 * @param references `unique` where a ticket that is there with the reference of its row is no issue either: it is left out
 */
export async function storableRecords(
  { items, issues }: ReadList<TicketRecord>,
  unknown: ReadonlyMap<string, readonly TicketRecord[]>,
  finder: TicketFinder | undefined,
  references: 'unique' | undefined,
): Promise<TicketRecord[]> {
  for (const [event, rows] of unknown) {
    const error = refuse('row_unknown_event', { event });
    for (const { line } of rows) issues.push(issueAt(line, 'event', error));
  }
  const known = items.filter(({ ticket }) => !unknown.has(ticket.eventId));
  const there = finder ? await referencesThere(finder, known) : new Map();
  const existing = refuse('row_existing');
  return known.filter(({ ticket, line }) => {
    if (!there.has(ticket.id)) return true;
    const { reference } = ticket;
    if (references === 'unique' && reference !== undefined && there.get(ticket.id) === reference)
      return true;
    issues.push(issueAt(line, 'ticketId', existing));
    return false;
  });
}

/** The tickets that there are by their ids, each with its reference. */
async function referencesThere(
  finder: TicketFinder,
  records: readonly TicketRecord[],
): Promise<Map<string, string | undefined>> {
  const there = new Map<string, string | undefined>();
  for (const batch of batchesOf(inIndexOrder(records))) {
    const found = await finder.findTickets(batch.map(({ ticket }) => ticket.id));
    for (const { id, reference } of found) there.set(id, reference);
  }
  return there;
}

/** A ticket of a list, with its history. */
export type ImportedTicket = Ticket & BatchedTicket;

/** The result of an import. */
export interface Stored extends SkippedTickets {
  readonly imported: number;
  /** The batch of the tickets whose row names none; absent when there are none. */
  readonly batch?: string;
}

/**
 * Stores the tickets in batches, each as a whole or not at all.
 * @param batch the run that tickets get which name none
 * @param store resolves with the tickets of a batch that it skipped
 * @param onBatch called before each batch with the number of stored tickets; when it throws, no further batch begins
 */
export async function storeImported(
  records: readonly TicketRecord[],
  batch: string,
  store: (tickets: readonly ImportedTicket[]) => Promise<SkippedTickets>,
  onBatch: (count: number) => void = () => {},
): Promise<Stored> {
  let existing = 0;
  let known = 0;
  let done = 0;
  const batches = batchesOf(inIndexOrder(records));
  let next = nextTickets(batches, batch);
  while (next) {
    onBatch(done);
    const storing = store(next);
    done += next.length;
    next = nextTickets(batches, batch);
    const skipped = await storing;
    existing += skipped.existing;
    known += skipped.known;
  }
  const imported = records.length - existing - known;
  const isNamed = imported > 0 && records.some(({ ticket }) => ticket.batch === undefined);
  return { imported, existing, known, ...(isNamed && { batch }) };
}

/** Copies: the tickets of a batch lie all over the memory, and are fetched from there while the store works on the batch before. */
function nextTickets(
  batches: Iterator<readonly TicketRecord[]>,
  batch: string,
): ImportedTicket[] | undefined {
  return batches.next().value?.map(({ ticket }: TicketRecord) => ({ batch, ...ticket }));
}

function* batchesOf<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += STORED_AT_ONCE) {
    yield items.slice(start, start + STORED_AT_ONCE);
  }
}

/** Characters of an id. As a number to the base of 36, they fit into the 53 bits of a number together with an index in the list. */
const DIGITS = 5;
const LIST_MAX = 2 ** 26;

interface Listed {
  readonly ticket: { readonly id: string; readonly eventId: string };
}

/**
 * Tickets nearly in the order of their ids, so that those of a batch are neighbours in the index of a store: ids are random, and of
 * a list in any other order nearly each ticket of a batch changes a page of its own. Ids that `DIGITS` characters do not tell
 * apart stay in their order; numbers are sorted ten times as fast as texts.
 */
export function inIndexOrder<Item extends Listed>(items: readonly Item[]): Item[] {
  const events = [...Map.groupBy(items, ({ ticket }) => ticket.eventId)];
  events.sort(([a], [b]) => (a < b ? -1 : 1));
  return events.flatMap(([, ofEvent]) => byDigits(ofEvent));
}

function byDigits<Item extends Listed>(items: readonly Item[]): Item[] {
  const start = commonLength(items);
  const keys = new Float64Array(items.length);
  for (const [index, { ticket }] of items.entries()) {
    // Not a number where the id ends here: a shorter one than all others.
    const digits = Number.parseInt(ticket.id.slice(start, start + DIGITS), 36) || 0;
    keys[index] = digits * LIST_MAX + index;
  }
  return Array.from(keys.sort(), (key) => items[key % LIST_MAX] as Item);
}

/** How many characters all ids begin with: those of the event, and the zeros of ids that were counted. */
function commonLength(items: readonly Listed[]): number {
  const first = items[0]?.ticket.id ?? '';
  let length = first.length;
  for (const { ticket } of items) {
    while (!ticket.id.startsWith(first.slice(0, length))) length -= 1;
  }
  return length;
}
