import type { Clock } from '../../core/clock.ts';
import { undefinedOnConflict } from '../../core/errors.ts';
import { SECOND_MS } from '../../kit/durations.ts';
import type { RecordStore } from '../../stores/record-store.ts';
import { isHeardLately, readSiteValue, type SiteContact, type SiteRecord } from './site-records.ts';
import type { FeedQuestion, LastRow, RowsSent } from './wire.ts';

interface Deps {
  readonly store: Pick<RecordStore, 'read' | 'write'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** The last contact is written down this often while nothing else changes. */
const NOTED_MS = 10 * SECOND_MS;

/** Writes down what a site said of itself with its question. */
export async function noteContact(
  { store, clock }: Deps,
  site: SiteRecord,
  { incarnation, digest, recordsAsOf, waiting, now: atSite }: FeedQuestion,
): Promise<void> {
  const now = clock.now();
  const before = await readSiteValue(store, 'site-contact', site.id);
  const isSame =
    before?.value.incarnation === incarnation &&
    before.value.digest === digest &&
    before.value.waiting === waiting;
  if (isSame && isNotedLately(before.value, now)) return;
  const value: SiteContact = {
    organisationId: site.organisationId,
    incarnation,
    heardAt: now,
    since: heardSince(before?.value, now),
    aheadMs: atSite - now,
    digest,
    recordsAsOf,
    waiting,
    last: before?.value.incarnation === incarnation ? before.value.last : null,
  };
  await write(store, site, before?.revision ?? 0, value);
}

/**
 * Writes down that rows came, and how many wait still: a question may be answered long after them.
 * @param last the last of them, where it was new
 */
export async function noteRows(
  { store, clock }: Deps,
  site: SiteRecord,
  { incarnation, waiting }: Pick<RowsSent, 'incarnation' | 'waiting'>,
  last: LastRow | undefined,
): Promise<void> {
  const now = clock.now();
  const before = await readSiteValue(store, 'site-contact', site.id);
  // Rows of a store that another one took the place of say nothing of that one.
  if (before?.value.incarnation !== incarnation) return;
  const { value, revision } = before;
  const isSame = (value.waiting === 0) === (waiting === 0);
  if (isSame && last === undefined && isNotedLately(value, now)) return;
  await write(store, site, revision, {
    ...value,
    waiting,
    last: last ?? value.last,
    heardAt: now,
    since: heardSince(value, now),
  });
}

function isNotedLately({ heardAt }: SiteContact, now: number): boolean {
  return now - heardAt < NOTED_MS && now >= heardAt;
}

/** The time since which it is heard without a pause. */
function heardSince(before: SiteContact | undefined, now: number): number {
  return before && isHeardLately(before.heardAt, now) ? before.since : now;
}

async function write(
  store: Deps['store'],
  { id }: SiteRecord,
  revision: number,
  value: SiteContact,
): Promise<void> {
  const administrative = [{ kind: 'site-contact' as const, id, revision, value }];
  await store.write({ administrative, audit: [] }).catch(undefinedOnConflict);
}
