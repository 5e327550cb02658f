import type { Direction } from '../../../core/direction.ts';
import type { Occupancy } from '../../../core/records.ts';
import type {
  DeviceContact,
  KeyState,
  NewLogEntry,
  ScanState,
  StoredAnswer,
} from '../../../core/scan-batch.ts';
import type { CountedBy } from '../../../core/scan-count.ts';
import type { Ticket } from '../../../core/ticket.ts';
import { ScanTally } from '../scan-tally.ts';
import type { NamedAnswer } from '../transfer/records.ts';
import type { KnownKeys } from './known-keys.ts';

export interface MonthCount {
  readonly keyId: string;
  readonly month: number;
  readonly before: number;
  readonly added: number;
  /** The minute of the latest request that this batch counts. */
  readonly lastUsedAt: number;
}

export interface SavedContact extends DeviceContact {
  readonly keyId: string;
  readonly at: number;
}

/** What one batch read, and what it will write: a state in memory that is written back in a few statements. */
export class BatchState implements ScanState {
  readonly #known: KnownKeys;
  readonly #tickets = new Map<string, Ticket>();
  readonly #answers = new Map<string, StoredAnswer>();
  readonly #months = new Map<string, MonthCount>();
  readonly used = new Map<string, Ticket>();
  readonly answers = new Map<string, NamedAnswer>();
  readonly contacts = new Map<string, SavedContact>();
  /** By event. */
  readonly passages = new Map<string, Pick<Occupancy, 'entered' | 'exited'>>();
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
    this.#months.set(`${month} ${keyId}`, {
      keyId,
      month,
      before: requests,
      added: 0,
      lastUsedAt: 0,
    });
  }

  /** Counts that this batch moves, in the order in which they must be locked. */
  get counted(): MonthCount[] {
    const moved = [...this.#months.values()].filter(({ added }) => added > 0);
    return moved.sort((a, b) =>
      a.keyId === b.keyId ? a.month - b.month : a.keyId < b.keyId ? -1 : 1,
    );
  }

  key(keyId: string): KeyState | undefined {
    return this.#known.key(keyId);
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
    this.contacts.set(`${keyId} ${contact.serial}`, { ...contact, keyId, at });
  }

  #month(keyId: string, month: number): MonthCount {
    return (
      this.#months.get(`${month} ${keyId}`) ?? { keyId, month, before: 0, added: 0, lastUsedAt: 0 }
    );
  }
}
