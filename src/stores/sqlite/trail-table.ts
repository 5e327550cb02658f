import type { DatabaseSync } from 'node:sqlite';
import type {
  AdministrativeDocument,
  DocumentBound,
  DocumentKind,
  DocumentRevision,
  NewTrailEntry,
  TrailEntry,
} from '../../core/administrative-records.ts';
import { refuseTooMany } from '../document-bounds.ts';
import type { TrailFilter } from '../store.ts';
import { changedMeanwhile } from '../store-errors.ts';
import { inTransaction } from './open-database.ts';

/** Writes an act into the trail, inside the transaction of what was done; nothing when there is no act. */
export function recordAct(database: DatabaseSync, act: NewTrailEntry | null): void {
  if (!act) return;
  database
    .prepare('INSERT INTO trail VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)')
    .run(
      act.at,
      act.organisationId,
      act.accountId,
      act.by,
      act.act,
      act.subject,
      JSON.stringify(act.details),
    );
}

export function appendTrail(database: DatabaseSync, act: NewTrailEntry): void {
  inTransaction(database, () => recordAct(database, act));
}

export function readTrail(database: DatabaseSync, filter: TrailFilter): TrailEntry[] {
  const { organisationId, beforeSequence, limit } = filter;
  const conditions = ['sequence < ?'];
  const values: (string | number)[] = [beforeSequence ?? Number.MAX_SAFE_INTEGER];
  if (organisationId !== undefined) {
    conditions.push('organisation_id = ?');
    values.push(organisationId);
  }
  const sql = `SELECT * FROM trail WHERE ${conditions.join(' AND ')} ORDER BY sequence DESC LIMIT ?`;
  return database
    .prepare(sql)
    .all(...values, limit)
    .map(trailEntryFrom);
}

export function trailEntryFrom(row: Record<string, unknown>): TrailEntry {
  return {
    sequence: row['sequence'] as number,
    at: row['at'] as number,
    organisationId: row['organisation_id'] as string | null,
    accountId: row['account_id'] as string | null,
    by: row['by_name'] as string,
    act: row['act'] as string,
    subject: row['subject'] as string,
    details: JSON.parse(row['details'] as string) as TrailEntry['details'],
  };
}

export function findDocument(
  database: DatabaseSync,
  kind: DocumentKind,
  id: string,
): AdministrativeDocument | undefined {
  const row = database.prepare('SELECT * FROM document WHERE kind = ? AND id = ?').get(kind, id);
  return row && documentFrom(row);
}

export function listDocuments(
  database: DatabaseSync,
  kind: DocumentKind,
): AdministrativeDocument[] {
  const rows = database.prepare('SELECT * FROM document WHERE kind = ? ORDER BY id').all(kind);
  return rows.map(documentFrom);
}

export function putDocument(
  database: DatabaseSync,
  document: AdministrativeDocument,
  act: NewTrailEntry | null,
  unchanged: readonly DocumentRevision[] = [],
  bounds: readonly DocumentBound[] = [],
): void {
  const { kind, id, revision, value } = document;
  inTransaction(database, () => {
    refuseChanged(database, unchanged);
    if (bounds.length > 0) refuseTooMany(listDocuments(database, kind), document, bounds);
    const text = JSON.stringify(value);
    const { changes } =
      revision === 0
        ? database
            .prepare('INSERT INTO document VALUES (?, ?, 1, ?) ON CONFLICT DO NOTHING')
            .run(kind, id, text)
        : database
            .prepare(
              'UPDATE document SET revision = revision + 1, value = ? WHERE kind = ? AND id = ? AND revision = ?',
            )
            .run(text, kind, id, revision);
    if (changes !== 1) throw changedMeanwhile(kind);
    recordAct(database, act);
  });
}

export function deleteDocument(
  database: DatabaseSync,
  kind: DocumentKind,
  id: string,
  act: NewTrailEntry | null,
  unchanged: readonly DocumentRevision[] = [],
): void {
  inTransaction(database, () => {
    refuseChanged(database, unchanged);
    database.prepare('DELETE FROM document WHERE kind = ? AND id = ?').run(kind, id);
    recordAct(database, act);
  });
}

/** A write transaction is the only one: what is found here stays so until it ends. */
function refuseChanged(database: DatabaseSync, unchanged: readonly DocumentRevision[]): void {
  for (const { kind, id, revision } of unchanged) {
    const stored = findDocument(database, kind, id)?.revision ?? 0;
    if (stored !== revision) throw changedMeanwhile(kind);
  }
}

export function documentFrom(row: Record<string, unknown>): AdministrativeDocument {
  return {
    kind: row['kind'] as DocumentKind,
    id: row['id'] as string,
    revision: row['revision'] as number,
    value: JSON.parse(row['value'] as string) as unknown,
  };
}
