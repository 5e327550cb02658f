import { answerRequest, type BatchRequest } from '../../core/scan-batch.ts';
import type { ScanBatchResult, Store, StoreInfo } from '../store.ts';
import { copyTargetNotEmpty } from '../store-errors.ts';
import {
  type CopyCheckpoint,
  type RecordPage,
  SECTIONS,
  type Section,
  type StoreRecords,
} from '../transfer/records.ts';
import {
  beginDeletion,
  continueDeletion,
  eraseHolders,
  prunableLog,
  pruneLog,
} from './memory-deletion.ts';
import {
  countOutcomes,
  listOccupancy,
  readLog,
  resetOccupancy,
  searchLog,
  sumScans,
  verifyMemory,
} from './memory-log.ts';
import * as records from './memory-records.ts';
import * as scans from './memory-scan-state.ts';
import { documentName, MemoryState, readAuditLog } from './memory-state.ts';
import * as tickets from './memory-tickets.ts';

/** In each batch, and two for each request: a request adds one at most, so that at most half of them have expired. */
const ANSWERS_LOOKED_AT = 100;

/**
 * A store that lasts as long as the process: for trials and tests. Every change is made at once, without waiting: each method of `Store` is a
 * function on the state.
 */
export class MemoryStore implements Store {
  readonly state: MemoryState;
  readonly #scans: scans.MemoryScanState;
  #snapshot: MemorySnapshot | undefined;

  constructor(state = new MemoryState()) {
    this.state = state;
    this.#scans = new scans.MemoryScanState(state);
  }

  readonly read: Store['read'] = this.#on(records.read);
  readonly list: Store['list'] = this.#on(records.list);
  readonly write = this.#on(records.write);
  readonly readAuditLog = this.#on(readAuditLog);
  readonly beginDeletion = this.#on(beginDeletion);
  readonly continueDeletion = this.#on(continueDeletion);
  readonly findKeyByHash = this.#on(scans.findKeyByHash);
  readonly findKeysByHash = this.#on(scans.findKeysByHash);
  readonly requestsInMonth = this.#on(scans.requestsInMonth);
  readonly keyLastUsedAt = this.#on(scans.keyLastUsedAt);
  readonly listOccupancy = this.#on(listOccupancy);
  readonly resetOccupancy = this.#on(resetOccupancy);

  readonly insertTickets = this.#on(tickets.insertTickets);
  readonly findTicket = this.#on(tickets.findTicket);
  readonly findTickets = this.#on(tickets.findTickets);
  readonly listTickets = this.#on(tickets.listTickets);
  readonly searchTickets = this.#on(tickets.searchTickets);
  readonly countTickets = this.#on(tickets.countTickets);
  readonly cancelTickets = this.#on(tickets.cancelTickets);
  readonly editTicket = this.#on(tickets.editTicket);
  readonly replaceTicket = this.#on(tickets.replaceTicket);
  readonly deleteTickets = this.#on(tickets.deleteTickets);
  readonly eraseHolders = this.#on(eraseHolders);
  readonly undoUse = this.#on(tickets.undoUse);

  readonly readLog = this.#on(readLog);
  readonly searchLog = this.#on(searchLog);
  readonly countOutcomes = this.#on(countOutcomes);
  readonly sumScans = this.#on(sumScans);
  readonly listDevices = this.#on(scans.listDevices);
  readonly prunableLog = this.#on(prunableLog);
  readonly pruneLog = this.#on(pruneLog);
  readonly verify = this.#on(verifyMemory);
  readonly importRecords = this.#on(importInto);

