import type { BatchRequest } from '../../core/scan-requests.ts';
import type { ScanBatchResult, Store, StoreInfo, VerifyReport } from '../store.ts';
import type { RecordPage, Section } from '../transfer/records.ts';
import { readAuditLog } from './administrative-records.ts';
import type { SqlConnection, SqlWork } from './connection.ts';
import { beginDeletion, continueDeletion, eraseHolders } from './deletion.ts';
import { countOutcomes, listDevices, listUndos, readLog, searchLog, undoUse } from './log.ts';
import { prunableLog, pruneOldest } from './prune.ts';
import * as records from './records.ts';
import { knownReferences } from './references.ts';
import { listOccupancy, resetOccupancy, sumScans } from './scan-counts.ts';
import * as sites from './sites.ts';
import { countTickets, countTicketsOf } from './ticket-counts.ts';
import * as tickets from './tickets.ts';
import { endImport, importRecords, unfinishedCopy } from './transfer.ts';
import { write } from './write.ts';

/** A function that does the work of a store's method on a connection. */
type Method<Input extends unknown[], Result> = (
  sql: SqlConnection,
  ...input: Input
) => Promise<Result>;

/**
 * The part of a store that is the same in every SQL database: all but scans, snapshots and upkeep. `Store` describes the methods. Each is a
 * function on a connection, so that an engine that does more can call the function.
 */
export abstract class SqlStore implements Store {
  /** Runs `work` on a connection of the store's own. Rejects with errors that say what to do. */
  protected abstract withDeadline<Result>(work: SqlWork<Result>): Promise<Result>;
  /** Does what `withDeadline` does, without a limit of time, for work that may take long. */
  protected abstract withoutDeadline<Result>(work: SqlWork<Result>): Promise<Result>;

  readonly read: Store['read'] = this.#quick(records.read);
  readonly list: Store['list'] = this.#quick(records.list);
  readonly write = this.#quick(write);
  readonly readAuditLog = this.#quick(readAuditLog);
  readonly beginDeletion: Store['beginDeletion'] = this.#quick(beginDeletion);
  readonly continueDeletion: Store['continueDeletion'] = this.#patient(continueDeletion);

  readonly findKeyByHash = this.#quick(records.findKeyByHash);
  readonly findKeysByHash = this.#quick(records.findKeysByHash);
  readonly requestsInMonth = this.#quick(records.requestsInMonth);
  readonly keyLastUsedAt = this.#quick(records.keyLastUsedAt);
  readonly keyUses = this.#quick(records.keyUses);
  readonly listOccupancy: Store['listOccupancy'] = this.#quick(listOccupancy);
  readonly resetOccupancy = this.#quick(resetOccupancy);

  readonly insertTickets: Store['insertTickets'] = this.#patient(tickets.insertTickets);
  readonly knownReferences = this.#quick(knownReferences);
  readonly ticketsWithReferences = this.#quick(tickets.ticketsWithReferences);
  readonly findTicket = this.#quick(tickets.findTicket);
  readonly findTickets = this.#patient(tickets.findTickets);
  readonly listTickets = this.#patient(tickets.listTickets);
  readonly searchTickets = this.#patient(tickets.searchTickets);
  readonly countTickets = this.#patient(countTickets);
  readonly countTicketsOf = this.#patient(countTicketsOf);
  readonly cancelTickets = this.#patient(tickets.cancelTickets);
  readonly editTicket = this.#quick(tickets.editTicket);
  readonly replaceTicket = this.#quick(tickets.replaceTicket);
  readonly deleteTickets = this.#patient(tickets.deleteTickets);
  readonly eraseHolders = this.#patient(eraseHolders);
  readonly undoUse: Store['undoUse'] = this.#patient(undoUse);

  readonly readLog = this.#patient(readLog);
  readonly searchLog = this.#patient(searchLog);
  readonly countOutcomes = this.#patient(countOutcomes);
  readonly prunableLog = this.#patient(prunableLog);
  readonly pruneLog: Store['pruneLog'] = this.#patient(pruneOldest);
  readonly sumScans = this.#patient(sumScans);
  readonly listUndos = this.#patient(listUndos);
  readonly listDevices = this.#quick(listDevices);

  readonly listSiteChanges = this.#quick(sites.listSiteChanges);
  readonly newestSiteChange = this.#quick(sites.newestSiteChange);
  readonly siteChangesOf = this.#quick(sites.siteChangesOf);
  readonly noteInForce = this.#quick(sites.noteInForce);
  readonly dropSiteChanges = this.#quick(sites.dropSiteChanges);
  readonly storedKeys = this.#quick(sites.storedKeys);
  readonly ownerOfKey = this.#quick(sites.ownerOfKey);
  readonly relayUndo = this.#patient(sites.relayUndo);
  readonly moveHeld = this.#patient(sites.moveHeld);
  readonly putSiteRecords = this.#patient(sites.putSiteRecords);
  readonly forgetSite = this.#patient((sql) => sql.inTransaction(() => sites.forgetSite(sql)));
  readonly putSiteTickets = this.#patient(sites.putSiteTickets);

  readonly importRecords: Store['importRecords'] = this.#patient(importRecords);
  readonly unfinishedCopy = this.#patient(unfinishedCopy);
  readonly endImport: Store['endImport'] = this.#patient(endImport);

  abstract commitScans(requests: readonly BatchRequest[]): Promise<ScanBatchResult>;
  abstract verify(): Promise<VerifyReport>;
  abstract beginSnapshot(): Promise<void>;
  abstract readSnapshot(section: Section, after: string | null, limit: number): Promise<RecordPage>;
  abstract endSnapshot(): Promise<void>;
  abstract purgeErased(isPatient: boolean): Promise<boolean>;
  abstract info(): Promise<StoreInfo>;
  abstract checkWritable(): Promise<void>;
  abstract close(): Promise<void>;

  #quick<Input extends unknown[], Result>(method: Method<Input, Result>) {
    return (...input: Input): Promise<Result> => this.withDeadline((sql) => method(sql, ...input));
  }

  #patient<Input extends unknown[], Result>(method: Method<Input, Result>) {
    return (...input: Input): Promise<Result> =>
      this.withoutDeadline((sql) => method(sql, ...input));
  }
}
