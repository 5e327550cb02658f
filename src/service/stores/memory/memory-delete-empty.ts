import { type DocumentRevision, isAccountId } from '../../../core/administrative-records.ts';
import type { ApiKeyRecord } from '../../../core/records.ts';
import { isUnknownAccount } from '../organisation-documents.ts';
import { notEmpty, notFound } from '../store-errors.ts';
import { refuseChanged } from './memory-audit-log.ts';
import type { MemoryState } from './memory-state.ts';

/** Described in `Store.deleteEvent`. */
export function deleteEvent(state: MemoryState, eventId: string, searchedTo: number): void {
  if (!state.events.has(eventId)) throw notFound('event', eventId);
  const isOfEvent = (id: string | null) => id?.startsWith(`tkt_${eventId}_`) ?? false;
  if ([...state.tickets.keys()].some(isOfEvent)) throw notEmpty('event', 'tickets');
  const later = state.log.filter(({ sequence }) => sequence > searchedTo);
  if (later.some(({ ticketId }) => isOfEvent(ticketId))) throw notEmpty('event', 'log entries');
  removeEvent(state, eventId);
}

/** Also from the scope of keys, and nobody is inside any more. */
export function removeEvent(state: MemoryState, eventId: string): void {
  for (const [id, key] of state.keys) {
    const record = without(eventId, key.record);
    if (record !== key.record) state.keys.set(id, { ...key, record });
  }
  for (const [id, key] of state.deletedKeys) {
    const record = without(eventId, key.record);
    if (record !== key.record) state.deletedKeys.set(id, { ...key, record });
  }
  state.events.delete(eventId);
  state.occupancy.delete(eventId);
}

function without(eventId: string, key: ApiKeyRecord): ApiKeyRecord {
  if (key.events === 'all' || !key.events.includes(eventId)) return key;
  return { ...key, events: key.events.filter((id) => id !== eventId) };
}

/** Described in `Store.deleteOrganisation`. */
export function deleteOrganisation(
  state: MemoryState,
  id: string,
  searchedTo: number,
  accounts: readonly DocumentRevision[],
): void {
  refuseChanged(state, accounts);
  state.organisation(id);
  const isOwn = ({ organisationId }: { readonly organisationId: string }) => organisationId === id;
  if ([...state.events.values()].some(isOwn)) throw notEmpty('organisation', 'events');
  const keys = [...state.keys.values(), ...state.deletedKeys.values()].filter(({ record }) =>
    isOwn(record),
  );
  const isLive = ({ id: keyId }: ApiKeyRecord) => state.keys.has(keyId) && !isAccountId(keyId);
  if (keys.some(({ record }) => isLive(record))) throw notEmpty('organisation', 'API keys');
  const documents = [...state.documents].filter(
    ([, document]) => document.id === id || isOwn(document.value as { organisationId: string }),
  );
  if (documents.some(([, document]) => isUnknownAccount(document, accounts)))
    throw notEmpty('organisation', 'accounts');
  const keyIds = new Set(keys.map(({ record }) => record.id));
  if (state.log.some(({ sequence, keyId }) => sequence > searchedTo && keyIds.has(keyId)))
    throw notEmpty('organisation', 'log entries');
  for (const keyId of keyIds) removeKey(state, keyId);
  for (const [name] of documents) state.documents.delete(name);
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
