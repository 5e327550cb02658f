import type {
  AdministrativeDocument,
  AuditLogEntry,
  DocumentBound,
  DocumentKind,
  DocumentRevision,
  NewAuditLogEntry,
} from '../../../core/administrative-records.ts';
import type { ApiKeyChanges, ApiKeyRecord, DeviceRecord, LogEntry } from '../../../core/records.ts';
import type { BatchRequest } from '../../../core/scan-batch.ts';
import type { Ticket } from '../../../core/ticket.ts';
import type { LogPage, LogSearch, OutcomeCounts } from '../log-search.ts';
import type {
  AuditFilter,
  InsertOptions,
  KeyLookup,
  LogFilter,
  PrunableLog,
  ScanBatchResult,
  Store,
  StoreInfo,
  TicketFilter,
  TicketPage,
  TicketSearch,
  VerifyReport,
} from '../store.ts';
import type { CopyCheckpoint, RecordPage, Section } from '../transfer/records.ts';
import * as auditLog from './audit-log.ts';
import type { IncomingTicket, SqlWork } from './connection.ts';
import * as documents from './documents.ts';
import * as transfer from './import-records.ts';
import * as keys from './keys.ts';
import * as log from './log.ts';
import * as search from './log-search.ts';
import { SqlOrganisations } from './organisations.ts';
import * as tickets from './tickets.ts';

/** What is the same in every SQL database: all but scans, snapshots and upkeep. Methods are described in `Store`. */
export abstract class SqlStore extends SqlOrganisations implements Store {
  abstract commitScans(requests: readonly BatchRequest[]): Promise<ScanBatchResult>;
  abstract verify(): Promise<VerifyReport>;
  abstract prunableLog(before: number): Promise<PrunableLog>;
  abstract pruneLog(before: number, entriesMax: number): Promise<number>;
  abstract beginSnapshot(): Promise<void>;
  abstract readSnapshot(section: Section, after: string | null, limit: number): Promise<RecordPage>;
  abstract endSnapshot(): Promise<void>;
  abstract info(): Promise<StoreInfo>;
  abstract checkWritable(): Promise<void>;
  abstract close(): Promise<void>;

  /** As `quickly`, for work that may take long by its nature. */
  protected abstract patiently<Result>(work: SqlWork<Result>): Promise<Result>;

  findKeyByHash(hash: string): Promise<KeyLookup | undefined> {
    return this.quickly((on) => keys.findKeyByHash(on, hash));
  }

  createKey(key: ApiKeyRecord, hash: string, auditEntry: NewAuditLogEntry): Promise<void> {
    return this.quickly((on) => keys.createKey(on, key, hash, auditEntry));
  }

  listKeys(): Promise<ApiKeyRecord[]> {
    return this.quickly(keys.listKeys);
  }

  updateKey(
    keyId: string,
    changes: ApiKeyChanges,
    auditEntry: NewAuditLogEntry,
  ): Promise<ApiKeyRecord> {
    return this.quickly((on) => keys.updateKey(on, keyId, changes, auditEntry));
  }

  deleteKey(keyId: string, at: number, auditEntry: NewAuditLogEntry): Promise<void> {
    return this.quickly((on) => keys.deleteKey(on, keyId, at, auditEntry));
  }

  requestsInMonth(keyId: string, month: number): Promise<number> {
    return this.quickly((on) => keys.requestsInMonth(on, keyId, month));
  }

  insertTickets(
    incoming: readonly IncomingTicket[],
    auditEntry: NewAuditLogEntry,
    options?: InsertOptions,
  ): Promise<number> {
    return this.patiently((on) => tickets.insertTickets(on, incoming, auditEntry, options));
  }

  findTicket(ticketId: string): Promise<Ticket | undefined> {
    return this.quickly((on) => tickets.findTicket(on, ticketId));
  }

  findTickets(ticketIds: readonly string[]): Promise<Ticket[]> {
    return this.patiently((on) => tickets.findTickets(on, ticketIds));
  }

  listTickets(filter: TicketFilter): Promise<Ticket[]> {
    return this.patiently((on) => tickets.listTickets(on, filter));
  }

  searchTickets(wanted: TicketSearch): Promise<TicketPage> {
    return this.patiently((on) => tickets.searchTickets(on, wanted));
  }

  countTickets(eventId?: string): Promise<number> {
    return this.patiently((on) => tickets.countTickets(on, eventId));
  }

  cancelTicket(ticketId: string, at: number, auditEntry: NewAuditLogEntry): Promise<Ticket> {
    return this.quickly((on) => tickets.cancelTicket(on, ticketId, at, auditEntry));
  }

  reinstateTicket(ticketId: string, auditEntry: NewAuditLogEntry): Promise<Ticket> {
    return this.quickly((on) => tickets.reinstateTicket(on, ticketId, auditEntry));
  }

  readLog(filter: LogFilter): Promise<LogEntry[]> {
    return this.patiently((on) => log.readLog(on, filter));
  }

  searchLog(wanted: LogSearch): Promise<LogPage> {
    return this.patiently((on) => search.searchLog(on, wanted));
  }

  countOutcomes(afterSequence: number, searchMax: number): Promise<OutcomeCounts> {
    return this.patiently((on) => search.countOutcomes(on, afterSequence, searchMax));
  }

  listDevices(organisationId: string): Promise<DeviceRecord[]> {
    return this.quickly((on) => log.listDevices(on, organisationId));
  }

  findDocument(kind: DocumentKind, id: string): Promise<AdministrativeDocument | undefined> {
    return this.quickly((on) => documents.findDocument(on, kind, id));
  }

  listDocuments(kind: DocumentKind): Promise<AdministrativeDocument[]> {
    return this.quickly((on) => documents.listDocuments(on, kind));
  }

  putDocument(
    document: AdministrativeDocument,
    auditEntry: NewAuditLogEntry | null,
    unchanged?: readonly DocumentRevision[],
    bounds?: readonly DocumentBound[],
  ): Promise<void> {
    return this.quickly((on) => documents.putDocument(on, document, auditEntry, unchanged, bounds));
  }

  deleteDocument(
    kind: DocumentKind,
    id: string,
    auditEntry: NewAuditLogEntry | null,
    unchanged?: readonly DocumentRevision[],
  ): Promise<void> {
    return this.quickly((on) => documents.deleteDocument(on, kind, id, auditEntry, unchanged));
  }

  appendAuditEntry(auditEntry: NewAuditLogEntry): Promise<void> {
    return this.quickly((on) => auditLog.appendAuditEntry(on, auditEntry));
  }

  readAuditLog(filter: AuditFilter): Promise<AuditLogEntry[]> {
    return this.quickly((on) => auditLog.readAuditLog(on, filter));
  }

  importRecords(page: RecordPage, checkpoint: CopyCheckpoint): Promise<void> {
    return this.patiently((on) => transfer.importRecords(on, page, checkpoint));
  }

  unfinishedCopy(): Promise<CopyCheckpoint | undefined> {
    return this.patiently(transfer.unfinishedCopy);
  }

  endImport(): Promise<void> {
    return this.patiently(transfer.endImport);
  }
}
