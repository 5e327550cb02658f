import {
  type AdministrativeDocument,
  type DocumentKind,
  type DocumentRevision,
  isAccountId,
} from '../../core/administrative-records.ts';
import type { ApiKeyRecord, EventRecord, Organisation } from '../../core/records.ts';
import {
  checkBefore,
  checkBounds,
  documentsOf,
  eventsMaxFrom,
  isNamed,
  keyOfScanner,
  openedEvent,
  ownerOfNew,
  refuseOtherAccounts,
  scannerOfKey,
} from '../record-rules.ts';
import type {
  Change,
  DocumentMember,
  RecordChange,
  RecordFilter,
  RecordKind,
  RecordOf,
  Stored,
} from '../record-store.ts';
import {
  beingDeleted,
  changedMeanwhile,
  lostPlace,
  noSuchEventThere,
  notEmpty,
  taken,
  tooManyEvents,
  tooManyKeys,
} from '../store-errors.ts';
import {
  documentName,
  type HeldKey,
  isBeingDeleted,
  type MemoryState,
  writeAuditEntry,
} from './memory-state.ts';

type RecordMaps = Readonly<Record<RecordKind, (state: MemoryState) => Iterable<unknown>>>;

/** The records of each kind, oldest first. */
const RECORDS: RecordMaps = {
  organisation: ({ organisations }) => organisations.values(),
  event: ({ events }) => events.values(),
  key: ({ keys }) => recordsIn(keys.values()).filter(({ id }) => !isAccountId(id)),
  scanner: ({ keys, deletedKeys }) =>
    recordsIn([...keys.values(), ...deletedKeys.values()])
      .filter(({ id }) => isAccountId(id))
      .map(scannerOfKey),
};

function recordsIn(keys: Iterable<{ readonly record: ApiKeyRecord }>): ApiKeyRecord[] {
  return Array.from(keys, ({ record }) => record);
}

export function list<Kind extends keyof Stored>(
  state: MemoryState,
  kind: Kind,
  filter: RecordFilter = {},
): Stored[Kind][] {
  const found =
    kind in RECORDS
      ? filtered([...RECORDS[kind as RecordKind](state)] as Listed[], filter)
      : [...state.documents.values()]
          .filter((document) => document.kind === kind && hasMember(document, filter.member))
          .sort((a, b) => (a.id < b.id ? -1 : 1));
  return found as Stored[Kind][];
}

function hasMember({ value }: AdministrativeDocument, member: DocumentMember | undefined): boolean {
  if (!member) return true;
  const found = (value as Readonly<Record<string, unknown>>)[member.name];
  return typeof found === 'string' && member.anyOf.includes(found);
}

interface Listed {
  readonly id: string;
  readonly name: string;
  readonly organisationId?: string;
  readonly archivedAt?: number | null;
}

function filtered(all: readonly Listed[], filter: RecordFilter): Listed[] {
  const { organisationId, afterId, withoutArchived, named, limit } = filter;
  const at = afterId === undefined ? -1 : all.findIndex(({ id }) => id === afterId);
  if (afterId !== undefined && at === -1) throw lostPlace(afterId);
  const found = all
    .slice(at + 1)
    .filter((one) => organisationId === undefined || one.organisationId === organisationId)
    .filter((one) => !withoutArchived || one.archivedAt === null)
    .filter((one) => named === undefined || isNamed(one, named));
  return found.slice(0, limit);
}

export function read<Kind extends keyof Stored>(
  state: MemoryState,
  kind: Kind,
  id: string,
): Stored[Kind] | undefined {
  const found =
    kind in RECORDS
      ? list(state, kind).find((one) => one.id === id)
      : state.documents.get(documentName(kind as DocumentKind, id));
  return found as Stored[Kind] | undefined;
}

export function write(state: MemoryState, change: Change): void {
  checkChange(state, change);
  writeChecked(state, change);
}

/** Before anything is changed: nothing can fail half-way. */
export function checkChange(state: MemoryState, change: Change): void {
  const { documents = [], unchanged = [], records = [], bounds = [] } = change;
  for (const document of documents) {
    const owner = ownerOfNew(document);
    if (owner !== undefined) state.organisation(owner);
  }
  for (const document of documents) {
    if (bounds.length > 0) checkBounds(list(state, document.kind), document, bounds);
  }
  checkRevisions(state, [...documents, ...unchanged]);
  for (const record of records) checkRecord(state, record, change);
}

