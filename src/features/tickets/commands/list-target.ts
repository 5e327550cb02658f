import { randomBytes } from 'node:crypto';
import type * as z from 'zod';
import { isoTime } from '../../../core/clock.ts';
import { TicketscanError } from '../../../core/errors.ts';
import type { EventRecord } from '../../../core/records.ts';
import type { TicketTerms } from '../../../core/ticket.ts';
import { makeTicketId } from '../../../core/ticket-id.ts';
import { defined } from '../../../kit/defined.ts';
import type { RowIssue } from '../../../tickets/lists/row-issues.ts';
import type { SpecList } from '../../../tickets/lists/ticket-list.ts';
import { COMMAND_LINE } from '../../actor.ts';
import type { DataAccess, OpenStore } from '../../data-access.ts';
import {
  applyUpdate,
  knownAmong,
  type ListUpdate,
  type OtherNumber,
  otherNumbersOf,
  planUpdate,
} from '../list-update.ts';
import { CreatedFromList } from '../routes/from-list.ts';
import { ImportRefused, ListPreview } from '../routes/list-reading.ts';
import { TicketAdministration } from '../rules.ts';

/** The rows of a list: those that ask for a ticket, and those that were cancelled. */
export type ListRows = Pick<SpecList, 'items' | 'cancelled'>;

/** What a list would do: tickets that it makes, and those that it changes. */
export interface ListPlan {
  /** Tickets that are made. */
  readonly made: number;
  /** Tickets that are not made, because their reference is known. */
  readonly known: number;
  /** Where each reference is to be there once: those of which the list has another number of tickets. */
  readonly otherNumbers: readonly OtherNumber[];
  /** Undefined where tickets that are there are left alone. */
  readonly update: ListUpdate | undefined;
}

/** What is asked of a list. */
interface Asked {
  /** Tickets that are there are changed too. */
  readonly updates: boolean;
  /** Rows whose reference is known make no ticket. */
  readonly isUnique: boolean;
}

/** The tickets of an event that a list changes: in a store that is open here, or at a server. */
export interface ListTarget {
  /** Compares a list with the tickets that are there, and changes nothing. */
  plan(rows: ListRows, asked: Asked): Promise<ListPlan>;
  /** Changes and cancels what `plan` says; makes none. */
  apply(rows: ListRows, update: ListUpdate): Promise<void>;
  /** Makes tickets, each part as a whole or not at all. @returns how many were left out, because their reference is known */
  make(items: ListRows['items'], how: Pick<Asked, 'isUnique'> & Making): Promise<number>;
}

interface Making {
  readonly batch: string;
  /** Called before each part with the number of tickets that are done; when it throws, no further part begins. */
  readonly onPart: (done: number) => void;
}

/** Some 8 ms of a store's only writer, and as many as one request makes. */
const MADE_AT_ONCE = 1000;

/** Parts of the tickets to make. The tickets of a row stay together: their reference is known as soon as the first of them is there. */
async function makeInParts(
  items: ListRows['items'],
  onPart: Making['onPart'],
  make: (part: ListRows['items']) => Promise<number>,
): Promise<number> {
  let known = 0;
  for (let from = 0, to = 0; from < items.length; from = to) {
    to = from + MADE_AT_ONCE;
    // The tickets of a row are one item, several times.
    while (to < items.length && items[to] === items[to - 1]) to -= 1;
    onPart(from);
    known += await make(items.slice(from, to));
  }
  return known;
}

