import type { NewTrailEntry, TrailEntry } from '../../../core/administrative-records.ts';
import type { TrailFilter } from '../store.ts';
import type { SqlConnection, SqlValue } from './connection.ts';

export const TRAIL_COLUMNS =
  'sequence, at, organisation_id AS "organisationId", account_id AS "accountId", by_name AS "by", act, subject, details';

export interface TrailRow extends Omit<TrailEntry, 'details'> {
  readonly details: string;
}

export function trailEntryFrom(row: TrailRow): TrailEntry {
  return { ...row, details: JSON.parse(row.details) as TrailEntry['details'] };
}

/** Writes an act into the trail, inside the transaction of what was done; nothing when there is no act. */
export async function recordAct(
  connection: SqlConnection,
  act: NewTrailEntry | null,
): Promise<void> {
  if (!act) return;
  await connection.run(
    'INSERT INTO trail (at, organisation_id, account_id, by_name, act, subject, details) VALUES ($1, $2, $3, $4, $5, $6, $7)',
    valuesOf(act),
  );
}

/** As `recordAct`, with the number that the entry has in another store. */
export async function insertTrailEntry(
  connection: SqlConnection,
  entry: TrailEntry,
): Promise<void> {
  await connection.run(
    `INSERT INTO trail (at, organisation_id, account_id, by_name, act, subject, details, sequence)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [...valuesOf(entry), entry.sequence],
  );
}

function valuesOf(act: NewTrailEntry): SqlValue[] {
  const { at, organisationId, accountId, by, subject, details } = act;
  return [at, organisationId, accountId, by, act.act, subject, JSON.stringify(details)];
}

export function appendTrail(connection: SqlConnection, act: NewTrailEntry): Promise<void> {
  return connection.inTransaction(() => recordAct(connection, act));
}

export async function readTrail(
  connection: SqlConnection,
  { organisationId, beforeSequence, limit }: TrailFilter,
): Promise<TrailEntry[]> {
  const values: SqlValue[] = [beforeSequence ?? Number.MAX_SAFE_INTEGER, limit];
  const ofOrganisation =
    organisationId === undefined ? '' : `AND organisation_id = $${values.push(organisationId)}`;
  const rows = await connection.rows<TrailRow>(
    `SELECT ${TRAIL_COLUMNS} FROM trail WHERE sequence < $1 ${ofOrganisation} ORDER BY sequence DESC LIMIT $2`,
    values,
  );
  return rows.map(trailEntryFrom);
}
