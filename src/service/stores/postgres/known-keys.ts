import type { ClientBase } from 'pg';
import type { KeyState } from '../../../core/scan-batch.ts';
import { TERM_COLUMNS, type TermRow, termsOf } from '../sql/records.ts';

/**
 * Keys and the owners of events, as they were at one revision. Batches in flight may have read different revisions, so each
 * holds on to its own of these.
 */
export class KnownKeys {
  readonly revision: number;
  readonly #keys = new Map<string, KeyState | undefined>();
  readonly #organisations = new Map<string, string>();

  constructor(revision: number) {
    this.revision = revision;
  }

  /** Undefined for a key that is deleted or never was. */
  key(keyId: string): KeyState | undefined {
    return this.#keys.get(keyId);
  }

  organisationOf(eventId: string): string | undefined {
    return this.#organisations.get(eventId);
  }

  /** Reads what of these is not known yet. */
  async learn(
    client: ClientBase,
    keyIds: Iterable<string>,
    eventIds: Iterable<string>,
  ): Promise<void> {
    const keys = [...keyIds].filter((id) => !this.#keys.has(id));
    const events = [...eventIds].filter((id) => !this.#organisations.has(id));
    await Promise.all([
      keys.length > 0 && this.#learnKeys(client, keys),
      events.length > 0 && this.#learnEvents(client, events),
    ]);
  }

  async #learnKeys(client: ClientBase, ids: readonly string[]): Promise<void> {
    const { rows } = await client.query<KeyStateRow>({ name: 'keys', text: KEYS, values: [ids] });
    for (const id of ids) this.#keys.set(id, undefined);
    for (const row of rows) {
      this.#keys.set(row.id, {
        active: row.active,
        organisationId: row.organisation_id,
        events: row.all_events ? 'all' : new Set(row.event_ids),
        quotaPerMonth: row.quota_per_month,
        rate: { ratePerSecond: row.rate_per_second, burst: row.burst },
        ...termsOf(row),
      });
    }
  }

  /** An unknown event is not remembered: made-up ids must not fill the memory. */
  async #learnEvents(client: ClientBase, ids: readonly string[]): Promise<void> {
    const { rows } = await client.query<{ id: string; organisation_id: string }>({
      name: 'events',
      text: 'SELECT id, organisation_id FROM event WHERE id = ANY($1::text[])',
      values: [ids],
    });
    for (const row of rows) this.#organisations.set(row.id, row.organisation_id);
  }
}

interface KeyStateRow extends TermRow {
  readonly id: string;
  readonly active: boolean;
  readonly organisation_id: string;
  readonly all_events: boolean;
  readonly event_ids: string[];
  readonly quota_per_month: number;
  readonly rate_per_second: number;
  readonly burst: number;
}

const KEYS = `SELECT k.id, k.active, k.organisation_id, k.all_events, o.quota_per_month, o.rate_per_second, o.burst, ${TERM_COLUMNS},
    ARRAY(SELECT event_id FROM api_key_event s WHERE s.key_id = k.id) AS event_ids
  FROM api_key k JOIN organisation o ON o.id = k.organisation_id WHERE k.id = ANY($1::text[]) AND k.deleted_at IS NULL`;
