import type {
  AdministrativeKind,
  AdministrativeRecord,
  AdministrativeRevision,
  NewAuditLogEntry,
} from '../../src/core/administrative-records.ts';
import { hashApiKey } from '../../src/core/api-key.ts';
import { withoutUnset } from '../../src/core/key-terms.ts';
import {
  type ApiKeyChanges,
  type ApiKeyRecord,
  changedOrganisation,
  type EventRecord,
  type Organisation,
  type OrganisationChanges,
} from '../../src/core/records.ts';
import { defined } from '../../src/kit/defined.ts';
import type {
  RecordChange,
  RecordKind,
  RecordOf,
  RecordStore,
} from '../../src/stores/record-store.ts';
import { notFound } from '../../src/stores/store-errors.ts';
import { AN_AUDIT_ENTRY } from './an-audit-entry.ts';

type Records = Pick<RecordStore, 'read' | 'write'>;

/** A record that is made. The hash of a key is that of its identifier. */
export function created<Kind extends RecordKind>(kind: Kind, after: RecordOf[Kind]): RecordChange {
  const hash = kind === 'key' ? { hash: hashApiKey(after.id) } : {};
  return { kind, before: null, after, ...hash } as RecordChange;
}

export async function createRecord<Kind extends RecordKind>(
  store: Records,
  kind: Kind,
  after: RecordOf[Kind],
  auditEntry: NewAuditLogEntry = AN_AUDIT_ENTRY,
): Promise<void> {
  await store.write({ records: [created(kind, after)], audit: [auditEntry] });
}

export async function putAdministrative(
  store: Records,
  kind: AdministrativeKind,
  id: string,
  value: unknown,
  revision = 0,
): Promise<void> {
  await store.write({ administrative: [{ kind, id, revision, value }], audit: [] });
}

async function existing<Kind extends RecordKind>(
  store: Records,
  kind: Kind,
  id: string,
): Promise<RecordOf[Kind]> {
  const found = await store.read(kind, id);
  if (found === undefined) throw notFound(kind, id);
  return found;
}

export async function editKey(
  store: Records,
  id: string,
  changes: ApiKeyChanges,
  auditEntry: NewAuditLogEntry,
): Promise<ApiKeyRecord> {
  const before = await existing(store, 'key', id);
  const after = withoutUnset({ ...before, ...defined(changes) });
  await store.write({ records: [{ kind: 'key', before, after }], audit: [auditEntry] });
  return after;
}

/** Deletes a key at the time of the entry. */
export async function deleteKey(
  store: Records,
  id: string,
  at: number,
  auditEntry: NewAuditLogEntry,
): Promise<void> {
  const before = await existing(store, 'key', id);
  const audit = [{ ...auditEntry, at }];
  await store.write({ records: [{ kind: 'key', before, after: null }], audit });
}

export async function editOrganisation(
  store: Records,
  id: string,
  changes: OrganisationChanges,
  audit: readonly NewAuditLogEntry[],
  administrative: readonly AdministrativeRecord[] = [],
): Promise<Organisation> {
  const before = await existing(store, 'organisation', id);
  const after = changedOrganisation(before, changes);
  await store.write({ records: [{ kind: 'organisation', before, after }], administrative, audit });
  return after;
}

export async function deleteOrganisation(
  store: Records,
  id: string,
  searchedTo: number,
  auditEntry: NewAuditLogEntry,
  unchanged: readonly AdministrativeRevision[] = [],
): Promise<void> {
  const before = await existing(store, 'organisation', id);
  const records = [{ kind: 'organisation', before, after: null }] as const;
  await store.write({ records, searchedTo, unchanged, audit: [auditEntry] });
}

export async function renameEvent(
  store: Records,
  id: string,
  name: string,
  auditEntry: NewAuditLogEntry,
): Promise<EventRecord> {
  const before = await existing(store, 'event', id);
  const after = { ...before, name };
  await store.write({ records: [{ kind: 'event', before, after }], audit: [auditEntry] });
  return after;
}

export async function deleteEvent(
  store: Records,
  id: string,
  searchedTo: number,
  auditEntry: NewAuditLogEntry,
): Promise<void> {
  const before = await existing(store, 'event', id);
  const records = [{ kind: 'event', before, after: null }] as const;
  await store.write({ records, searchedTo, audit: [auditEntry] });
}