export function writeChecked(state: MemoryState, change: Change): void {
  const { records = [], documents = [], deleted = [], audit = [] } = change;
  for (const record of records) writeRecord(state, record, change);
  for (const document of documents) putDocument(state, document);
  for (const { kind, id } of deleted) state.documents.delete(documentName(kind, id));
  for (const auditEntry of audit) writeAuditEntry(state, auditEntry);
  if (records.length > 0) state.revision += 1;
}

/** @throws TicketscanError `conflict` when a stored revision is another */
export function checkRevisions(
  { documents }: MemoryState,
  unchanged: readonly DocumentRevision[],
): void {
  for (const { kind, id, revision } of unchanged) {
    const stored = documents.get(documentName(kind, id))?.revision ?? 0;
    if (stored !== revision) throw changedMeanwhile(kind);
  }
}

/** Whether its revision is the stored one is for the caller to know. */
export function putDocument({ documents }: MemoryState, document: AdministrativeDocument): void {
  // What is kept must not change with the object that the caller holds.
  const value: unknown = structuredClone(document.value);
  const name = documentName(document.kind, document.id);
  documents.set(name, { ...document, value, revision: document.revision + 1 });
}

function checkRecord(state: MemoryState, record: RecordChange, change: Change): void {
  const { kind, before, after } = record;
  const id = (before ?? after)?.id ?? '';
  checkBefore(kind, read(state, kind, id), before);
  if (after === null) {
    checkEmpty(state, kind, id, change);
    return;
  }
  if (before === null) checkNew(state, kind, after, change);
  const opened = openedEvent(record);
  if (opened) checkRoomForEvent(state, opened, change);
  if (kind === 'organisation' || kind === 'event') checkName(state, kind, after, change);
  if (record.kind === 'key' && record.after) checkScope(state, record.after, change);
}

/** Whether there is what it belongs to, and room for it. */
function checkNew<Kind extends RecordKind>(
  state: MemoryState,
  kind: Kind,
  after: RecordOf[Kind],
  { records = [] }: Change,
): void {
  if (!('organisationId' in after)) return;
  const { id, organisationId } = after;
  const isMade = records.some(
    (one) => one.kind === 'organisation' && one.after?.id === organisationId,
  );
  if (isMade) return;
  const { keysMax } = state.organisation(organisationId).limits;
  if (kind === 'event' && isBeingDeleted(state, id)) throw beingDeleted(id);
  if (kind !== 'key') return;
  const siblings = list(state, 'key').filter((key) => key.organisationId === organisationId);
  if (siblings.length >= keysMax) throw tooManyKeys(keysMax);
  if (state.deletedKeys.has(id)) throw taken(`Key ${id}`);
}

/** Those of the same change count. */
function checkRoomForEvent(
  state: MemoryState,
  { organisationId }: EventRecord,
  { records = [] }: Change,
): void {
  const stored = list(state, 'event', { organisationId, withoutArchived: true }).length;
  const opened = records.filter((one) => openedEvent(one)?.organisationId === organisationId);
  const max = eventsMaxFrom(state.documents.get(documentName('events-max', organisationId)));
  if (stored + opened.length > max) throw tooManyEvents(max);
}

/** Of all organisations, and of the events of one, each has another name. */
function checkName(
  state: MemoryState,
  kind: 'organisation' | 'event',
  after: RecordOf[RecordKind],
  { records = [] }: Change,
): void {
  const written = records.flatMap((one) => (one.kind === kind && one.after ? [one.after] : []));
  const others: readonly (Organisation | EventRecord)[] = [...list(state, kind), ...written];
  const isTaken = others.some(
    (other) =>
      other.id !== after.id && other.name === after.name && ownerOf(other) === ownerOf(after),
  );
  if (isTaken) throw taken(`An ${kind} named "${after.name}"`);
}

function ownerOf(record: object): unknown {
  return 'organisationId' in record ? record.organisationId : undefined;
}

/** An event of the same change counts. */
function checkScope(
  state: MemoryState,
  { events, organisationId }: ApiKeyRecord,
  { records = [] }: Change,
): void {
  if (events === 'all') return;
  const made = records.flatMap((one) => (one.kind === 'event' && one.after ? [one.after] : []));
  for (const eventId of events) {
    const event = made.find(({ id }) => id === eventId) ?? state.events.get(eventId);
    if (event?.organisationId !== organisationId) throw noSuchEventThere(eventId);
  }
}

