import type { BatchRequest } from '../../../core/scan-batch.ts';
import type { PrunableLog } from '../log-store.ts';
import type { ScanBatchResult } from '../scan-store.ts';
import type { Store } from '../store.ts';
import type { StoreInfo, VerifyReport } from '../store-upkeep.ts';
import type { RecordPage, Section } from '../transfer/records.ts';
import { appendAuditEntry, readAuditLog } from './audit-log.ts';
import type { SqlConnection, SqlWork } from './connection.ts';
import { deleteEvent, deleteOrganisation } from './delete-empty.ts';
import { beginDeletion, continueDeletion } from './deletion.ts';
import { deleteDocument, findDocument, listDocuments, putDocument } from './documents.ts';
import { eraseHolders } from './erase-holders.ts';
import { endImport, importRecords, unfinishedCopy } from './import-records.ts';
import * as keys from './keys.ts';
import { countOutcomes, listDevices, readLog, searchLog } from './log.ts';
import { listOccupancy, resetOccupancy } from './occupancy.ts';
import * as organisations from './organisations.ts';
import { sumScans } from './scan-counts.ts';
import * as tickets from './tickets.ts';
import { undoUse } from './undo.ts';

/** What a store does on a connection, with the arguments of its method. */
type Method<Input extends unknown[], Result> = (
  connection: SqlConnection,
  ...input: Input
) => Promise<Result>;

/**
 * What is the same in every SQL database: all but scans, snapshots and upkeep. Methods are described in `Store`; each is a function
 * on a connection, so that an engine that does more can call the function.
 */
export abstract class SqlStore implements Store {
  /** Runs `work` on a connection of the store's own. Rejects with errors that say what to do. */
  protected abstract quickly<Result>(work: SqlWork<Result>): Promise<Result>;
  /** As `quickly`, for work that may take long by its nature. */
  protected abstract patiently<Result>(work: SqlWork<Result>): Promise<Result>;

  readonly createOrganisation = this.#quick(organisations.createOrganisation);
  readonly listOrganisations = this.#quick(organisations.listOrganisations);
  readonly editOrganisation = this.#quick(organisations.editOrganisation);
  readonly deleteOrganisation = this.#quick(deleteOrganisation);
  readonly createEvent = this.#quick(organisations.createEvent);
  readonly renameEvent = this.#quick(organisations.renameEvent);
  readonly archiveEvent = this.#quick(organisations.archiveEvent);
  readonly deleteEvent = this.#quick(deleteEvent);
  readonly listEvents = this.#quick(organisations.listEvents);
  readonly beginDeletion: Store['beginDeletion'] = this.#quick(beginDeletion);
  readonly continueDeletion: Store['continueDeletion'] = this.#patient(continueDeletion);

  readonly createKey = this.#quick(keys.createKey);
  readonly findKeyByHash = this.#quick(keys.findKeyByHash);
  readonly findKeysByHash = this.#quick(keys.findKeysByHash);
  readonly listKeys = this.#quick(keys.listKeys);
  readonly addScanner = this.#quick(keys.addScanner);
  readonly listScanners = this.#quick(keys.listScanners);
  readonly updateKey = this.#quick(keys.updateKey);
  readonly rotateKey = this.#quick(keys.rotateKey);
  readonly deleteKey = this.#quick(keys.deleteKey);
  readonly requestsInMonth = this.#quick(keys.requestsInMonth);
  readonly keyLastUsedAt = this.#quick(keys.keyLastUsedAt);

  readonly listOccupancy = this.#quick(listOccupancy);
  readonly resetOccupancy = this.#quick(resetOccupancy);

  readonly insertTickets: Store['insertTickets'] = this.#patient(tickets.insertTickets);
  readonly findTicket = this.#quick(tickets.findTicket);
  readonly findTickets = this.#patient(tickets.findTickets);
  readonly listTickets = this.#patient(tickets.listTickets);
  readonly searchTickets = this.#patient(tickets.searchTickets);
  readonly countTickets = this.#patient(tickets.countTickets);
  readonly cancelTicket = this.#quick(tickets.cancelTicket);
  readonly cancelTickets = this.#patient(tickets.cancelTickets);
  readonly reinstateTicket = this.#quick(tickets.reinstateTicket);
  readonly editTicket = this.#quick(tickets.editTicket);
  readonly deleteTickets = this.#patient(tickets.deleteTickets);
  readonly eraseHolders = this.#patient(eraseHolders);
  readonly undoUse: Store['undoUse'] = this.#patient(undoUse);

  readonly findDocument = this.#quick(findDocument);
  readonly listDocuments = this.#quick(listDocuments);
  readonly putDocument = this.#quick(putDocument);
  readonly deleteDocument = this.#quick(deleteDocument);
  readonly appendAuditEntry = this.#quick(appendAuditEntry);
  readonly readAuditLog = this.#quick(readAuditLog);

  readonly readLog = this.#patient(readLog);
  readonly searchLog = this.#patient(searchLog);
  readonly countOutcomes = this.#patient(countOutcomes);
  readonly sumScans = this.#patient(sumScans);
  readonly listDevices = this.#quick(listDevices);

  readonly importRecords: Store['importRecords'] = this.#patient(importRecords);
  readonly unfinishedCopy = this.#patient(unfinishedCopy);
  readonly endImport: Store['endImport'] = this.#patient(endImport);

  abstract commitScans(requests: readonly BatchRequest[]): Promise<ScanBatchResult>;
  abstract verify(): Promise<VerifyReport>;
  abstract prunableLog(before: number): Promise<PrunableLog>;
  abstract pruneLog(before: number, entriesMax: number): Promise<number>;
  abstract beginSnapshot(): Promise<void>;
  abstract readSnapshot(section: Section, after: string | null, limit: number): Promise<RecordPage>;
  abstract endSnapshot(): Promise<void>;
  abstract purgeErased(isPatient: boolean): Promise<boolean>;
  abstract info(): Promise<StoreInfo>;
  abstract checkWritable(): Promise<void>;
  abstract close(): Promise<void>;

  #quick<Input extends unknown[], Result>(method: Method<Input, Result>) {
    return (...input: Input): Promise<Result> =>
      this.quickly((connection) => method(connection, ...input));
  }

  #patient<Input extends unknown[], Result>(method: Method<Input, Result>) {
    return (...input: Input): Promise<Result> =>
      this.patiently((connection) => method(connection, ...input));
  }
}