export function storeTarget(
  { store, clock }: Pick<OpenStore, 'store' | 'clock'>,
  event: Pick<EventRecord, 'id' | 'organisationId'>,
): ListTarget {
  const administration = new TicketAdministration(store, clock, randomBytes, COMMAND_LINE);
  return {
    async plan(rows, { updates, isUnique }) {
      const update = updates ? await planUpdate(store, event, rows) : undefined;
      const total = rows.items.length;
      if (!isUnique) return { made: total, known: 0, otherNumbers: [], update };
      const otherNumbers = update?.otherNumbers ?? (await otherNumbersOf(store, event, rows.items));
      const references = rows.items.map(({ terms }) => terms.reference ?? '');
      const there = await knownAmong(store, event.organisationId, references);
      const known = references.filter((reference) => there.has(reference)).length;
      return { made: total - known, known, otherNumbers, update };
    },
    apply: (_, update) => applyUpdate(administration, update),
    make: (items, { isUnique, batch, onPart }) =>
      makeInParts(items, onPart, async (part) => {
        const { id: eventId } = event;
        const tickets = part.map(({ terms }) => ({
          ...terms,
          id: makeTicketId(eventId, randomBytes),
          eventId,
          createdAt: clock.now(),
          batch,
        }));
        const references = isUnique ? ('unique' as const) : undefined;
        return (await administration.add(event, tickets, { batch }, references)).known;
      }),
  };
}

/** Rows of one request: a server looks for so many references at once. */
const ROWS_AT_ONCE = 250;

/** What sends lines to a server. */
type Sender = Pick<NonNullable<DataAccess['client']>, 'postLines'>;

/** A row as a server reads it. */
interface SentRow {
  readonly line: number;
  readonly json: Readonly<Record<string, unknown>>;
}

type Preview = z.output<typeof ListPreview>;

export function serverTarget(client: Sender, event: Pick<EventRecord, 'id'>): ListTarget {
  return {
    async plan({ items, cancelled }, { updates, isUnique }) {
      const total = items.length;
      if (!updates && !isUnique)
        return { made: total, known: 0, otherNumbers: [], update: undefined };
      const path = pathFor(event, { update: updates, preview: true, uniqueReference: true });
      const plan = new ServerPlan();
      await inParts(sentRows({ items, cancelled }), (rows) =>
        plan.ask((some) => send(client, path, some, ListPreview), rows),
      );
      const { made, known, otherNumbers } = plan;
      return { made, known, otherNumbers, update: updates ? plan : undefined };
    },
    async apply({ items, cancelled }, update) {
      const changes = [...update.cancelled, ...update.changed];
      const touched = new Set<string | undefined>(changes.map(({ reference }) => reference));
      const rows = sentRows({
        items: items.filter(({ terms }) => touched.has(terms.reference)),
        cancelled: cancelled.filter(({ reference }) => touched.has(reference)),
      });
      const path = pathFor(event, { update: true });
      await inParts(rows, async (some) => {
        await done(some, await send(client, path, some, CreatedFromList));
      });
    },
    make: (items, { isUnique, batch, onPart }) =>
      makeInParts(items, onPart, async (part) => {
        const rows = sentRows({ items: part, cancelled: [] });
        const path = pathFor(event, { uniqueReference: isUnique, batch });
        return done(rows, await send(client, path, rows, CreatedFromList)).known;
      }),
  };
}

/** @throws TicketscanError `conflict` where the server refuses what it took in the preview: somebody else changed the tickets meanwhile */
function done<Answer extends object>(
  rows: readonly SentRow[],
  answer: Answer | z.output<typeof ImportRefused>,
): Answer {
  if (!('faults' in answer)) return answer;
  const [first] = answer.faults;
  const where = `line ${lineOf(rows, first?.line ?? 1)}`;
  throw new TicketscanError('conflict', `${where}: ${first?.message ?? answer.message}`);
}

/** What a server would do, put together from its answers about parts of a list. */
class ServerPlan implements ListUpdate {
  readonly changed: ListUpdate['changed'][number][] = [];
  readonly cancelled: ListUpdate['cancelled'][number][] = [];
  readonly otherNumbers: OtherNumber[] = [];
  readonly issues: RowIssue[] = [];
  unchanged = 0;
  stayCancelled = 0;
  elsewhere = 0;
  differing = 0;
  made = 0;
  known = 0;