function checkEmpty(
  state: MemoryState,
  kind: RecordKind,
  id: string,
  { searchedTo = 0, unchanged = [] }: Change,
): void {
  if (kind === 'organisation') checkEmptyOrganisation(state, id, searchedTo, unchanged);
  if (kind !== 'event') return;
  const isOfEvent = (ticketId: string | null) => ticketId?.startsWith(`tkt_${id}_`) ?? false;
  if ([...state.tickets.keys()].some(isOfEvent)) throw notEmpty('event', 'tickets');
  const later = state.log.filter(({ sequence }) => sequence > searchedTo);
  if (later.some(({ ticketId }) => isOfEvent(ticketId))) throw notEmpty('event', 'log entries');
}

export function checkEmptyOrganisation(
  state: MemoryState,
  id: string,
  searchedTo: number,
  accounts: readonly DocumentRevision[],
): void {
  const isOwn = (record: object) => ownerOf(record) === id;
  if (list(state, 'event').some(isOwn)) throw notEmpty('organisation', 'events');
  if (list(state, 'key').some(isOwn)) throw notEmpty('organisation', 'API keys');
  refuseOtherAccounts(documentsOf(state.documents.values(), id), accounts);
  const later = state.log.filter(({ sequence }) => sequence > searchedTo);
  if (later.some(({ keyId }) => state.ownerOfKey(keyId) === id))
    throw notEmpty('organisation', 'log entries');
}

function writeRecord(state: MemoryState, record: RecordChange, { audit = [] }: Change): void {
  const { kind, before, after } = record;
  if (kind === 'key') writeKey(state, record, audit[0]?.at ?? 0);
  else if (after === null) removeRecord(state, kind, before?.id ?? '');
  else if (kind === 'organisation') state.organisations.set(after.id, after);
  else if (kind === 'event') state.events.set(after.id, after);
  else {
    const { key, hash } = keyOfScanner(after);
    state.keys.set(key.id, { record: key, hash });
  }
}

function writeKey(
  state: MemoryState,
  { before, after, hash }: Extract<RecordChange, { kind: 'key' }>,
  at: number,
): void {
  const held = before && state.keys.get(before.id);
  if (after) {
    const previous = held?.previousHash === undefined ? {} : { previousHash: held.previousHash };
    const hashes =
      hash === undefined || !held
        ? { hash: hash ?? held?.hash ?? '', ...previous }
        : { hash, previousHash: held.hash };
    state.keys.set(after.id, { record: after, ...hashes });
  } else if (before) deleteKey(state, before.id, at);
}

/** It stays for the log, which may name it. */
export function deleteKey(state: MemoryState, id: string, deletedAt: number): void {
  const held = state.keys.get(id);
  if (!held) return;
  const { record, hash, previousHash = null } = held;
  state.keys.delete(id);
  const deleted = { record: { ...record, active: false }, hash, previousHash, deletedAt };
  state.deletedKeys.set(id, deleted);
}

/** Also from the scope of keys, and nobody is inside any more. */
export function removeEvent(state: MemoryState, eventId: string): void {
  for (const map of [state.keys, state.deletedKeys] as readonly Map<string, HeldKey>[]) {
    for (const [id, key] of map) {
      const record = without(eventId, key.record);
      if (record !== key.record) map.set(id, { ...key, record });
    }
  }
  state.events.delete(eventId);
  state.occupancy.delete(eventId);
}

function removeRecord(state: MemoryState, kind: RecordKind, id: string): void {
  if (kind === 'event') removeEvent(state, id);
  if (kind === 'organisation') removeOrganisation(state, id);
}

function without(eventId: string, key: ApiKeyRecord): ApiKeyRecord {
  if (key.events === 'all' || !key.events.includes(eventId)) return key;
  return { ...key, events: key.events.filter((id) => id !== eventId) };
}

/** With what is left of its deleted keys. */
export function removeOrganisation(state: MemoryState, id: string): void {
  for (const keyId of [...state.keys.keys(), ...state.deletedKeys.keys()])
    if (state.ownerOfKey(keyId) === id) removeKey(state, keyId);
  for (const document of documentsOf(state.documents.values(), id))
    state.documents.delete(documentName(document.kind, document.id));
  state.organisations.delete(id);
}

function removeKey(state: MemoryState, keyId: string): void {
  state.keys.delete(keyId);
  state.deletedKeys.delete(keyId);
  for (const [name, count] of state.counts) if (count.keyId === keyId) state.counts.delete(name);
  for (const map of [state.answers, state.devices])
    removeNamed(map, (name) => name.startsWith(`${keyId} `));
  for (const map of [state.requests, state.lastUses])
    removeNamed(map, (name) => name.endsWith(` ${keyId}`));
}

function removeNamed(map: Map<string, unknown>, isOne: (name: string) => boolean): void {
  for (const name of [...map.keys()]) if (isOne(name)) map.delete(name);
}
