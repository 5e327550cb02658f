import type { ClientBase } from 'pg';
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
import { inTransaction } from './transaction.ts';

/** Writes an act into the trail, inside the transaction of what was done; nothing when there is no act. */
export async function recordAct(client: ClientBase, act: NewTrailEntry | null): Promise<void> {
  if (!act) return;
  await client.query(
    `INSERT INTO trail (at, organisation_id, account_id, by_name, act, subject, details) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [
      act.at,
      act.organisationId,
      act.accountId,
      act.by,
      act.act,
      act.subject,
      JSON.stringify(act.details),
    ],
  );
}

export async function appendTrail(client: ClientBase, act: NewTrailEntry): Promise<void> {
  await inTransaction(client, () => recordAct(client, act));
}

export async function readTrail(client: ClientBase, filter: TrailFilter): Promise<TrailEntry[]> {
  const { organisationId, beforeSequence, limit } = filter;
  const values: unknown[] = [beforeSequence ?? Number.MAX_SAFE_INTEGER, limit];
  const ofOrganisation =
    organisationId === undefined ? '' : `AND organisation_id = $${values.push(organisationId)}`;
  const { rows } = await client.query<Omit<TrailEntry, 'details'> & { details: string }>(
    `SELECT ${TRAIL_COLUMNS} FROM trail WHERE sequence < $1 ${ofOrganisation} ORDER BY sequence DESC LIMIT $2`,
    values,
  );
  return rows.map((row) => ({ ...row, details: JSON.parse(row.details) as TrailEntry['details'] }));
}

export async function findDocument(
  client: ClientBase,
  kind: DocumentKind,
  id: string,
): Promise<AdministrativeDocument | undefined> {
  const { rows } = await client.query<DocumentRow>(`${DOCUMENT} AND id = $2`, [kind, id]);
  return rows[0] && documentFrom(rows[0]);
}

export async function listDocuments(
  client: ClientBase,
  kind: DocumentKind,
): Promise<AdministrativeDocument[]> {
  const { rows } = await client.query<DocumentRow>(`${DOCUMENT} ORDER BY id`, [kind]);
  return rows.map(documentFrom);
}

export async function putDocument(
  client: ClientBase,
  document: AdministrativeDocument,
  act: NewTrailEntry | null,
  unchanged: readonly DocumentRevision[] = [],
  bounds: readonly DocumentBound[] = [],
): Promise<void> {
  const { kind, id, revision, value } = document;
  await inTransaction(client, async () => {
    if (bounds.length > 0) await holdBounds(client, document, bounds);
    if (unchanged.length > 0) {
      await holdUnchanged(client, [{ kind, id, revision }, ...unchanged]);
    }
    const text = JSON.stringify(value);
    const { rowCount } =
      revision === 0
        ? await client.query('INSERT INTO document VALUES ($1, $2, 1, $3) ON CONFLICT DO NOTHING', [
            kind,
            id,
            text,
          ])
        : await client.query(
            'UPDATE document SET revision = revision + 1, value = $3 WHERE kind = $1 AND id = $2 AND revision = $4',
            [kind, id, text, revision],
          );
    if (rowCount !== 1) throw changedMeanwhile(kind);
    await recordAct(client, act);
  });
}

export async function deleteDocument(
  client: ClientBase,
  kind: DocumentKind,
  id: string,
  act: NewTrailEntry | null,
  unchanged: readonly DocumentRevision[] = [],
): Promise<void> {
  await inTransaction(client, async () => {
    await holdUnchanged(client, unchanged);
    await client.query('DELETE FROM document WHERE kind = $1 AND id = $2', [kind, id]);
    await recordAct(client, act);
  });
}

/** Bounded writes of a kind wait for one another: what is counted here stays true until this one is committed. */
async function holdBounds(
  client: ClientBase,
  document: AdministrativeDocument,
  bounds: readonly DocumentBound[],
): Promise<void> {
  await client.query('SELECT pg_advisory_xact_lock(hashtext($1), hashtext(current_schema()))', [
    `document ${document.kind}`,
  ]);
  refuseTooMany(await listDocuments(client, document.kind), document, bounds);
}

/** Nobody else can change them until the transaction ends. In one order for all: two that hold the same never wait for each other. */
async function holdUnchanged(
  client: ClientBase,
  unchanged: readonly DocumentRevision[],
): Promise<void> {
  if (unchanged.length === 0) return;
  const { rows } = await client.query<DocumentRevision>(
    `SELECT kind, id, revision FROM document
     WHERE (kind, id) IN (SELECT * FROM unnest($1::text[], $2::text[])) ORDER BY kind, id FOR UPDATE`,
    [unchanged.map(({ kind }) => kind), unchanged.map(({ id }) => id)],
  );
  for (const { kind, id, revision } of unchanged) {
    const stored = rows.find((row) => row.kind === kind && row.id === id);
    if ((stored?.revision ?? 0) !== revision) throw changedMeanwhile(kind);
  }
}

export const TRAIL_COLUMNS =
  'sequence, at, organisation_id AS "organisationId", account_id AS "accountId", by_name AS by, act, subject, details';

const DOCUMENT = 'SELECT kind, id, revision, value FROM document WHERE kind = $1';

interface DocumentRow {
  readonly kind: DocumentKind;
  readonly id: string;
  readonly revision: number;
  readonly value: string;
}

function documentFrom(row: DocumentRow): AdministrativeDocument {
  return { ...row, value: JSON.parse(row.value) as unknown };
}
