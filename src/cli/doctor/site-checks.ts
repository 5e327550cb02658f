import { type Home, siteIdIn } from '../../core/event-home.ts';
import { inZone, shownTime } from '../../core/time-zone.ts';
import { namesOfSites } from '../../features/sites/event-homes.ts';
import { isHeardLately, listSiteValues, readSiteValue } from '../../features/sites/site-records.ts';
import { sanitizeForTerminal } from '../../kit/text.ts';
import type { Store } from '../../stores/store.ts';
import { type Found, warning } from './finding.ts';

interface OpenedStore {
  readonly store: Store;
  /** Milliseconds since 1970 UTC. */
  readonly now: number;
  readonly zone: string;
}

/** Reports events that nobody decides because of sites, at a centre; a line that is cut, at a site. */
export async function checkSites(opened: OpenedStore): Promise<Found[]> {
  return [...(await checkLine(opened)), ...(await checkHomes(opened))];
}

async function checkLine({ store, now, zone }: OpenedStore): Promise<Found[]> {
  const of = (await readSiteValue(store, 'site-of', 'centre'))?.value;
  if (!of) return [];
  const heardAt = (await readSiteValue(store, 'site-progress', 'centre'))?.value.heardAt ?? 0;
  if (heardAt > 0 && isHeardLately(heardAt, now)) return [];
  const since =
    heardAt === 0
      ? 'was never heard'
      : `was last heard at ${inZone(shownTime(heardAt, zone), zone)}`;
  return [
    warning(
      sanitizeForTerminal(`The centre of the site "${of.name}", ${of.url}, ${since}.`),
      'While the server of the site runs, its gates go on. Check the line, and whether that server runs: ticketscan sites status',
    ),
  ];
}

const START = 'Start the server of the site and check its line.';
const START_OR_FREE = `${START} If the site is lost: ticketscan sites free NAME`;

async function checkHomes({ store }: OpenedStore): Promise<Found[]> {
  const homes = await listSiteValues(store, 'event-home');
  const names = await namesOfSites(store);
  const found = await Promise.all(
    homes.map(async ({ id, value: { home } }) => {
      const unsettled = home && unsettledText(home, names);
      if (unsettled === undefined) return [];
      const event = (await store.read('event', id))?.name ?? id;
      const advice = home?.at === 'leaving' ? START : START_OR_FREE;
      return [warning(sanitizeForTerminal(`Event "${event}" ${unsettled}.`), advice)];
    }),
  );
  return found.flat();
}

/** What is not settled about the home of an event; undefined where all is. */
function unsettledText(home: Home, names: ReadonlyMap<string, string>): string | undefined {
  const named = (sites: readonly string[]) =>
    [...new Set(sites.map(siteIdIn))].map((id) => `"${names.get(id) ?? id}"`).join(', ');
  switch (home.at) {
    case 'centre':
    case 'away':
      return undefined;
    case 'leaving':
      return `is on its way to ${named([home.site])}, and decided nowhere`;
    case 'returning':
      return `is coming back from ${named([home.site])}, and not decided here yet`;
    case 'asking':
      return home.claim === undefined
        ? `may be at ${named(home.sites)}, because this store was restored or copied; it is not decided here before each of these was heard`
        : `goes on at ${named([home.claim.site])}, unless one of these had it later and was not heard since this store was restored or copied: ${named(home.sites)}`;
  }
}
