import type { NewAuditLogEntry } from '../../core/administrative-records.ts';
import type { Clock } from '../../core/clock.ts';
import { refuse, TicketscanError } from '../../core/errors.ts';
import { isSameHolder } from '../../core/guest-holdings.ts';
import type { EventRecord, LogEntry } from '../../core/records.ts';
import type { BatchedTicket, SkippedTickets, Ticket, TicketHistory } from '../../core/ticket.ts';
import { newTicket, type TicketEdits, type TicketOptions } from '../../core/ticket-changes.ts';
import { eventOfTicketId, makeBatchId, makeTicketId } from '../../core/ticket-id.ts';
import { checkedReason, undoable } from '../../core/undo.ts';
import { defined } from '../../kit/defined.ts';
import type { RandomBytes } from '../../kit/random.ts';
import type { InsertOptions, RecordStore } from '../../stores/record-store.ts';
import type { LogStore } from '../../stores/store.ts';
import { START } from '../../stores/ticket-row.ts';
import { type Actor, auditEntryOf } from '../actor.ts';
import { allEntries, newestSequence } from '../log/log-reader.ts';
import { plannedEvents } from './new-owners.ts';

/** The lowest role that may see, print and copy the codes of tickets: any person who has a code is admitted with it. */
export const CODES_FROM = 'operator';

/** Tickets whose holders one request may erase. */
export const ERASED_AT_ONCE_MAX = 100;
/** Tickets that one request may name. */
export const NAMED_TICKETS_MAX = 500;
/** Tickets that one request may make. */
export const TICKETS_AT_ONCE_MAX = 1000;
/** The longest search in tickets, also of an export. */
export const SEARCH_CHARACTERS_MAX = 200;
/** Tickets that one step changes: the store works on them for some 50 ms. */
const STEP_TICKETS = 5000;
/** Tickets that one step examines. */
const SEARCH_MAX = 20_000;

type IncomingTicket = BatchedTicket & Partial<TicketHistory>;

/** The event of new tickets; null for the organisation of an unknown event. */
interface TicketEvent {
  readonly id: string;
  readonly organisationId: string | null;
}

/** Tickets of one event, of one batch, or with one reference. */
export interface ManyTickets {
  readonly eventIds: readonly string[];
  readonly batch?: string | undefined;
  readonly reference?: string | undefined;
}

/** The result of one step over many tickets. */
export interface StepDone {
  readonly changed: number;
  /** Left as they were: cancelled or reinstated before; of a deletion, used or in the log. */
  readonly kept: number;
  /** Where the next step continues; null when all are done. */
  readonly next: string | null;
}

interface StepOnTickets extends StepDone {
  /** The tickets that it was to change; none of a deletion. */
  readonly ids: readonly string[];
}

type TicketStore = RecordStore & Pick<LogStore, 'searchLog'>;

/** Changes of tickets, each with its audit entry. */
export class TicketAdministration {
  readonly #store: TicketStore;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #random: RandomBytes;
  readonly #actor: Actor;
  readonly #organisationId: string | null;

  /** @param organisationId of all tickets that will be changed; null where each belongs to that of its event */
  constructor(
    store: TicketStore,
    clock: Pick<Clock, 'now'>,
    random: RandomBytes,
    actor: Actor,
    organisationId: string | null = null,
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#random = random;
    this.#actor = actor;
    this.#organisationId = organisationId;
  }

