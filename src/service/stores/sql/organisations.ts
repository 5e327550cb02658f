import type {
  AdministrativeDocument,
  NewAuditLogEntry,
} from '../../../core/administrative-records.ts';
import { changedOrganisation } from '../../../core/changed-organisation.ts';
import type { OrganisationLimits } from '../../../core/limits.ts';
import type {
  EventRecord,
  NewEventRecord,
  Organisation,
  OrganisationChanges,
} from '../../../core/records.ts';
import type { NewOwners } from '../record-store.ts';
import { beingDeleted, notFound } from '../store-errors.ts';
import { writeAuditEntry } from './audit-log.ts';
import { change, unlessTaken } from './change.ts';
import type { SqlConnection } from './connection.ts';
import { writeDocument } from './hold-unchanged.ts';

/** With `organisation` as o, named as in `OrganisationLimits`. */
export const LIMIT_COLUMNS =
  'o.rate_per_second AS "ratePerSecond", o.burst, o.quota_per_month AS "quotaPerMonth", o.keys_max AS "keysMax"';

/** With `organisation` as o. */
export const ORGANISATION_COLUMNS = `o.id, o.name, o.created_at AS "createdAt", o.time_zone AS "timeZone",
  o.sample_neighbour AS "sampleNeighbour", ${LIMIT_COLUMNS}`;

export type OrganisationRow = Omit<Organisation, 'limits' | 'timeZone' | 'sampleNeighbour'> &
  OrganisationLimits & {
    readonly timeZone: string | null;
    /** A number or a boolean, as the engine has it. */
    readonly sampleNeighbour: unknown;
  };

export function organisationFrom(row: OrganisationRow): Organisation {
  const { id, name, timeZone, sampleNeighbour, createdAt } = row;
  return {
    ...{ id, name, limits: limitsFrom(row) },
    ...(timeZone !== null && { timeZone }),
    ...(sampleNeighbour ? { sampleNeighbour: true } : {}),
    createdAt,
  };
}

export function limitsFrom(row: OrganisationLimits): OrganisationLimits {
  const { ratePerSecond, burst, quotaPerMonth, keysMax } = row;
  return { ratePerSecond, burst, quotaPerMonth, keysMax };
}