  /** Asks about rows; what is wrong with some is noted, and the others are asked about again. */
  async ask(
    preview: (rows: readonly SentRow[]) => Promise<Preview | z.output<typeof ImportRefused>>,
    rows: readonly SentRow[],
  ): Promise<void> {
    if (rows.length === 0) return;
    const answer = await preview(rows);
    if (!('faults' in answer)) {
      this.#add(answer, rows);
      return;
    }
    const bad = new Set(answer.badLines);
    if (bad.size === 0) throw new TicketscanError('usage', answer.message);
    await this.ask(
      preview,
      rows.filter((_, at) => !bad.has(at + 1)),
    );
    for (const { lines, column, message, code, values } of answer.faults)
      for (const at of lines) {
        const explained = { reason: code as RowIssue['reason'], ...defined({ values }) };
        this.issues.push({ line: lineOf(rows, at), column, message, ...explained });
      }
  }

  #add({ tickets, known, changes, otherNumbers }: Preview, rows: readonly SentRow[]): void {
    this.made += tickets - known;
    this.known += known;
    this.otherNumbers.push(...(otherNumbers?.first ?? []));
    if (!changes) return;
    this.unchanged += changes.unchanged;
    this.stayCancelled += changes.stayCancelled;
    this.elsewhere += changes.elsewhere;
    this.differing += changes.differing;
    for (const { isCancelled, line: at, ...change } of changes.first) {
      const line = lineOf(rows, at);
      const { ticketId, reference } = change;
      if (isCancelled) this.cancelled.push({ line, ticketId, reference });
      else {
        const [before, after] = [defined(change.before), defined(change.after)];
        this.changed.push({ line, ticketId, reference, before, after });
      }
    }
  }
}

/** The line of the list from which a line of a request is. */
function lineOf(rows: readonly SentRow[], at: number): number {
  return rows[at - 1]?.line ?? 1;
}

/** The member of a row that says that it was cancelled, and its value. */
const CANCELLED = { listed: 'cancelled' };

function pathFor(
  { id }: Pick<EventRecord, 'id'>,
  asked: Readonly<Record<string, string | boolean>>,
): string {
  const query = new URLSearchParams({
    event: id,
    quantity: 'quantity',
    cancelled: JSON.stringify({ listed: [CANCELLED.listed] }),
    changesShown: '20000',
  });
  for (const [name, value] of Object.entries(asked)) query.set(name, String(value));
  return `/tickets/from-list?${query}`;
}

function send<Schema extends z.ZodType>(
  client: Sender,
  path: string,
  rows: readonly SentRow[],
  schema: Schema,
) {
  const lines = rows.map(({ json }) => `${JSON.stringify(json)}\n`);
  return client.postLines(path, schema, lines.join(''), ImportRefused);
}

/** Each row once, also where it stands for several tickets. */
function sentRows({ items, cancelled }: ListRows): SentRow[] {
  const quantities = new Map<ListRows['items'][number], number>();
  for (const item of items) quantities.set(item, (quantities.get(item) ?? 0) + 1);
  return [
    ...cancelled.map(({ line, reference = '' }) => ({
      line,
      json: { reference, quantity: 1, ...CANCELLED },
    })),
    ...[...quantities].map(([{ line, terms }, quantity]) => ({
      line,
      json: { ...rowOf(terms), quantity, listed: '' },
    })),
  ];
}

function rowOf({ ticketType, usesAllowed, holder, validFrom, validUntil, ...fields }: TicketTerms) {
  return {
    type: ticketType,
    uses: usesAllowed,
    holder,
    validFrom: isoTime(validFrom),
    validUntil: isoTime(validUntil),
    ...fields,
  };
}

/** Does rows in parts of one request each. A part whose tickets are too many for a request is done in halves. */
async function inParts(
  rows: readonly SentRow[],
  work: (rows: readonly SentRow[]) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE)
    await inHalves(rows.slice(from, from + ROWS_AT_ONCE), work);
}

async function inHalves(
  rows: readonly SentRow[],
  work: (rows: readonly SentRow[]) => Promise<void>,
): Promise<void> {
  try {
    await work(rows);
  } catch (error) {
    const isRefused = error instanceof TicketscanError && error.code === 'usage';
    if (!isRefused || rows.length === 1) throw error;
    const middle = Math.ceil(rows.length / 2);
    await inHalves(rows.slice(0, middle), work);
    await inHalves(rows.slice(middle), work);
  }
}
