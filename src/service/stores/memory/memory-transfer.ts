import { copyTargetNotEmpty } from '../store-errors.ts';
import {
  type CopyCheckpoint,
  type RecordPage,
  SECTIONS,
  type Section,
  type StoreRecords,
} from '../transfer/records.ts';
import { documentName } from './memory-audit-log.ts';
import type { MemoryState } from './memory-state.ts';

/** Every record of every section. Records never change, so lists of them are a snapshot. */
export type MemorySnapshot = { readonly [Name in Section]: readonly StoreRecords[Name][] };

export function snapshotOf(state: MemoryState): MemorySnapshot {
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
export function pageOf(
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
export function importInto(state: MemoryState, page: RecordPage, checkpoint: CopyCheckpoint): void {
  if (state.copyCheckpoint ? state.copyCheckpoint.source !== checkpoint.source : !isEmpty(state)) {
    throw copyTargetNotEmpty();
  }
  addRecords(state, page);
  state.setCopyCheckpoint(checkpoint);
  state.revision += 1;
}

export function countsOf(state: MemoryState): Record<Section, number> {
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