  async commitScans(requests: readonly BatchRequest[]): Promise<ScanBatchResult> {
    const outcomes = requests.map((request) => answerRequest(request, this.#scans));
    this.#scans.writeCounts();
    const [first] = requests;
    if (first) this.#scans.forgetExpired(first.now, ANSWERS_LOOKED_AT + 2 * requests.length);
    return { outcomes, revision: this.state.revision };
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

  #on<Input extends unknown[], Result>(method: (state: MemoryState, ...input: Input) => Result) {
    return async (...input: Input): Promise<Result> => method(this.state, ...input);
  }
}

/**
 * Remembers a store's data as it is now; what is returned puts it back, as often as it is called. Undefined for a store
 * on a disk, also one that is built on this one: going back would contradict its files, and other processes that have it open.
 */
export function rememberData(store: Store): (() => void) | undefined {
  return store instanceof MemoryStore ? takeMemorySnapshot(store.state) : undefined;
}

/** Who may administer the store, and what they did, is not among the data that tests go back and forth in. */
const LEFT_ALONE: readonly (keyof MemoryState)[] = ['revision', 'documents'];

/**
 * Copies the maps and the log of a state; records in them are never changed in place, only replaced.
 * Goes by whatever fields the state shows, so that a new one cannot be forgotten; the log it keeps to itself.
 * @returns puts the state back, and moves its revision on, because what was cached since is stale
 */
export function takeMemorySnapshot(state: MemoryState): () => void {
  const restorers = Object.entries(state)
    .filter(([name]) => !LEFT_ALONE.includes(name as keyof MemoryState))
    .map(([name, value]) => restorerOf(name, value));
  const log = state.log.slice();
  return () => {
    for (const restore of restorers) restore();
    state.dropOldest(state.log.length);
    for (const entry of log) state.append(entry);
    state.revision += 1;
  };
}

function restorerOf(name: string, value: unknown): () => void {
  if (value instanceof Map) {
    const entries = new Map<unknown, unknown>(value);
    return () => {
      value.clear();
      for (const [key, one] of entries) value.set(key, one);
    };
  }
  throw new Error(`the memory store's ${name} is no map: a snapshot would miss it`);
}

/** Every record of every section. Records never change, so lists of them are a snapshot. */
type MemorySnapshot = { readonly [Name in Section]: readonly StoreRecords[Name][] };

function snapshotOf(state: MemoryState): MemorySnapshot {
  return {
    organisations: [...state.organisations.values()],
    events: [...state.events.values()],
    keys: [
      ...[...state.keys.values()].map(({ previousHash = null, ...key }) => ({
        ...key,
        previousHash,
        deletedAt: null,
      })),
      ...state.deletedKeys.values(),
    ],
    tickets: [...state.tickets.values()].map((ticket) => ({
      ...ticket,
      usesUnlogged: state.importedUses.get(ticket.id) ?? 0,
    })),
    log: [...state.log],
    requests: [...state.requests].map(([name, requests]) => {
      const [month = '', keyId = ''] = name.split(' ');
      const lastUsedAt = state.lastUses.get(name) ?? null;
      return { keyId, month: Number(month), requests, lastUsedAt };
    }),
    answers: [...state.answers].map(([name, answer]) => {
      const space = name.indexOf(' ');
      return { ...answer, keyId: name.slice(0, space), name: name.slice(space + 1) };
    }),
    devices: [...state.devices.values()],
    occupancy: [...state.occupancy.values()],
    documents: [...state.documents.values()],
    trail: [...state.trail],
    counts: [...state.counts.values()],
  };
}

/** @param after how many records come before the page, as a text */
function pageOf(
  snapshot: MemorySnapshot,
  section: Section,
  after: string | null,
  limit: number,
): RecordPage {
  const start = Number(after ?? 0);
  const end = start + limit;
  const records = snapshot[section].slice(start, end);
  const next = end < snapshot[section].length ? String(end) : null;
  return { section, records, next } as RecordPage;
}

/** @throws TicketscanError `conflict` as `Store.importRecords` does */
function importInto(state: MemoryState, page: RecordPage, checkpoint: CopyCheckpoint): void {
  if (state.copyCheckpoint ? state.copyCheckpoint.source !== checkpoint.source : !isEmpty(state)) {
    throw copyTargetNotEmpty();
  }
  addRecords(state, page);
  state.setCopyCheckpoint(checkpoint);
  state.revision += 1;
}

function countsOf(state: MemoryState): Record<Section, number> {
  return {
    organisations: state.organisations.size,
    events: state.events.size,
    keys: state.keys.size + state.deletedKeys.size,
    tickets: state.tickets.size,
    log: state.log.length,
    requests: state.requests.size,
    answers: state.answers.size,
    devices: state.devices.size,
    occupancy: state.occupancy.size,
    documents: state.documents.size,
    trail: state.trail.length,
    counts: state.counts.size,
  };
}

function isEmpty(state: MemoryState): boolean {
  const counts = countsOf(state);
  return SECTIONS.every((section) => counts[section] === 0);
}

function addRecords(state: MemoryState, { section, records }: RecordPage): void {
  const add = ADDERS[section] as (state: MemoryState, record: StoreRecords[Section]) => void;
  for (const record of records) add(state, record);
}

const ADDERS: {
  readonly [Name in Section]: (state: MemoryState, record: StoreRecords[Name]) => void;
} = {
  organisations: (state, record) => state.organisations.set(record.id, record),
  events: (state, record) => state.events.set(record.id, record),
  keys(state, { record, hash, previousHash, deletedAt }) {
    if (deletedAt === null)
      state.keys.set(record.id, { record, hash, ...(previousHash !== null && { previousHash }) });
    else state.deletedKeys.set(record.id, { record, hash, previousHash, deletedAt });
  },
  tickets(state, { usesUnlogged, ...ticket }) {
    state.tickets.set(ticket.id, ticket);
    if (usesUnlogged > 0) state.importedUses.set(ticket.id, usesUnlogged);
  },
  log: (state, record) => state.append(record),
  requests(state, { keyId, month, requests, lastUsedAt }) {
    state.requests.set(`${month} ${keyId}`, requests);
    if (lastUsedAt !== null) state.lastUses.set(`${month} ${keyId}`, lastUsedAt);
  },
  answers: (state, { keyId, name, ...answer }) => state.answers.set(`${keyId} ${name}`, answer),
  devices: (state, record) => state.devices.set(`${record.keyId} ${record.serial}`, record),
  occupancy: (state, record) => state.occupancy.set(record.eventId, record),
  documents: (state, record) => state.documents.set(documentName(record.kind, record.id), record),
  trail: (state, record) => state.appendAuditEntry(record),
  counts: (state, record) => state.addCount(record, record.scans, record.pruned),
};
