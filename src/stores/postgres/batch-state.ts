import type { ClientBase } from 'pg';
import { monthOf } from '../../core/clock.ts';
import type { Direction } from '../../core/direction.ts';
import type { StoredHome } from '../../core/event-home.ts';
import type { DeviceRecord, Occupancy } from '../../core/records.ts';
import type { KeyState, ScanState } from '../../core/scan-batch.ts';
import type { CountedBy } from '../../core/scan-count.ts';
import type {
  BatchRequest,
  DeviceContact,
  NewLogEntry,
  RetryToken,
  StoredAnswer,
} from '../../core/scan-requests.ts';
import type { Ticket } from '../../core/ticket.ts';
import { eventOfTicketId } from '../../core/ticket-id.ts';
import { ScanTally } from '../scan-tally.ts';
import { KEY_STATE_COLUMNS, keyStateFrom } from '../sql/records.ts';
import type { NamedAnswer } from '../transfer/records.ts';
import { TEXTS } from './statement-values.ts';

/** The rows that a batch needs, in the order in which they must be locked. */
export interface BatchSubjects {
  readonly keyIds: readonly string[];
  readonly eventIds: readonly string[];
  readonly months: readonly number[];
  /** Tickets that may be used. Their rows are locked in the order of their ids, so that two batches never deadlock. */
  readonly consumed: readonly string[];
  /** Tickets that are only read. */
  readonly validated: readonly string[];
  /** Names of stored answers, by key and name. */
  readonly retries: readonly { readonly keyId: string; readonly name: string }[];
  /** Sites whose rows these are. */
  readonly sites: readonly string[];
}

function sitesOf(requests: readonly BatchRequest[]): string[] {
  const named = requests.flatMap((one) => (one.kind === 'relayed' ? [one.row.site] : []));
  return [...new Set(named)].sort();
}

interface Subject {
  readonly month: number;
  readonly ticket?: { readonly ticketId: string; readonly eventId: string } | undefined;
  /** Whether the ticket may be used. */
  readonly isConsumed: boolean;
  readonly retry?: RetryToken | null;
}

function scanSubjectOf(request: BatchRequest): Subject | undefined {
  if (request.kind !== 'scan') return undefined;
  const { subject, now, operation, retry } = request;
  const ticket = subject.kind === 'ticket' ? subject : undefined;
  return { month: monthOf(now), ticket, isConsumed: operation === 'consume', retry };
}

/** A row of a site counts in the month of its scan. */
function rowSubjectOf(request: BatchRequest): Subject | undefined {
  if (request.kind !== 'relayed') return undefined;
  const { entry } = request;
  const { ticketId } = entry;
  const eventId = ticketId === null ? undefined : eventOfTicketId(ticketId);
  const ticket = ticketId === null || eventId === undefined ? undefined : { ticketId, eventId };
  return { month: monthOf(entry.at), ticket, isConsumed: true };
}

export function subjectsOf(requests: readonly BatchRequest[]): BatchSubjects {
  const keyIds = new Set<string>();
  const eventIds = new Set<string>();
  const months = new Set<number>();
  const consumed = new Set<string>();
  const validated = new Set<string>();
  const retries = new Map<string, { keyId: string; name: string }>();
  for (const request of requests) {
    keyIds.add(request.keyId);
    const about = rowSubjectOf(request) ?? scanSubjectOf(request);
    if (!about) continue;
    const { month, ticket, isConsumed, retry } = about;
    months.add(month);
    if (retry)
      retries.set(`${request.keyId} ${retry.name}`, { keyId: request.keyId, name: retry.name });
    if (!ticket) continue;
    eventIds.add(ticket.eventId);
    (isConsumed ? consumed : validated).add(ticket.ticketId);
  }
  for (const ticketId of consumed) validated.delete(ticketId);
  return {
    keyIds: [...keyIds].sort(),
    eventIds: [...eventIds],
    months: [...months],
    consumed: [...consumed].sort(),
    validated: [...validated],
    retries: [...retries].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, retry]) => retry),
    sites: sitesOf(requests),
  };
}

