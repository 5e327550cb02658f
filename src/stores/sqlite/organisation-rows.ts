import type { DatabaseSync } from 'node:sqlite';
import type { OrganisationLimits } from '../../core/limits.ts';
import type { EventRecord, Organisation } from '../../core/records.ts';

type Row = Record<string, unknown>;

export const ORGANISATION_SELECT = 'SELECT o.* FROM organisation o';

export function organisationFrom(row: Row): Organisation {
  return {
    id: row['public_id'] as string,
    name: row['name'] as string,
    limits: limitsFrom(row),
    createdAt: row['created_at'] as number,
  };
}

export const EVENT_SELECT = `SELECT e.public_id, e.name, e.created_at, o.public_id AS organisation_id
  FROM event e JOIN organisation o ON o.id = e.organisation`;

export function eventFrom(row: Row): EventRecord {
  return {
    id: row['public_id'] as string,
    organisationId: row['organisation_id'] as string,
    name: row['name'] as string,
    createdAt: row['created_at'] as number,
  };
}

export function limitsFrom(row: Row): OrganisationLimits {
  return {
    ratePerSecond: row['rate_per_second'] as number,
    burst: row['burst'] as number,
    quotaPerMonth: row['quota_per_month'] as number,
    keysMax: row['keys_max'] as number,
  };
}

export function insertOrganisation(
  database: DatabaseSync,
  { id, name, limits, createdAt }: Organisation,
): void {
  const { ratePerSecond, burst, quotaPerMonth, keysMax } = limits;
  database
    .prepare('INSERT INTO organisation VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)')
    .run(id, name, ratePerSecond, burst, quotaPerMonth, keysMax, createdAt);
}

/** @param organisation the row of the event's organisation */
export function insertEvent(
  database: DatabaseSync,
  { id, name, createdAt }: EventRecord,
  organisation: number,
): void {
  database
    .prepare('INSERT INTO event VALUES (NULL, ?, ?, ?, ?)')
    .run(id, organisation, name, createdAt);
}
