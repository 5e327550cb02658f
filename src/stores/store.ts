import type { OrganisationLimits } from '../core/limits.ts';
import type {
  ApiKeyChanges,
  ApiKeyRecord,
  DeviceRecord,
  EventRecord,
  LogEntry,
  Organisation,
} from '../core/records.ts';
import type { ScanOutcome, ScanRequest } from '../core/scan-batch.ts';
import type { NewTicket, Ticket, TicketHistory } from '../core/ticket.ts';

export interface ScanBatchResult {
  /** One outcome for each request, in the order of the requests. */
  readonly outcomes: readonly ScanOutcome[];
  /** Changes whenever keys, events or limits change, in whichever process; what a caller cached before is then stale. */
  readonly revision: number;
}

/** A key with the limits of its organisation. */
export interface KeyLookup {
  readonly key: ApiKeyRecord;
  readonly limits: OrganisationLimits;
  readonly revision: number;
}

export interface TicketFilter {
  readonly eventId?: string;
  readonly state?: 'valid' | 'cancelled' | 'used';
  /** Part of the id or of the holder's name. */
  readonly search?: string;
  /** Tickets after this id, in the order of creation; those of one insert in an order of the store's own. */
  readonly afterId?: string;
  readonly limit: number;
}

export interface LogFilter {
  /** Entries after this sequence number, oldest first. Without it: the newest `limit` entries, oldest first. */
  readonly afterSequence?: number;
  readonly ticketId?: string;
  readonly limit: number;
}

export interface AuditReport {
  readonly tickets: number;
  readonly scans: number;
  /** One sentence for each broken invariant; empty when all hold. */
  readonly problems: readonly string[];
}

/**
 * Where tickets, keys and the scan log live. Every engine keeps the same promises; the contract tests hold them to it.
 *
 * Every method rejects with a `TicketscanError` for a failure that a person can mend, with any other error for a
 * fault. When `commitScans` rejects, nothing is known about the uses in that batch: they may or may not be registered.
 */
export interface Store {
  /**
   * Decides the requests one after another with `answerScan` on the current state, all in one transaction, and
   * resolves when the result is durable: an acknowledged use survives a power cut. The batch may hold the same ticket
   * several times. Changes by other processes that were acknowledged before the call are seen.
   */
  commitScans(requests: readonly ScanRequest[]): Promise<ScanBatchResult>;
  /** The key with this hash, also a disabled one; undefined when there is none or it was deleted. */
  findKeyByHash(hash: string): Promise<KeyLookup | undefined>;

  /** @throws TicketscanError `conflict` when the name is taken */
  createOrganisation(organisation: Organisation): Promise<void>;
  listOrganisations(): Promise<Organisation[]>;
  setOrganisationLimits(organisationId: string, limits: OrganisationLimits): Promise<void>;

  /** @throws TicketscanError `conflict` when the organisation has an event of that name */
  createEvent(event: EventRecord): Promise<void>;
  listEvents(): Promise<EventRecord[]>;

  /** @throws TicketscanError `limit_reached` when the organisation has as many keys as it may */
  createKey(key: ApiKeyRecord, hash: string): Promise<void>;
  /** Keys that are not deleted, oldest first. */
  listKeys(): Promise<ApiKeyRecord[]>;
  /** Holds for every request that starts after this resolves, in every process. @throws TicketscanError `not_found` */
  updateKey(keyId: string, changes: ApiKeyChanges): Promise<ApiKeyRecord>;
  /** As `updateKey`. The log keeps naming the key. @throws TicketscanError `not_found` */
  deleteKey(keyId: string, at: number): Promise<void>;
  /** Accepted requests of a key in a month such as 202611. */
  requestsInMonth(keyId: string, month: number): Promise<number>;

  /**
   * All or none. A ticket with a history keeps it: its uses count although this store's log does not hold them.
   * @throws TicketscanError `conflict` for an id that exists, `not_found` for an event that does not
   */
  insertTickets(tickets: readonly (NewTicket & Partial<TicketHistory>)[]): Promise<void>;
  findTicket(ticketId: string): Promise<Ticket | undefined>;
  listTickets(filter: TicketFilter): Promise<Ticket[]>;
  countTickets(): Promise<number>;
  /** Holds as `updateKey` does; a second cancel changes nothing. @throws TicketscanError `not_found` */
  cancelTicket(ticketId: string, at: number): Promise<Ticket>;

  readLog(filter: LogFilter): Promise<LogEntry[]>;
  listDevices(): Promise<DeviceRecord[]>;
  /** Proves that counters equal the log and that no ticket is over its uses. */
  audit(): Promise<AuditReport>;
  /** Resolves when a write has just become durable; rejects when the store cannot write. */
  checkWritable(): Promise<void>;
  close(): Promise<void>;
}

/** What the queue in front of a store needs to know of it. */
export interface BatchingStore extends Pick<Store, 'commitScans'> {
  /** How many batches it works on at once; one where this is missing. Two of them may hold the same ticket. */
  readonly batchesInFlight?: number;
}
