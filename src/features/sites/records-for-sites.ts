import { hash } from 'node:crypto';
import { TicketscanError } from '../../core/errors.ts';
import type { Keyring } from '../../core/ticket-code.ts';
import type { SiteRecords, Store } from '../../stores/store.ts';
import type { SiteRecord } from './site-records.ts';
import { verifyingKeysOf } from './verifying-keys.ts';
import type { FeedAnswer } from './wire.ts';

interface Deps {
  readonly store: Store;
  readonly keyring: () => Keyring;
}

/**
 * What a site has besides tickets: its organisation with the limits, its events, the keys, settings of gates, and what verifies codes.
 * @param eventIds the events that are at the site
 * @param digest of what the site has; null is returned where that is the same
 */
export async function recordsFor(
  { store, keyring }: Deps,
  { organisationId, hasSecret }: SiteRecord,
  eventIds: ReadonlySet<string>,
  digest: string,
): Promise<FeedAnswer['records']> {
  const organisation = await store.read('organisation', organisationId);
  if (!organisation) throw new TicketscanError('not_found', 'The organisation is gone.');
  const all = await store.list('event', { organisationId });
  const records = {
    organisation,
    events: all.filter(({ id }) => eventIds.has(id)),
    keys: await keysFor(store, organisationId, eventIds),
    administrative: await settingsFor(store, organisationId),
    signing: verifyingKeysOf(keyring(), hasSecret),
  };
  const made = hash('sha256', JSON.stringify(records), 'hex');
  if (made === digest) return null;
  return { digest: made, ...records } as unknown as FeedAnswer['records'];
}

/** The keys of the organisation; of their events only those that are at the site. */
async function keysFor(
  store: Store,
  organisationId: string,
  events: ReadonlySet<string>,
): Promise<SiteRecords['keys']> {
  const keys = await store.storedKeys(organisationId);
  return keys.map((key) => {
    const { record } = key;
    if (record.events === 'all') return key;
    return { ...key, record: { ...record, events: record.events.filter((id) => events.has(id)) } };
  });
}

async function settingsFor(
  store: Store,
  organisationId: string,
): Promise<SiteRecords['administrative']> {
  const kinds = ['device-names', 'inside-from', 'guest-search'] as const;
  const found = await Promise.all(kinds.map((kind) => store.read(kind, organisationId)));
  return found.flatMap((one) => (one ? [{ kind: one.kind, id: one.id, value: one.value }] : []));
}
