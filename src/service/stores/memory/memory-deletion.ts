import { dailySums } from '../../../core/scan-count.ts';
import { eventOfTicketId } from '../../../core/ticket-id.ts';
import { begunDeletion, type Deletion, type DeletionRequest, endOf, STEP } from '../deletion.ts';
import { notEmpty, notFound } from '../store-errors.ts';
import { appendAuditEntry, documentName, putDocument, refuseChanged } from './memory-audit-log.ts';
import { deleteOrganisation, removeEvent } from './memory-delete-empty.ts';
import { eraseHolders } from './memory-erase-holders.ts';
import { forgetEntries } from './memory-prune.ts';
import type { MemoryState } from './memory-state.ts';

/** Described in `Store.beginDeletion`. */
export function beginDeletion(state: MemoryState, request: DeletionRequest): void {
  if (request.what === 'event') beginEvent(state, request);
  else beginOrganisation(state, request);
}

function beginEvent(state: MemoryState, request: DeletionRequest): void {
  const event = state.events.get(request.id);
  if (!event) throw notFound('event', request.id);
  removeEvent(state, event.id);
  putDocument(state, begunDeletion(request, event.organisationId));
}

function beginOrganisation(state: MemoryState, request: DeletionRequest): void {
  const { id, accounts } = request;
  refuseChanged(state, accounts);
  state.organisation(id);
  const isOwn = ({ organisationId }: { readonly organisationId: string }) => organisationId === id;
  const going = new Set(accounts.map((account) => account.id));
  for (const { kind, id: one, value } of state.documents.values()) {
    if (kind === 'account' && isOwn(value as never) && !going.has(one))
      throw notEmpty('organisation', 'accounts');
  }
  for (const { kind, id: one } of accounts) {
    const name = documentName(kind, one);
    if (isOwn(state.documents.get(name)?.value as never)) state.documents.delete(name);
  }
  for (const event of [...state.events.values()].filter(isOwn)) {
    beginEvent(state, { ...request, what: 'event', id: event.id, name: event.name });
  }
  for (const [keyId, { record, hash, previousHash = null }] of [...state.keys]) {
    if (!isOwn(record)) continue;
    state.keys.delete(keyId);
    const deletedAt = request.ended.at;
    const deleted = { record: { ...record, active: false }, hash, previousHash, deletedAt };
    state.deletedKeys.set(keyId, deleted);
  }
  putDocument(state, begunDeletion(request, id));
}

/** Described in `Store.continueDeletion`. */
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
  appendAuditEntry(state, endOf(before, now));
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
    deleteOrganisation(state, id, searchedTo, []);
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
  state.dropEntries(going.map(({ sequence }) => sequence));
  const isFull = going.length === STEP.entries || looked.length === STEP.entriesSearched;
  const last = going.length === STEP.entries ? going.at(-1) : looked.at(-1);
  const searchedTo = isFull ? (last?.sequence ?? upTo) : upTo;
  return { ...before, searchedTo, entries: before.entries + going.length };
}

function removeTickets(state: MemoryState, ids: readonly string[]): void {
  eraseHolders(state, ids);
  for (const id of ids) {
    state.tickets.delete(id);
    state.importedUses.delete(id);
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