  /**
   * Makes `count` tickets alike, all or none.
   * @param references `unique`: no other ticket of the organisation may have their reference
   * @throws TicketscanError `usage`, and `conflict` for a reference that is known
   */
  async create(
    event: TicketEvent,
    options: Omit<TicketOptions, 'eventId'>,
    count: number,
    references?: 'unique',
  ): Promise<BatchedTicket[]> {
    const now = this.#clock.now();
    const batch = makeBatchId(this.#random);
    const tickets = Array.from({ length: count }, () => ({
      ...newTicket({ ...options, eventId: event.id }, now, this.#random),
      batch,
    }));
    const reference = tickets[0]?.reference;
    if (references === 'unique' && reference === undefined) throw refuse('reference_missing');
    const { known } = await this.add(event, tickets, { kind: options.kind, batch }, references);
    if (known > 0) throw refuse('reference_known', {}, { of: reference ?? '' });
    return tickets;
  }

  /**
   * Stores new tickets of an event, all or none.
   * @param details what the audit entry says besides their number
   * @param references `unique`: those whose reference is known are left out
   * @throws as `insertTickets` does
   */
  async add(
    { id: subject, organisationId }: TicketEvent,
    tickets: readonly IncomingTicket[],
    details: Readonly<Record<string, unknown>> = {},
    references?: 'unique',
  ): Promise<SkippedTickets> {
    const told = { count: tickets.length, ...details };
    const change = { act: 'ticket.create', subject, organisationId, details: told };
    const auditEntry = auditEntryOf(this.#actor, this.#clock, change);
    const options: InsertOptions = { existing: 'refuse', ...defined({ references }) };
    return this.#store.insertTickets(tickets, auditEntry, options);
  }

  /**
   * Stores tickets that exist already, with their history; all or none.
   * @returns which were skipped
   * @throws as `insertTickets` does
   */
  async import(
    tickets: readonly IncomingTicket[],
    options: InsertOptions,
  ): Promise<SkippedTickets> {
    const created = options.owners && plannedEvents(options.owners);
    const events = [...new Set(tickets.map(({ eventId }) => eventId))];
    const organisationId = await this.#ownerOf(events, created);
    const details = { count: tickets.length, events };
    const change = { act: 'ticket.import', subject: organisationId ?? '', organisationId, details };
    const auditEntry = auditEntryOf(this.#actor, this.#clock, change);
    return this.#store.insertTickets(tickets, auditEntry, options);
  }

  /**
   * Cancels tickets, all or none. Applies to every scan that starts after this resolves.
   * @param about the event or batch that they are all of
   * @returns how many were not cancelled before
   * @throws TicketscanError `not_found`
   */
  async cancel(ticketIds: readonly string[], about?: string): Promise<number> {
    const auditEntry = await this.#auditEntry('ticket.cancel', ticketIds, about);
    return this.#store.cancelTickets(ticketIds, auditEntry.at, auditEntry);
  }

  /**
   * Undoes `cancel`, in the same way. Of an event or batch, tickets that were replaced stay cancelled.
   * @throws TicketscanError `not_found`, `conflict` for a named ticket that was replaced
   */
  async reinstate(ticketIds: readonly string[], about?: string): Promise<number> {
    if (about === undefined) await this.#refuseReplaced(ticketIds);
    const auditEntry = await this.#auditEntry('ticket.reinstate', ticketIds, about);
    return this.#store.cancelTickets(ticketIds, null, auditEntry);
  }

  async #refuseReplaced(ticketIds: readonly string[]): Promise<void> {
    for (const id of ticketIds) {
      const { replacedBy } = await linksOfTicket(this.#store, id);
      if (replacedBy === null) continue;
      throw refuse('ticket_replaced', {}, { of: id, detail: `It was replaced by ${replacedBy}.` });
    }
  }

  /**
   * Cancels a lost ticket and issues another in its place, with its uses.
   * @returns the new one
   * @throws TicketscanError `not_found`, `conflict` for a cancelled one, which names the replacement that it has
   */
  async replace(ticketId: string): Promise<Ticket> {
    await this.#refuseReplaced([ticketId]);
    const newId = makeTicketId(eventOfTicketId(ticketId) ?? '', this.#random);
    const auditEntry = await this.#auditEntry('ticket.replace', [ticketId]);
    const details = { replacedBy: newId };
    return this.#store.replaceTicket(ticketId, newId, { ...auditEntry, details });
  }

  /**
   * Cancels, reinstates or deletes many tickets, some in each step, so that gates are answered between the steps.
   * @param after the `next` of the step before
   */
  async step(
    action: 'cancel' | 'reinstate' | 'delete',
    { eventIds, batch, reference }: ManyTickets,
    after: string | null,
  ): Promise<StepOnTickets> {
    const page = await this.#store.searchTickets({
      eventIds,
      limit: STEP_TICKETS,
      searchMax: SEARCH_MAX,
      ...(batch !== undefined && { batch }),
      ...(reference !== undefined && { reference }),
      ...(after !== null && { afterId: after }),
    });
    const about = batch ?? (reference === undefined ? (eventIds[0] ?? '') : '');
    const idsWhere = (isWanted: (ticket: Ticket) => boolean) =>
      page.tickets.filter(isWanted).map(({ id }) => id);
    if (action !== 'delete') {
      const isCancelled = action === 'reinstate';
      const wanted = idsWhere(({ cancelledAt }) => (cancelledAt !== null) === isCancelled);
      const changed = await this[action](wanted, about);
      return { changed, kept: page.tickets.length - changed, next: page.next, ids: wanted };
    }
    const unused = idsWhere(({ usesConsumed }) => usesConsumed === 0);
    const deleted = new Set(await this.delete(unused, about));
    const kept = idsWhere(({ id }) => !deleted.has(id));
    // A cursor can be a count of tickets, which the deletions change: continue after the last ticket that still exists.
    const next = deleted.size === 0 ? page.next : (kept.at(-1) ?? after ?? START);
    const done = { changed: deleted.size, kept: kept.length, ids: [] };
    return { ...done, next: page.next === null ? null : next };
  }

  /**
   * Removes the holders of tickets, also from stored answers and from audit entries, and the reasons of their undone uses. A replacement
   * for the same holder, and the ticket that was lost, go with it.
   * @returns how many tickets had one of them
   */
  async eraseHolders(ticketIds: readonly string[]): Promise<number> {
    const every = await this.#withReplacements(ticketIds);
    // An erasure of many tickets names none: a list of them would say who asked to be forgotten.
    const about = every.length > 1 ? '' : undefined;
    const auditEntry = await this.#auditEntry('ticket.erase', every, about);
    return this.#store.eraseHolders(every, auditEntry);
  }

  async #withReplacements(ticketIds: readonly string[]): Promise<string[]> {
    const every = new Set(ticketIds);
    for (const id of every) {
      const { replaces, replacedBy } = await linksOfTicket(this.#store, id);
      const linked = [replaces, replacedBy].filter((one) => one !== null);
      if (linked.length === 0) continue;
      const holder = (await this.#store.findTicket(id))?.holder;
      for (const other of await this.#store.findTickets(linked)) {
        if (isSameHolder(holder, other.holder)) every.add(other.id);
      }
    }
    return [...every];
  }

  /** Changes what was sold. @throws TicketscanError `not_found`, `usage`, `conflict`, as `editedTicket` does */
  async edit(ticketId: string, edits: TicketEdits): Promise<Ticket> {
    const auditEntry = await this.#auditEntry('ticket.edit', [ticketId]);
    return this.#store.editTicket(ticketId, edits, auditEntry);
  }

  /**
   * Deletes those of the tickets that were never used and are not in the log.
   * @param about as for `cancel`
   * @returns the ids of those that were deleted
   */
  async delete(ticketIds: readonly string[], about?: string): Promise<string[]> {
    const { logged, upTo } = await loggedTickets(this.#store, ticketIds);
    const unlogged = ticketIds.filter((id) => !logged.has(id));
    const auditEntry = await this.#auditEntry('ticket.delete', ticketIds, about);
    return this.#store.deleteTickets(unlogged, upTo, auditEntry);
  }

  /** @throws TicketscanError `not_found`, `conflict` for a ticket that was used or is in the log */
  async deleteOne(ticketId: string): Promise<void> {
    const ticket = await this.#store.findTicket(ticketId);
    if (!ticket) throw new TicketscanError('not_found', `Unknown ticket ${ticketId}.`);
    if ((await this.delete([ticketId])).length > 0) return;
    throw refuse('ticket_used', {}, { of: ticketId });
  }

  /**
   * Takes back the use of a log entry (ADR 0017).
   * @throws TicketscanError as `Store.undoUse` does, `usage` for a reason that cannot be kept
   */
  async undo(sequence: number, reason: string): Promise<LogEntry> {
    const kept = checkedReason(reason);
    const { entries } = await this.#store.searchLog({
      ...(this.#organisationId !== null && { organisationId: this.#organisationId }),
      afterSequence: sequence - 1,
      limit: 1,
      searchMax: 1,
    });
    // After the entries that were pruned, or in a gap, the next one is found.
    const entry = entries.find((one) => one.sequence === sequence);
    const { ticketId } = undoable(entry, sequence, entry?.undoneBy);
    const auditEntry = auditEntryOf(this.#actor, this.#clock, {
      act: 'ticket.undo',
      subject: ticketId,
      organisationId: await this.#ownerOf([eventOfTicketId(ticketId)]),
      details: { sequence, reason: kept },
    });
    const request = { sequence, at: auditEntry.at, by: this.#actor.by, reason: kept };
    return this.#store.undoUse(request, auditEntry);
  }

  /** One entry for all of them: about the ticket, about the event or batch that they are of, or with their ids. */
  async #auditEntry(
    act: string,
    ticketIds: readonly string[],
    about?: string,
  ): Promise<NewAuditLogEntry> {
    const [only = '', ...others] = ticketIds;
    const isList = about === undefined && others.length > 0;
    return auditEntryOf(this.#actor, this.#clock, {
      act,
      subject: about ?? (isList ? '' : only),
      organisationId: await this.#ownerOf(ticketIds.map(eventOfTicketId)),
      ...(isList && { details: { tickets: ticketIds } }),
    });
  }

  /** The organisation of the tickets; null if they belong to several. @param created events that the store does not have yet */
  async #ownerOf(
    eventIds: readonly (string | undefined)[],
    created: readonly EventRecord[] = [],
  ): Promise<string | null> {
    if (this.#organisationId !== null) return this.#organisationId;
    const wanted = [...new Set(eventIds)].filter((id) => id !== undefined);
    const stored = await Promise.all(wanted.map((id) => this.#store.read('event', id)));
    const own = [...stored, ...created.filter(({ id }) => wanted.includes(id))];
    const [owner, ...others] = new Set(
      own.flatMap((event) => (event ? [event.organisationId] : [])),
    );
    return others.length === 0 ? (owner ?? null) : null;
  }
}

/** The ticket that it was issued for, and the one that was issued for it. */
export interface TicketLinks {
  readonly replaces: string | null;
  readonly replacedBy: string | null;
}

export async function linksOfTicket(
  store: Pick<RecordStore, 'read'>,
  ticketId: string,
): Promise<TicketLinks> {
  const [replaced, replacement] = await Promise.all([
    store.read('replaced-ticket', ticketId),
    store.read('replacement', ticketId),
  ]);
  const found = { ...(replaced?.value ?? {}), ...(replacement?.value ?? {}) };
  return { replaces: null, replacedBy: null, ...found };
}

/** Which of these tickets the log names, and up to which entry it was read. The store answers scans meanwhile. */
async function loggedTickets(
  store: Pick<LogStore, 'searchLog'>,
  ticketIds: readonly string[],
): Promise<{ logged: Set<string>; upTo: number }> {
  const upTo = await newestSequence(store);
  const wanted = new Set(ticketIds);
  const logged = new Set<string>();
  const [only] = ticketIds;
  const conditions = ticketIds.length === 1 && only !== undefined ? { ticketId: only } : {};
  for await (const { ticketId } of allEntries(store, conditions)) {
    if (ticketId !== null && wanted.has(ticketId)) logged.add(ticketId);
  }
  return { logged, upTo };
}

/** All tickets of something, in place of named ones. */
type Many = { readonly [What in 'event' | 'batch' | 'reference']?: string | undefined };

/** @throws TicketscanError `usage` */
export function refuseMany({ event, batch, reference }: Many): void {
  if ([event, batch, reference].every((one) => one === undefined)) return;
  throw new TicketscanError('usage', 'Give either ids, or an event, a batch or a reference.');
}

/** @throws TicketscanError `usage` unless one of them is given, or an event with a reference */
export function refuseSeveral({ event, batch, reference }: Many): void {
  const isOther = event !== undefined || reference !== undefined;
  if ((batch !== undefined) !== isOther) return;
  const advice = isOther
    ? 'a batch, or an event, a reference or both'
    : 'ids, an event, a batch or a reference';
  throw new TicketscanError('usage', `Which tickets? Give ${advice}.`);
}
