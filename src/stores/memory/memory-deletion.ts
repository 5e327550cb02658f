import { ERASED, erasedDetails, type NewAuditLogEntry } from '../../core/administrative-records.ts';
import { hasPersonalTexts, withoutPersonalTexts } from '../../core/personal-texts.ts';
import type { LogEntry } from '../../core/records.ts';
import { dailySums } from '../../core/scan-count.ts';
import { LINK_KINDS } from '../../core/ticket-changes.ts';
import { eventOfTicketId } from '../../core/ticket-id.ts';
import { usesIn } from '../../core/undo.ts';
import { begunDeletion, type Deletion, type DeletionRequest, endOf, STEP } from '../deletion.ts';
import {
  answerWithoutGuest,
  auditEntryWithCount,
  documentsOf,
  refuseOtherAccounts,
} from '../record-rules.ts';
import type { PrunableLog } from '../store.ts';
import { notFound } from '../store-errors.ts';
import {
  checkEmptyOrganisation,
  checkRevisions,
  deleteKey,
  putDocument,
  removeEvent,
  removeOrganisation,
} from './memory-records.ts';
import { documentName, type MemoryState, writeAuditEntry } from './memory-state.ts';

export function beginDeletion(
  state: MemoryState,
  request: DeletionRequest,
  auditEntry: NewAuditLogEntry,
): void {
  if (request.what === 'event') beginEvent(state, request);
  else beginOrganisation(state, request);
  state.revision += 1;
  writeAuditEntry(state, auditEntry);
}

function beginEvent(state: MemoryState, request: DeletionRequest): void {
  const event = state.events.get(request.id);
  if (!event) throw notFound('event', request.id);
  removeEvent(state, event.id);
  putDocument(state, begunDeletion(request, event.organisationId));
}

function beginOrganisation(state: MemoryState, request: DeletionRequest): void {
  const { id, accounts } = request;
  checkRevisions(state, accounts);
  state.organisation(id);
  const isOwn = ({ organisationId }: { readonly organisationId: string }) => organisationId === id;
  const documents = documentsOf(state.documents.values(), id);
  refuseOtherAccounts(documents, accounts);
  for (const one of documents.filter(({ kind }) => kind === 'account'))
    state.documents.delete(documentName(one.kind, one.id));
  for (const event of [...state.events.values()].filter(isOwn)) {
    beginEvent(state, { ...request, what: 'event', id: event.id, name: event.name });
  }
  for (const [keyId, { record }] of [...state.keys])
    if (isOwn(record)) deleteKey(state, keyId, request.ended.at);
  putDocument(state, begunDeletion(request, id));
}

export function continueDeletion(state: MemoryState, id: string, now: number): boolean {
  const name = documentName('deletion', id);
  const document = state.documents.get(name);
  if (!document) return false;
  const before = document.value as Deletion;
  const after = nextStep(state, id, before);
  if (after) {
    state.documents.set(name, { ...document, revision: document.revision + 1, value: after });
    return true;
  }
  state.documents.delete(name);
  writeAuditEntry(state, endOf(before, now));
  state.revision += 1;
  return false;
}

/** @returns undefined when it was the last one */
function nextStep(state: MemoryState, id: string, before: Deletion): Deletion | undefined {
  const { upTo, searchedTo } = before;
  if (upTo === null) {
    state.setEnds({ prunedTo: state.oldest - 1, removedTo: state.newest });
    return { ...before, upTo: state.newest };
  }
  if (searchedTo < upTo) return removeEntries(state, id, before, upTo);
  if (before.what === 'organisation') {
    checkEmptyOrganisation(state, id, searchedTo, []);
    removeOrganisation(state, id);
    return undefined;
  }
  const found = [...state.tickets.values()].filter(({ eventId }) => eventId === id);
  if (found.length > 0) {
    const ids = found.slice(0, STEP.tickets).map((ticket) => ticket.id);
    removeTickets(state, ids);
    return { ...before, tickets: before.tickets + ids.length };
  }
  for (const [name, { decision }] of state.answers)
    if ('ticket' in decision && decision.ticket.eventId === id) state.answers.delete(name);
  state.occupancy.delete(id);
  eraseInAuditLog(state, (subject) => eventOfTicketId(subject) === id);
  sumUpDays(state, id, before.timeZone);
  return undefined;
}

