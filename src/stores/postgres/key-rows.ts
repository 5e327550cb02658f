import type { IntegrationType } from '../../core/api-key.ts';
import type { OrganisationLimits } from '../../core/limits.ts';
import type { ApiKeyRecord, DoorSettings } from '../../core/records.ts';

/** With `api_key` as k. */
export const KEY_COLUMNS = `k.id, k.organisation_id, k.name, k.type, k.all_events, k.active, k.relay, k.open_seconds, k.created_at,
  ARRAY(SELECT s.event_id FROM api_key_event s JOIN event e ON e.id = s.event_id WHERE s.key_id = k.id ORDER BY e.ordinal) AS event_ids`;

export interface KeyRow {
  readonly id: string;
  readonly organisation_id: string;
  readonly name: string;
  readonly type: IntegrationType;
  readonly all_events: boolean;
  readonly active: boolean;
  readonly relay: DoorSettings['relay'];
  readonly open_seconds: number;
  readonly created_at: number;
  readonly event_ids: string[];
}

export function keyFrom(row: KeyRow): ApiKeyRecord {
  return {
    id: row.id,
    organisationId: row.organisation_id,
    name: row.name,
    type: row.type,
    events: row.all_events ? 'all' : row.event_ids,
    active: row.active,
    relay: row.relay,
    openSeconds: row.open_seconds,
    createdAt: row.created_at,
  };
}

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
