import type { ClientBase } from 'pg';
import type { OrganisationLimits } from '../../core/limits.ts';
import type { EventRecord, Organisation } from '../../core/records.ts';

/** With `organisation` as o. */
export const LIMIT_COLUMNS = 'o.rate_per_second, o.burst, o.quota_per_month, o.keys_max';

export interface LimitRow {
  readonly rate_per_second: number;
  readonly burst: number;
  readonly quota_per_month: number;
  readonly keys_max: number;
}

export function limitsFrom(row: LimitRow): OrganisationLimits {
  return {
    ratePerSecond: row.rate_per_second,
    burst: row.burst,
    quotaPerMonth: row.quota_per_month,
    keysMax: row.keys_max,
  };
}

/** With `organisation` as o. */
export const ORGANISATION_COLUMNS = `o.id, o.name, o.created_at, ${LIMIT_COLUMNS}`;

export interface OrganisationRow extends LimitRow {
  readonly id: string;
  readonly name: string;
  readonly created_at: number;
}

export function organisationFrom(row: OrganisationRow): Organisation {
  return { id: row.id, name: row.name, limits: limitsFrom(row), createdAt: row.created_at };
}

export async function insertOrganisation(
  client: ClientBase,
  { id, name, limits, createdAt }: Organisation,
): Promise<void> {
  const { ratePerSecond, burst, quotaPerMonth, keysMax } = limits;
  await client.query(
    `INSERT INTO organisation (id, name, rate_per_second, burst, quota_per_month, keys_max, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [id, name, ratePerSecond, burst, quotaPerMonth, keysMax, createdAt],
  );
}

/** An event as it is in the program. */
export const EVENT_COLUMNS =
  'id, organisation_id AS "organisationId", name, created_at AS "createdAt"';

export async function insertEvent(
  client: ClientBase,
  { id, organisationId, name, createdAt }: EventRecord,
): Promise<void> {
  await client.query(
    'INSERT INTO event (id, organisation_id, name, created_at) VALUES ($1, $2, $3, $4)',
    [id, organisationId, name, createdAt],
  );
}
