import * as z from 'zod';
import { type Home, siteIdIn, stayOf } from '../../core/event-home.ts';
import { Time, TimeOrNull } from '../../core/records.ts';
import type { Store } from '../../stores/store.ts';
import {
  concerns,
  listSiteValues,
  readSiteValue,
  type SiteContact,
  type SiteRecord,
  sitesOf,
} from './site-records.ts';

/** A change that was made here, and at which sites it is in force. */
export const InForce = z
  .object({
    /** When it was made here, where it is in force since then. */
    at: Time,
    /** The ticket that was changed last at each of the sites: by these it is asked again. Empty for a change of keys. */
    tickets: z.array(z.string()).readonly(),
    /** The sites that need it. */
    sites: z
      .array(
        z.object({
          id: z.string(),
          name: z.string(),
          /** When the site had it; null while it has not said so. */
          since: TimeOrNull,
          /** When the centre heard of the site last; null before the first time. */
          heardAt: TimeOrNull,
        }),
      )
      .readonly(),
  })
  .meta({ id: 'InForce' });
export type InForce = z.output<typeof InForce>;

type Reading = Pick<Store, 'read' | 'list' | 'siteChangesOf'>;
type SiteChange = Awaited<ReturnType<Store['siteChangesOf']>>[number];

/** A site that needs the changes of an event. */
interface NeedingSite {
  readonly siteId: string;
  /** True where the centre waits for its word whether it has the event. */
  readonly isAsked: boolean;
}

/** The sites that have an event, or may have it. */
function sitesThatNeed(home: Home | undefined): NeedingSite[] {
  if (home === undefined) return [];
  const has = stayOf(home)?.site;
  return sitesOf(home).map((site) => ({ siteId: siteIdIn(site), isAsked: site !== has }));
}

/** The newest change that each site needs: a site has the changes of all its events in their order, and with the newest it has them all. */
function newestBySite(
  changes: readonly SiteChange[],
  sitesOfEvent: ReadonlyMap<string, readonly NeedingSite[]>,
): ReadonlyMap<string, SiteChange> {
  const newest = new Map<string, SiteChange>();
  for (const change of changes) {
    for (const { siteId, isAsked } of sitesOfEvent.get(change.eventId) ?? []) {
      const known = newest.get(siteId);
      const told = isAsked ? { ...change, inForceAt: null } : change;
      if (known === undefined || known.sequence < change.sequence) newest.set(siteId, told);
    }
  }
  return newest;
}

/** The answer to a change, with where that is in force if a site needs it. */
export async function withInForce<Answer extends object>(
  answer: Answer,
  found: Promise<InForce | undefined>,
): Promise<Answer & { readonly inForce?: InForce }> {
  const inForce = await found;
  return inForce ? { ...answer, inForce } : answer;
}

/** Where the latest change of tickets is in force; undefined where no site needs it. */
export async function inForceOfTickets(
  store: Reading,
  ticketIds: readonly string[],
): Promise<InForce | undefined> {
  const homes = await listSiteValues(store, 'event-home');
  const sitesOfEvent = new Map(homes.map(({ id, value }) => [id, sitesThatNeed(value.home)]));
  if ([...sitesOfEvent.values()].every((sites) => sites.length === 0)) return undefined;
  const newest = newestBySite(await store.siteChangesOf(ticketIds), sitesOfEvent);
  if (newest.size === 0) return undefined;
  const changes = [...newest.values()];
  return {
    at: Math.max(...changes.map(({ at }) => at)),
    tickets: changes.map(({ ticketId }) => ticketId),
    sites: await Promise.all(
      [...newest].map(async ([siteId, { inForceAt }]) => {
        const site = (await readSiteValue(store, 'site', siteId))?.value;
        const heardAt = (await contactOf(store, siteId))?.heardAt ?? null;
        return { id: siteId, name: site?.name ?? siteId, since: inForceAt, heardAt };
      }),
    ),
  };
}

/**
 * Where a change of keys is in force that was written by `at`; undefined where no site has keys of the organisation.
 * @param organisationId undefined for all of them
 * @param only the ids of the sites that matter; all by default
 */
export async function inForceOfKeys(
  store: Pick<Reading, 'read' | 'list'>,
  at: number,
  organisationId: string | undefined,
  only?: readonly string[],
): Promise<InForce | undefined> {
  const all = (await listSiteValues(store, 'site')).map(({ value }) => value);
  const own = all.filter(
    (site) =>
      (organisationId === undefined || site.organisationId === organisationId) &&
      (only?.includes(site.id) ?? true),
  );
  const found = await Promise.all(own.map((site) => keysAt(store, site, at)));
  const sites = found.flatMap((site) => site ?? []);
  return sites.length === 0 ? undefined : { at, tickets: [], sites };
}

/** A site that never had keys has none to change, and a retired one gets no change: it is named while it has events. */
async function keysAt(
  store: Pick<Reading, 'read' | 'list'>,
  { id, name, retiredAt }: SiteRecord,
  at: number,
): Promise<InForce['sites'][number] | undefined> {
  const contact = await contactOf(store, id);
  const asOf = contact?.recordsAsOf ?? null;
  if (!contact || asOf === null) return undefined;
  if (retiredAt !== null && !(await hasEvents(store, id))) return undefined;
  // What was read in the same millisecond may be of before the change.
  return { id, name, since: asOf > at ? asOf : null, heardAt: contact.heardAt };
}

async function hasEvents(store: Pick<Reading, 'list'>, siteId: string): Promise<boolean> {
  const homes = await listSiteValues(store, 'event-home');
  return homes.some(({ value: { home } }) => home && concerns(home, siteId));
}

async function contactOf(
  store: Pick<Reading, 'read'>,
  siteId: string,
): Promise<SiteContact | undefined> {
  return (await readSiteValue(store, 'site-contact', siteId))?.value;
}