interface KnownEvent {
  readonly organisationId: string;
  readonly home: StoredHome | undefined;
}

/**
 * Keys, the owners of events and their homes, as they were at one revision. Batches in flight may have read different revisions, so each
 * keeps its own instance.
 */
export class KnownKeys {
  readonly revision: number;
  readonly #keys = new Map<string, KeyState | undefined>();
  readonly #events = new Map<string, KnownEvent>();
  #isSite: boolean | undefined;

  constructor(revision: number) {
    this.revision = revision;
  }

  /** The key; undefined if it is deleted or never existed. */
  key(keyId: string): KeyState | undefined {
    return this.#keys.get(keyId);
  }

  organisationOf(eventId: string): string | undefined {
    return this.#events.get(eventId)?.organisationId;
  }

  homeOf(eventId: string): StoredHome | undefined {
    return this.#events.get(eventId)?.home;
  }

  isSite(): boolean {
    return this.#isSite === true;
  }

  /** Reads the keys and events that are not known yet. */
  async learn(
    client: ClientBase,
    keyIds: Iterable<string>,
    eventIds: Iterable<string>,
  ): Promise<void> {
    const keys = [...keyIds].filter((id) => !this.#keys.has(id));
    const events = [...eventIds].filter((id) => !this.#events.has(id));
    await Promise.all([
      keys.length > 0 && this.#learnKeys(client, keys),
      events.length > 0 && this.#learnEvents(client, events),
      this.#isSite === undefined && this.#learnWhetherSite(client),
    ]);
  }

  async #learnKeys(client: ClientBase, ids: readonly string[]): Promise<void> {
    const { rows } = await client.query<{ id: string }>({
      name: 'keys',
      text: KEYS,
      values: [ids],
    });
    for (const id of ids) this.#keys.set(id, undefined);
    for (const row of rows) this.#keys.set(row.id, keyStateFrom(TEXTS, row));
  }

  /** An unknown event is not remembered: made-up ids must not fill the memory. */
  async #learnEvents(client: ClientBase, ids: readonly string[]): Promise<void> {
    const { rows } = await client.query<{ id: string; owner: string; home: string | null }>({
      name: 'events',
      text: EVENTS,
      values: [ids],
    });
    for (const { id, owner, home } of rows) {
      this.#events.set(id, {
        organisationId: owner,
        home: home === null ? undefined : (JSON.parse(home) as StoredHome),
      });
    }
  }

  async #learnWhetherSite(client: ClientBase): Promise<void> {
    const { rowCount } = await client.query(
      "SELECT 1 FROM administrative_record WHERE kind = 'site-of'",
    );
    this.#isSite = rowCount !== 0;
  }
}

const EVENTS = `SELECT e.id, e.organisation_id AS owner, h.value AS home
  FROM event e LEFT JOIN administrative_record h ON h.kind = 'event-home' AND h.id = e.id WHERE e.id = ANY($1::text[])`;

const KEYS = `SELECT k.id, ${KEY_STATE_COLUMNS}
  FROM api_key k JOIN organisation o ON o.id = k.organisation_id WHERE k.id = ANY($1::text[]) AND k.deleted_at IS NULL`;

export interface MonthCount {
  readonly keyId: string;
  readonly month: number;
  readonly before: number;
  readonly added: number;
  /** The minute of the latest request that this batch counts. */
  readonly lastUsedAt: number;
}

export type Passages = Pick<Occupancy, 'entered' | 'exited'>;

/** The state of one batch in memory: what it read, and what it writes back in a few statements. */
export class BatchState implements ScanState {
  readonly #known: KnownKeys;
  readonly #tickets = new Map<string, Ticket>();
  readonly #answers = new Map<string, StoredAnswer>();
  readonly #months = new Map<string, MonthCount>();
  readonly #rows = new Map<string, number>();
  /** The last row of each site that this batch keeps. */
  readonly rows = new Map<string, number>();
  readonly used = new Map<string, Ticket>();
  readonly answers = new Map<string, NamedAnswer>();
  readonly contacts = new Map<string, DeviceRecord>();
  /** How many people went in and out, by event. */
  readonly passages = new Map<string, Passages>();
  readonly log: NewLogEntry[] = [];
  readonly tally = new ScanTally();

