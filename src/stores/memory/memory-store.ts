import { answerRequest, type BatchRequest, expiredForAll } from '../../core/scan-batch.ts';
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
  #snapshot: SectionLists | undefined;

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
  readonly keyUses = this.#on(scans.keyUses);
  readonly listOccupancy: Store['listOccupancy'] = this.#on(listOccupancy);
  readonly resetOccupancy = this.#on(resetOccupancy);

  readonly insertTickets = this.#on(tickets.insertTickets);
  readonly findTicket = this.#on(tickets.findTicket);
  readonly findTickets = this.#on(tickets.findTickets);
  readonly listTickets = this.#on(tickets.listTickets);
  readonly searchTickets = this.#on(tickets.searchTickets);
  readonly countTickets = this.#on(tickets.countTickets);
  readonly countTicketsOf = this.#on(tickets.countTicketsOf);
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
    if (first)
      this.#scans.forgetExpired(expiredForAll(first.now), ANSWERS_LOOKED_AT + 2 * requests.length);
    return { outcomes, revision: this.state.revision };
  }

  async beginSnapshot(): Promise<void> {
    this.#snapshot = eachSection((section) => ACCESS[section].all(this.state));
  }

  async readSnapshot(section: Section, after: string | null, limit: number): Promise<RecordPage> {
    if (!this.#snapshot) throw new Error('no snapshot was begun');
    const records = this.#snapshot[section];
    const start = Number(after ?? 0);
    const end = start + limit;
    const next = end < records.length ? String(end) : null;
    return { section, records: records.slice(start, end), next } as RecordPage;
  }

  async endSnapshot(): Promise<void> {
    this.#snapshot = undefined;
  }

  async unfinishedCopy(): Promise<CopyCheckpoint | undefined> {
    return this.state.copyCheckpoint;
  }

  async endImport(): Promise<void> {
    this.state.change(['copy', null]);
  }

  async purgeErased(): Promise<boolean> {
    return true;
  }

  async info(): Promise<StoreInfo> {
    return {
      engine: 'memory',
      format: { version: 1, versionFound: 0 },
      counts: eachSection((section) => ACCESS[section].all(this.state).length),
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
  const copies = Object.entries(state)
    .filter(([name]) => !LEFT_ALONE.includes(name as keyof MemoryState))
    .map(([name, map]) => {
      if (map instanceof Map) return { map, entries: [...map] };
      throw new Error(`the memory store's ${name} is no map: a snapshot would miss it`);
    });
  const log = [...state.log];
  return () => {
    for (const { map, entries } of copies) {
      map.clear();
      for (const [key, value] of entries) map.set(key, value);
    }
    state.change(['forget', state.log.length]);
    for (const entry of log) state.change(['scan', entry]);
    state.revision += 1;
  };
}

/** How a section is read from a state, and written into one. */
interface SectionAccess<Name extends Section> {
  all(state: MemoryState): readonly StoreRecords[Name][];
  add(state: MemoryState, record: StoreRecords[Name]): void;
}

/** For a section whose records are the values of the map of that name. */
function inMap<Name extends 'organisations' | 'events' | 'devices' | 'occupancy' | 'documents'>(
  section: Name,
  nameOf: (record: StoreRecords[Name]) => string,
): SectionAccess<Name> {
  const mapOf = (state: MemoryState) => state[section] as Map<string, StoreRecords[Name]>;
  return {
    all: (state) => [...mapOf(state).values()],
    add: (state, record) => mapOf(state).set(nameOf(record), record),
  };
}

const ACCESS: { readonly [Name in Section]: SectionAccess<Name> } = {
  organisations: inMap('organisations', ({ id }) => id),
  events: inMap('events', ({ id }) => id),
  keys: {
    all: ({ keys, deletedKeys }) => [
      ...Array.from(keys.values(), ({ previousHash = null, ...key }) => ({
        ...key,
        previousHash,
        deletedAt: null,
      })),
      ...deletedKeys.values(),
    ],
    add(state, { record, hash, previousHash, deletedAt }) {
      if (deletedAt === null)
        state.keys.set(record.id, { record, hash, ...(previousHash !== null && { previousHash }) });
      else state.deletedKeys.set(record.id, { record, hash, previousHash, deletedAt });
    },
  },
  tickets: {
    all: ({ tickets, importedUses }) =>
      Array.from(tickets.values(), (ticket) => ({
        ...ticket,
        usesUnlogged: importedUses.get(ticket.id) ?? 0,
      })),
    add(state, { usesUnlogged, ...ticket }) {
      state.tickets.set(ticket.id, ticket);
      if (usesUnlogged > 0) state.importedUses.set(ticket.id, usesUnlogged);
    },
  },
  log: {
    all: ({ log }) => [...log],
    add: (state, record) => state.change(['scan', record]),
  },
  requests: {
    all: ({ requests, lastUses }) =>
      Array.from(requests, ([name, count]) => {
        const [month = '', keyId = ''] = name.split(' ');
        const lastUsedAt = lastUses.get(name) ?? null;
        return { keyId, month: Number(month), requests: count, lastUsedAt };
      }),
    add(state, { keyId, month, requests, lastUsedAt }) {
      state.requests.set(`${month} ${keyId}`, requests);
      if (lastUsedAt !== null) state.lastUses.set(`${month} ${keyId}`, lastUsedAt);
    },
  },
  answers: {
    all: ({ answers }) =>
      Array.from(answers, ([name, answer]) => {
        const space = name.indexOf(' ');
        return { ...answer, keyId: name.slice(0, space), name: name.slice(space + 1) };
      }),
    add: (state, { keyId, name, ...answer }) => state.answers.set(`${keyId} ${name}`, answer),
  },
  devices: inMap('devices', ({ keyId, serial }) => `${keyId} ${serial}`),
  occupancy: inMap('occupancy', ({ eventId }) => eventId),
  documents: inMap('documents', ({ kind, id }) => documentName(kind, id)),
  trail: {
    all: ({ auditLog }) => [...auditLog],
    add: (state, record) => state.change(['act', record]),
  },
  counts: {
    all: ({ counts }) => [...counts.values()],
    add: (state, record) => state.addCount(record, record.scans, record.pruned),
  },
};

/** Records never change, so lists of them are a snapshot. */
type SectionLists = Readonly<Record<Section, readonly unknown[]>>;

function eachSection<Value>(of: (section: Section) => Value): Record<Section, Value> {
  const values = SECTIONS.map((section) => [section, of(section)]);
  return Object.fromEntries(values) as Record<Section, Value>;
}

/** @throws TicketscanError `conflict` as `Store.importRecords` does */
function importInto(state: MemoryState, page: RecordPage, checkpoint: CopyCheckpoint): void {
  const isSame = state.copyCheckpoint?.source === checkpoint.source;
  const isEmpty = () => SECTIONS.every((section) => ACCESS[section].all(state).length === 0);
  if (state.copyCheckpoint ? !isSame : !isEmpty()) throw copyTargetNotEmpty();
  const { add } = ACCESS[page.section] as SectionAccess<Section>;
  for (const record of page.records) add(state, record);
  state.change(['copy', checkpoint]);
  state.revision += 1;
}
