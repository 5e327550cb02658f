import type {
  AdministrativeDocument,
  AuditLogEntry,
  DocumentBound,
  DocumentKind,
  DocumentRevision,
  NewAuditLogEntry,
} from '../../../core/administrative-records.ts';
import { DEVICES_PER_ORGANISATION_MAX } from '../../../core/limits.ts';
import type { DeviceRecord, LogEntry } from '../../../core/records.ts';
import { answerRequest, type BatchRequest } from '../../../core/scan-batch.ts';
import { refuseTooMany } from '../document-bounds.ts';
import { indexFrom, type LogPage, type LogSearch, type OutcomeCounts } from '../log-search.ts';
import { ownerOfNew } from '../organisation-documents.ts';
import type { AuditFilter } from '../record-store.ts';
import type {
  CountSearch,
  LogFilter,
  PrunableLog,
  ScanBatchResult,
  ScanSum,
  Store,
  StoreInfo,
  VerifyReport,
} from '../store.ts';
import type { CopyCheckpoint, RecordPage, Section } from '../transfer/records.ts';
import {
  appendAuditEntry,
  documentName,
  listDocuments,
  putDocument,
  readAuditLog,
  refuseChanged,
} from './memory-audit-log.ts';
import { sumScans } from './memory-counts.ts';
import { devicesOf } from './memory-devices.ts';
import { countOutcomes, searchLog } from './memory-log.ts';
import { prunableOf, pruneOldest } from './memory-prune.ts';
import { MemoryScanState } from './memory-scan-state.ts';
import { takeMemorySnapshot } from './memory-snapshot.ts';
import { MemoryState } from './memory-state.ts';
import { MemoryTickets } from './memory-tickets.ts';
import {
  countsOf,
  importInto,
  type MemorySnapshot,
  pageOf,
  snapshotOf,
} from './memory-transfer.ts';
import { verifyMemory } from './memory-verify.ts';

/** In each batch, and two for each request: a request adds one at most, so that at most half of them have expired. */
const ANSWERS_LOOKED_AT = 100;

/** A store that lasts as long as the process: for trials and tests. Every change is made at once, without waiting. */
export class MemoryStore extends MemoryTickets implements Store {
  readonly #scans: MemoryScanState;
  #snapshot: MemorySnapshot | undefined;

  constructor(state = new MemoryState()) {
    super(state);
    this.#scans = new MemoryScanState(state);
  }

  /**
   * Remembers the data as it is now; what is returned puts it back, as often as it is called. Not for engines that are
   * built on this one: they have files to keep in step.
   */
  static rememberData(store: MemoryStore): () => void {
    return takeMemorySnapshot(store.state);
  }

  async commitScans(requests: readonly BatchRequest[]): Promise<ScanBatchResult> {
    const outcomes = requests.map((request) => answerRequest(request, this.#scans));
    this.#scans.writeCounts();
    const [first] = requests;
    if (first) this.#scans.forgetExpired(first.now, ANSWERS_LOOKED_AT + 2 * requests.length);
    return { outcomes, revision: this.state.revision };
  }

  async requestsInMonth(keyId: string, month: number): Promise<number> {
    return this.#scans.requestsInMonth(keyId, month);
  }

  async readLog({ afterSequence, ticketId, limit }: LogFilter): Promise<LogEntry[]> {
    const start = indexFrom(this.state.log, (afterSequence ?? 0) + 1);
    const entries = this.state.log
      .slice(start)
      .filter((entry) => ticketId === undefined || entry.ticketId === ticketId);
    const page = afterSequence === undefined ? entries.slice(-limit) : entries.slice(0, limit);
    return page.map((entry) => this.state.linked(entry));
  }

  async searchLog(search: LogSearch): Promise<LogPage> {
    return searchLog(this.state, search);
  }

  async countOutcomes(afterSequence: number, searchMax: number): Promise<OutcomeCounts> {
    return countOutcomes(this.state, afterSequence, searchMax);
  }

  async sumScans(search: CountSearch): Promise<ScanSum[]> {
    return sumScans(this.state, search);
  }

  async listDevices(organisationId: string): Promise<DeviceRecord[]> {
    return devicesOf(this.state, organisationId)
      .filter(({ keyId }) => this.state.keys.has(keyId))
      .slice(0, DEVICES_PER_ORGANISATION_MAX);
  }

  async findDocument(kind: DocumentKind, id: string): Promise<AdministrativeDocument | undefined> {
    return this.state.documents.get(documentName(kind, id));
  }

  async listDocuments(kind: DocumentKind): Promise<AdministrativeDocument[]> {
    return listDocuments(this.state, kind);
  }

  async putDocument(
    document: AdministrativeDocument,
    auditEntry: NewAuditLogEntry | null,
    unchanged: readonly DocumentRevision[] = [],
    bounds: readonly DocumentBound[] = [],
  ): Promise<void> {
    const owner = ownerOfNew(document);
    if (owner !== undefined) this.state.organisation(owner);
    refuseChanged(this.state, [document, ...unchanged]);
    if (bounds.length > 0)
      refuseTooMany(listDocuments(this.state, document.kind), document, bounds);
    putDocument(this.state, document);
    appendAuditEntry(this.state, auditEntry);
  }

  async deleteDocument(
    kind: DocumentKind,
    id: string,
    auditEntry: NewAuditLogEntry | null,
    unchanged: readonly DocumentRevision[] = [],
  ): Promise<void> {
    refuseChanged(this.state, unchanged);
    this.state.documents.delete(documentName(kind, id));
    appendAuditEntry(this.state, auditEntry);
  }

  async appendAuditEntry(auditEntry: NewAuditLogEntry): Promise<void> {
    appendAuditEntry(this.state, auditEntry);
  }

  async readAuditLog(filter: AuditFilter): Promise<AuditLogEntry[]> {
    return readAuditLog(this.state, filter);
  }

  async verify(): Promise<VerifyReport> {
    return verifyMemory(this.state);
  }

  async prunableLog(before: number): Promise<PrunableLog> {
    return prunableOf(this.state, before);
  }

  async pruneLog(before: number, entriesMax: number): Promise<number> {
    return pruneOldest(this.state, before, entriesMax);
  }

  async beginSnapshot(): Promise<void> {
    this.#snapshot = snapshotOf(this.state);
  }

  async readSnapshot(section: Section, after: string | null, limit: number): Promise<RecordPage> {
    if (!this.#snapshot) throw new Error('no snapshot was begun');
    return pageOf(this.#snapshot, section, after, limit);
  }

  async endSnapshot(): Promise<void> {
    this.#snapshot = undefined;
  }

  async importRecords(page: RecordPage, checkpoint: CopyCheckpoint): Promise<void> {
    importInto(this.state, page, checkpoint);
  }

  async unfinishedCopy(): Promise<CopyCheckpoint | undefined> {
    return this.state.copyCheckpoint;
  }

  async endImport(): Promise<void> {
    this.state.setCopyCheckpoint(undefined);
  }

  async purgeErased(): Promise<boolean> {
    return true;
  }

  async info(): Promise<StoreInfo> {
    return {
      engine: 'memory',
      format: { version: 1, versionFound: 0 },
      counts: countsOf(this.state),
      bytes: null,
      lastScanAt: this.state.log.at(-1)?.at ?? null,
      details: {},
    };
  }

  async checkWritable(): Promise<void> {}

  async close(): Promise<void> {}
}