function removeEntries(state: MemoryState, id: string, before: Deletion, upTo: number): Deletion {
  const looked = state.log
    .filter(({ sequence }) => sequence > before.searchedTo && sequence <= upTo)
    .slice(0, STEP.entriesSearched);
  const isGoing =
    before.what === 'event'
      ? (ticketId: string | null) => eventOfTicketId(ticketId ?? '') === id
      : (_: string | null, keyId: string) => state.ownerOfKey(keyId) === id;
  const going = looked
    .filter(({ ticketId, keyId }) => isGoing(ticketId, keyId))
    .slice(0, STEP.entries);
  forgetEntries(state, going);
  if (going.length > 0) state.change(['drop', going.map(({ sequence }) => sequence)]);
  const isFull = going.length === STEP.entries || looked.length === STEP.entriesSearched;
  const last = going.length === STEP.entries ? going.at(-1) : looked.at(-1);
  const searchedTo = isFull ? (last?.sequence ?? upTo) : upTo;
  return { ...before, searchedTo, entries: before.entries + going.length };
}

function removeTickets(state: MemoryState, ids: readonly string[]): void {
  eraseIn(state, ids);
  for (const id of ids) {
    state.tickets.delete(id);
    state.importedUses.delete(id);
    for (const kind of LINK_KINDS) state.documents.delete(documentName(kind, id));
  }
}

function sumUpDays(state: MemoryState, eventId: string, timeZone: string): void {
  const counts = [...state.counts].filter(([, count]) => count.eventId === eventId);
  const { kept, sums } = dailySums(
    counts.map(([, count]) => count),
    timeZone,
  );
  for (const [name] of counts) state.counts.delete(name);
  for (const count of [...kept, ...sums]) state.addCount(count, count.scans, count.pruned);
}

export function prunableLog({ log }: MemoryState, before: number): PrunableLog {
  const entries = log.slice(0, prefixLength(log, before));
  return {
    entries: entries.length,
    uses: entries.reduce((sum, entry) => sum + usesIn(entry), 0),
    firstAt: entries[0]?.at ?? null,
    lastAt: entries.at(-1)?.at ?? null,
  };
}

export function pruneLog(state: MemoryState, before: number, entriesMax: number): number {
  const length = Math.min(entriesMax, prefixLength(state.log, before));
  if (length === 0) return 0;
  const going = state.log.slice(0, length);
  forgetEntries(state, going);
  state.change(['forget', length]);
  state.prunedUpTo(going.at(-1)?.sequence ?? 0);
  return length;
}

/** Remembers the uses of entries that are removed, by ticket, and that their scans are no longer in the log. */
function forgetEntries(state: MemoryState, entries: readonly LogEntry[]): void {
  for (const entry of entries) {
    if (!entry.replayed) state.addCount(state.countedAs(entry), 0, 1);
    const change = usesIn(entry);
    if (change === 0 || entry.ticketId === null) continue;
    const unlogged = (state.importedUses.get(entry.ticketId) ?? 0) + change;
    if (unlogged === 0) state.importedUses.delete(entry.ticketId);
    else state.importedUses.set(entry.ticketId, unlogged);
  }
}

/** Up to the first entry that is not older than `before`; the newest stays, because the numbers go on from it. */
function prefixLength(log: readonly LogEntry[], before: number): number {
  const kept = log.findIndex(({ at }) => at >= before);
  return kept === -1 ? Math.max(0, log.length - 1) : kept;
}

export function eraseHolders(
  state: MemoryState,
  ticketIds: readonly string[],
  auditEntry: NewAuditLogEntry,
): number {
  const count = eraseIn(state, ticketIds);
  writeAuditEntry(state, auditEntryWithCount(auditEntry, count));
  return count;
}

/** @returns of how many tickets something was erased */
function eraseIn(state: MemoryState, ticketIds: readonly string[]): number {
  const ids = new Set(ticketIds);
  const erased = new Set<string>();
  for (const id of ids) {
    const ticket = state.tickets.get(id);
    if (!ticket || !hasPersonalTexts(ticket)) continue;
    state.tickets.set(id, withoutPersonalTexts(ticket));
    erased.add(id);
  }
  for (const id of eraseReasons(state, ids)) erased.add(id);
  for (const [name, answer] of state.answers) {
    const decision = answerWithoutGuest(answer.decision, ids);
    if (decision !== answer.decision) state.answers.set(name, { ...answer, decision });
  }
  eraseInAuditLog(state, (subject) => ids.has(subject));
  return erased.size;
}

function eraseInAuditLog(state: MemoryState, isAbout: (subject: string) => boolean): void {
  for (const entry of state.auditLog) {
    if (isAbout(entry.subject))
      state.change(['retell', { ...entry, details: erasedDetails(entry) }]);
  }
}

/** Why uses were taken back. @returns the tickets */
function eraseReasons(state: MemoryState, ids: ReadonlySet<string>): string[] {
  const entries = state.log.filter(
    ({ ticketId, undo }) => undo && undo.reason !== ERASED && ids.has(ticketId ?? ''),
  );
  for (const entry of entries) {
    if (entry.undo)
      state.change(['rewrite', { ...entry, undo: { ...entry.undo, reason: ERASED } }]);
  }
  return entries.flatMap(({ ticketId }) => ticketId ?? []);
}