  constructor(known: KnownKeys) {
    this.#known = known;
  }

  addTickets(tickets: Iterable<Ticket>): void {
    for (const ticket of tickets) this.#tickets.set(ticket.id, ticket);
  }

  addAnswer(keyId: string, name: string, answer: StoredAnswer): void {
    this.#answers.set(`${keyId} ${name}`, answer);
  }

  addMonth(keyId: string, month: number, requests: number): void {
    this.#months.set(`${month} ${keyId}`, { ...this.#month(keyId, month), before: requests });
  }

  addRows(site: string, number: number): void {
    this.#rows.set(site, number);
  }

  /** The request counts that this batch changes, in the order in which they must be locked. */
  get counted(): MonthCount[] {
    const moved = [...this.#months.values()].filter(({ added }) => added > 0);
    return moved.sort((a, b) =>
      a.keyId === b.keyId ? a.month - b.month : a.keyId < b.keyId ? -1 : 1,
    );
  }

  key(keyId: string): KeyState | undefined {
    return this.#known.key(keyId);
  }

  homeOf(eventId: string): StoredHome | undefined {
    return this.#known.homeOf(eventId);
  }

  isSite(): boolean {
    return this.#known.isSite();
  }

  rowsOf(site: string): number {
    return this.#rows.get(site) ?? 0;
  }

  saveRowsOf(site: string, number: number): void {
    this.#rows.set(site, number);
    this.rows.set(site, number);
  }

  organisationOf(eventId: string): string | undefined {
    return this.#known.organisationOf(eventId);
  }

  ticket(ticketId: string): Ticket | undefined {
    return this.#tickets.get(ticketId);
  }

  requestsInMonth(keyId: string, month: number): number {
    const count = this.#month(keyId, month);
    return count.before + count.added;
  }

  countRequest(keyId: string, month: number, minute: number): void {
    const count = this.#month(keyId, month);
    const lastUsedAt = Math.max(count.lastUsedAt, minute);
    this.#months.set(`${month} ${keyId}`, { ...count, added: count.added + 1, lastUsedAt });
  }

  countPassage(eventId: string, direction: Direction): void {
    const { entered, exited } = this.passages.get(eventId) ?? { entered: 0, exited: 0 };
    const counted =
      direction === 'in' ? { entered: entered + 1, exited } : { entered, exited: exited + 1 };
    this.passages.set(eventId, counted);
  }

  storedAnswer(keyId: string, name: string): StoredAnswer | undefined {
    return this.#answers.get(`${keyId} ${name}`);
  }

  storeAnswer(keyId: string, name: string, answer: StoredAnswer): void {
    this.addAnswer(keyId, name, answer);
    this.answers.set(`${keyId} ${name}`, { ...answer, keyId, name });
  }

  saveUse(ticket: Ticket): void {
    this.#tickets.set(ticket.id, ticket);
    this.used.set(ticket.id, ticket);
  }

  appendLog(entry: NewLogEntry): void {
    this.log.push(entry);
  }

  countScan(scan: CountedBy): void {
    this.tally.add(scan);
  }

  saveContact(keyId: string, contact: DeviceContact, at: number): void {
    const name = `${keyId} ${contact.serial}`;
    const firstAt = this.contacts.get(name)?.firstAt ?? at;
    const times = { lastContactAt: at, lastScanAt: null, firstAt };
    this.contacts.set(name, { clock: null, ...contact, keyId, ...times });
  }

  #month(keyId: string, month: number): MonthCount {
    return (
      this.#months.get(`${month} ${keyId}`) ?? { keyId, month, before: 0, added: 0, lastUsedAt: 0 }
    );
  }
}
