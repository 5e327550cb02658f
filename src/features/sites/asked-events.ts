import {
  answered,
  type Home,
  isAskedOf,
  nameOfIncarnation,
  type Wish,
} from '../../core/event-home.ts';
import { counted } from '../../kit/text.ts';
import type { RecordStore } from '../../stores/record-store.ts';
import { ofOrganisation } from '../typed-records.ts';
import { listSiteValues, type SiteRecord } from './site-records.ts';
import type { FeedQuestion } from './wire.ts';

/** An event for which a centre asked its sites, since its store was restored or copied. */
interface SettledEvent {
  readonly id: string;
  readonly revision: number;
  readonly next: Home;
}

/** What a site says of the events that it has. */
interface Said extends Pick<FeedQuestion, 'incarnation' | 'held'> {
  /** The last row of the site that is here. */
  readonly stored: number;
  /** True where it was asked since the store of the centre was restored: it knows the feed of that. */
  readonly isFresh: boolean;
}

/** @returns the events of which the centre knows more by what a site says, and their homes from now on */
export async function settledBy(
  site: SiteRecord,
  { incarnation, held, stored, isFresh }: Said,
  store: Pick<RecordStore, 'list'>,
): Promise<SettledEvent[]> {
  // A question from before the restore may tell of a stay that has ended since.
  if (!isFresh) return [];
  const name = nameOfIncarnation(site.id, incarnation);
  const homes = await listSiteValues(store, 'event-home', ofOrganisation(site.organisationId));
  return homes.flatMap(({ id, revision, value: { home } }) => {
    if (home?.at !== 'asking') return [];
    const said = held.find(({ event }) => event === id);
    const next = answered(home, name, said && { ...said, site: name }, stored);
    return next !== home ? [{ id, revision, next }] : [];
  });
}

/**
 * The events that a site goes on with, of which the centre does not know yet whether they are there: the site did not know of the restore
 * when it asked, so that its question may be an old one.
 */
export async function keptBy(
  site: SiteRecord,
  { incarnation, held }: Pick<FeedQuestion, 'incarnation' | 'held'>,
  store: Pick<RecordStore, 'list'>,
): Promise<(Wish & { readonly event: string })[]> {
  const name = nameOfIncarnation(site.id, incarnation);
  const homes = await listSiteValues(store, 'event-home', ofOrganisation(site.organisationId));
  return homes.flatMap(({ id: event, value: { home } }) => {
    const said = held.find((one) => one.event === event);
    if (home === undefined || said === undefined || said.isClosed) return [];
    if (!isAskedOf(home, name)) return [];
    return [{ event, epoch: said.epoch, kind: 'keep' as const }];
  });
}

/** What a server says at its start where it waits for sites; undefined where it does not. */
export async function waitsForSites(store: Pick<RecordStore, 'list'>): Promise<string | undefined> {
  const homes = await listSiteValues(store, 'event-home');
  const asked = homes.filter(({ value: { home } }) => home?.at === 'asking').length;
  if (asked === 0) return undefined;
  return `${counted(asked, 'event')} ${asked === 1 ? 'is' : 'are'} not decided here yet: this store was restored or copied, and a site that may have ${asked === 1 ? 'it' : 'them'} was not heard since. Which one: ticketscan sites list`;
}

/** @returns how many sites the centre of a store asks once that was restored or copied; 0 for the store of no centre */
export async function sitesToAsk(store: Pick<RecordStore, 'list'>): Promise<number> {
  const sites = await listSiteValues(store, 'site');
  return sites.filter(({ value }) => value.retiredAt === null).length;
}

/** What follows for a centre, in sentences. @param store what to call it: `It` @param sites how many it asks, at least one */
export function asksSites(store: string, sites: number): string {
  return `${store} is that of a centre with ${counted(sites, 'site')}: no event is decided there until each site was heard and says that it does not have it. Free a site that is lost: ticketscan sites free NAME.`;
}
