import * as z from 'zod';
import { siteIdIn } from '../../core/event-home.ts';
import type { LogEntry } from '../../core/records.ts';
import type { RecordStore } from '../../stores/record-store.ts';
import { listSiteValues, siteIdOf } from './site-records.ts';

/** Where the scans of an event are decided. At `centre` without a site: elsewhere than at the site that answers. */
export const EventHome = z.object({
  /**
   * `leaving`: the site has not taken it yet. `away`: the site decides. `returning`: the site has not given it back yet. `asking`, without a
   * site: the store was restored or copied, and a site that may have it was not heard since.
   */
  at: z.enum(['centre', 'leaving', 'away', 'returning', 'asking']),
  site: z.object({ id: z.string(), name: z.string() }).nullable(),
});
export type EventHome = z.output<typeof EventHome>;

const AT_CENTRE: EventHome = { at: 'centre', site: null };

/**
 * Finds where events are decided that are not decided here. What it reads is the same for any number of events.
 * @returns finds it for an event; undefined for one that is decided here
 */
export async function homesElsewhere(
  store: Pick<RecordStore, 'list'>,
): Promise<(eventId: string) => EventHome | undefined> {
  const [stored, siteOf] = await Promise.all([
    listSiteValues(store, 'event-home'),
    listSiteValues(store, 'site-of'),
  ]);
  const known = new Map(stored.map(({ id, value }) => [id, value]));
  // A site decides what it has taken, and nothing else.
  if (siteOf.length > 0) return (id) => (known.get(id)?.elsewhere === null ? undefined : AT_CENTRE);
  if (stored.every(({ value }) => value.elsewhere === null)) return () => undefined;
  const names = await namesOfSites(store);
  return (id) => {
    const home = known.get(id)?.home;
    if (home?.at === 'asking') return { at: 'asking', site: null };
    const siteId = home && siteIdOf(home);
    if (home === undefined || siteId === undefined) return undefined;
    return { at: home.at, site: { id: siteId, name: names.get(siteId) ?? siteId } };
  };
}

/** The names of all sites by their ids, retired ones too. */
export async function namesOfSites(
  store: Pick<RecordStore, 'list'>,
): Promise<ReadonlyMap<string, string>> {
  const sites = await listSiteValues(store, 'site');
  return new Map(sites.map(({ value: { id, name } }) => [id, name]));
}

/** The name of the site of a log entry; its id where it is not known. */
export function siteOfEntry(
  { id }: NonNullable<LogEntry['site']>,
  names: ReadonlyMap<string, string>,
): string {
  const site = siteIdIn(id);
  return names.get(site) ?? site;
}