export async function insertOrganisation(
  connection: SqlConnection,
  { id, name, limits, timeZone, sampleNeighbour, createdAt }: Organisation,
): Promise<void> {
  const { ratePerSecond, burst, quotaPerMonth, keysMax } = limits;
  await connection.run(
    `INSERT INTO organisation (id, name, rate_per_second, burst, quota_per_month, keys_max, created_at, time_zone, sample_neighbour)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      ...[id, name, ratePerSecond, burst, quotaPerMonth, keysMax, createdAt],
      ...[timeZone ?? null, sampleNeighbour === true],
    ],
  );
}

/** @throws TicketscanError `not_found` */
export async function keysMaxOf(
  connection: SqlConnection,
  organisationId: string,
): Promise<number> {
  const [row] = await connection.rows<{ keys_max: number }>(
    'SELECT keys_max FROM organisation WHERE id = $1',
    [organisationId],
  );
  if (!row) throw notFound('organisation', organisationId);
  return row.keys_max;
}

export const EVENT_COLUMNS =
  'id, organisation_id AS "organisationId", name, created_at AS "createdAt", archived_at AS "archivedAt"';

export async function insertEvent(
  connection: SqlConnection,
  { id, organisationId, name, createdAt, archivedAt }: EventRecord,
): Promise<void> {
  await connection.run(
    'INSERT INTO event (id, organisation_id, name, created_at, archived_at) VALUES ($1, $2, $3, $4, $5)',
    [id, organisationId, name, createdAt, archivedAt],
  );
}

/** Inside a transaction: organisation and events, each with its audit entry; every process then asks for them anew. */
export async function insertOwners(
  connection: SqlConnection,
  { organisation, events }: NewOwners,
): Promise<void> {
  await connection.run('UPDATE state SET revision = revision + 1');
  if (organisation) {
    const what = `An organisation named "${organisation.record.name}"`;
    await unlessTaken(connection, what, insertOrganisation(connection, organisation.record));
    await writeAuditEntry(connection, organisation.auditEntry);
  }
  for (const { record, auditEntry } of events) {
    await refuseDeleting(connection, record.id);
    await unlessTaken(
      connection,
      `An event named "${record.name}"`,
      insertEvent(connection, { ...record, archivedAt: null }),
    );
    await writeAuditEntry(connection, auditEntry);
  }
}

/** @throws TicketscanError `conflict` while an event of that id is being deleted with its tickets */
async function refuseDeleting(connection: SqlConnection, eventId: string): Promise<void> {
  const deletion = "SELECT id FROM document WHERE kind = 'deletion' AND id = $1";
  if ((await connection.rows(deletion, [eventId])).length > 0) throw beingDeleted(eventId);
}

export function createOrganisation(
  connection: SqlConnection,
  organisation: Organisation,
  auditEntry: NewAuditLogEntry,
): Promise<void> {
  return create(connection, `An organisation named "${organisation.name}"`, auditEntry, () =>
    insertOrganisation(connection, organisation),
  );
}

export async function listOrganisations(connection: SqlConnection): Promise<Organisation[]> {
  const rows = await connection.rows<OrganisationRow>(
    `SELECT ${ORGANISATION_COLUMNS} FROM organisation o ORDER BY o.ordinal`,
  );
  return rows.map(organisationFrom);
}

export function editOrganisation(
  connection: SqlConnection,
  id: string,
  changes: OrganisationChanges,
  auditEntries: readonly NewAuditLogEntry[],
  documents: readonly AdministrativeDocument[] = [],
): Promise<Organisation> {
  return change(connection, null, async () => {
    const [row] = await connection.rows<OrganisationRow>(
      `SELECT ${ORGANISATION_COLUMNS} FROM organisation o WHERE o.id = $1`,
      [id],
    );
    if (!row) throw notFound('organisation', id);
    const after = changedOrganisation(organisationFrom(row), changes);
    const { ratePerSecond, burst, quotaPerMonth, keysMax } = after.limits;
    const written = connection.run(
      'UPDATE organisation SET name = $2, time_zone = $3, rate_per_second = $4, burst = $5, quota_per_month = $6, keys_max = $7 WHERE id = $1',
      [id, after.name, after.timeZone ?? null, ratePerSecond, burst, quotaPerMonth, keysMax],
    );
    await unlessTaken(connection, `An organisation named "${after.name}"`, written);
    for (const document of documents) await writeDocument(connection, document);
    for (const auditEntry of auditEntries) await writeAuditEntry(connection, auditEntry);
    return after;
  });
}

export function createEvent(
  connection: SqlConnection,
  event: NewEventRecord,
  auditEntry: NewAuditLogEntry,
): Promise<void> {
  return create(connection, `An event named "${event.name}"`, auditEntry, async () => {
    await keysMaxOf(connection, event.organisationId);
    await insertEvent(connection, { ...event, archivedAt: null });
  });
}

export function renameEvent(
  connection: SqlConnection,
  eventId: string,
  name: string,
  auditEntry: NewAuditLogEntry,
): Promise<EventRecord> {
  return create(connection, `An event named "${name}"`, auditEntry, async () => {
    const [event] = await connection.rows<EventRecord>(
      `UPDATE event SET name = $2 WHERE id = $1 RETURNING ${EVENT_COLUMNS}`,
      [eventId, name],
    );
    if (!event) throw notFound('event', eventId);
    return event;
  });
}

export function archiveEvent(
  connection: SqlConnection,
  eventId: string,
  at: number | null,
  auditEntry: NewAuditLogEntry,
): Promise<EventRecord> {
  return change(connection, auditEntry, async () => {
    const [event] = await connection.rows<EventRecord>(
      `UPDATE event SET archived_at = $2 WHERE id = $1 RETURNING ${EVENT_COLUMNS}`,
      [eventId, at],
    );
    if (!event) throw notFound('event', eventId);
    return event;
  });
}

export function listEvents(connection: SqlConnection): Promise<EventRecord[]> {
  return connection.rows<EventRecord>(`SELECT ${EVENT_COLUMNS} FROM event ORDER BY ordinal`);
}

/** @param what has the name, for the `conflict` when another has it */
function create<Result>(
  connection: SqlConnection,
  what: string,
  auditEntry: NewAuditLogEntry,
  work: () => Promise<Result>,
): Promise<Result> {
  return unlessTaken(connection, what, change(connection, auditEntry, work));
}
