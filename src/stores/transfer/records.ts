import type { AdministrativeRecord, AuditLogEntry } from '../../core/administrative-records.ts';
import type {
  ApiKeyRecord,
  DeviceRecord,
  EventRecord,
  LogEntry,
  Occupancy,
  Organisation,
} from '../../core/records.ts';
import type { ScanCount } from '../../core/scan-count.ts';
import type { StoredAnswer } from '../../core/scan-requests.ts';
import type { Ticket } from '../../core/ticket.ts';

/** A key as a store keeps it. Deleted keys are copied too, because the log may name them. */
export interface StoredKey {
  readonly record: ApiKeyRecord;
  /** SHA-256 of the value, in hexadecimal. */
  readonly hash: string;
  /** The hash of the value before the last rotation; null if there is none. */
  readonly previousHash: string | null;
  /** The time of its deletion; a deleted key is not active. */
  readonly deletedAt: number | null;
}

/** A ticket with all counts that its store keeps. */
interface StoredTicket extends Ticket {
  /** How many of `usesConsumed` the log does not hold: an import brought them, or they were pruned. */
  readonly usesUnlogged: number;
}

/** How many requests of a key were accepted in a month such as 202611. */
interface MonthRequests {
  readonly keyId: string;
  readonly month: number;
  readonly requests: number;
  /** The minute of the latest of them; null if it is not known. */
  readonly lastUsedAt: number | null;
}

/** An answer that is given again to a repeated request. */
export interface NamedAnswer extends StoredAnswer {
  readonly keyId: string;
  readonly name: string;
}

/** A reference that its organisation must not use again, though its ticket was erased: nothing says which ticket had it. */
export interface ErasedReference {
  readonly organisationId: string;
  /** SHA-256 of the organisation and the reference, in hexadecimal. */
  readonly digest: string;
}

/** Everything a store keeps, by section. */
export interface StoreRecords {
  organisations: Organisation;
  events: EventRecord;
  keys: StoredKey;
  tickets: StoredTicket;
  erasedReferences: ErasedReference;
  log: LogEntry;
  requests: MonthRequests;
  answers: NamedAnswer;
  devices: DeviceRecord;
  occupancy: Occupancy;
  administrative: AdministrativeRecord;
  auditLog: AuditLogEntry;
  /** The counters of the statistics. */
  counts: ScanCount;
}

export type Section = keyof StoreRecords;

/** The sections in the order in which a store can take them: no record names one that comes later. */
export const SECTIONS = [
  'organisations',
  'events',
  'keys',
  'tickets',
  'erasedReferences',
  'log',
  'requests',
  'answers',
  'devices',
  'occupancy',
  'administrative',
  'auditLog',
  'counts',
] as const satisfies readonly Section[];

/** Some records of one section, in the order in which the store lists them. */
export type RecordPage = {
  readonly [Name in Section]: {
    readonly section: Name;
    readonly records: readonly StoreRecords[Name][];
    /** The cursor of the next page; null after the last record. Only the store that made it understands it. */
    readonly next: string | null;
  };
}[Section];

/** Progress of a copy. */
export interface CopyCheckpoint {
  /** Identifies the source; made from its address without secrets. */
  readonly source: string;
  readonly section: Section;
  /** The source's cursor in that section; null when the section is complete, empty before its first page. */
  readonly next: string | null;
}
