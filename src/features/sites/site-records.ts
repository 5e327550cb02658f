import {
  AT_THE_CENTRE,
  type Home,
  isAtSite,
  NOT_KNOWN_YET,
  type StoredHome,
  siteIdIn,
  stayOf,
} from '../../core/event-home.ts';
import { MINUTE_MS } from '../../kit/durations.ts';
import type { RecordStore } from '../../stores/record-store.ts';
import { typedRecords } from '../typed-records.ts';
import type { LastRow } from './wire.ts';

/** A site, as its centre knows it. */
export interface SiteRecord {
  readonly id: string;
  readonly organisationId: string;
  readonly name: string;
  /** SHA-256 of its token, in hexadecimal. */
  readonly tokenHash: string;
  /** Whether it gets the secret by which TS1 codes are verified. */
  readonly hasSecret: boolean;
  readonly createdAt: number;
  /** Its token is refused from then on; null while it is in use. */
  readonly retiredAt: number | null;
  /** Which of the stores that had its token is the site: one that was restored or copied is another. Null before the first contact. */
  readonly incarnation: string | null;
  /** The stores that were the site before. */
  readonly earlier: readonly string[];
}

/** What a centre heard of a site last. */
export interface SiteContact {
  readonly organisationId: string;
  readonly incarnation: string;
  readonly heardAt: number;
  /** The time since which it is heard without a pause. */
  readonly since: number;
  /** How far its clock is ahead of that of the centre, in milliseconds. */
  readonly aheadMs: number;
  /** The digest of the records that are in force there. */
  readonly digest: string;
  /** Keys, events and limits are in force there as they were then; null before the first copy. */
  readonly recordsAsOf: number | null;
  /** Rows of its log that had not come then. */
  readonly waiting: number;
  /** A row of this store that came late; null before the first. */
  readonly last: LastRow | null;
}

/** The longest silence of a site, or of the centre, while there is a line. */
const HEARD_LATELY_MS = MINUTE_MS;

/** True where there seems to be a line: what was heard at that time is not long ago. */
export function isHeardLately(heardAt: number, now: number): boolean {
  return now - heardAt < HEARD_LATELY_MS;
}

/** What a site knows of its centre. Written once, and again when the store was copied or restored. */
export interface SiteOf {
  readonly url: string;
  readonly siteId: string;
  readonly name: string;
  /** Null in a store that was copied or restored: it is a new site, whose first contact is still to come. */
  readonly incarnation: string | null;
  /** Rows of the log up to this one were there before this incarnation: the centre does not get them. */
  readonly startsAfter: number;
}

/** A key that verifies codes, as a site keeps it. */
export interface VerifyingKey {
  readonly id: string;
  readonly format: 'TS1' | 'TS2';
  readonly state: 'active' | 'verify-only' | 'retired';
  /** TS1: the secret, in Base64url. TS2: the public key as DER in Base64url. */
  readonly key: string;
}

/** How far a site has followed its centre. */
export interface SiteProgress {
  /** Identifies the numbers of changes: a centre that was copied begins others. */
  readonly feed: string;
  /** Changes up to this number are in force here. */
  readonly applied: number;
  /** The digest of the records that are in force here. */
  readonly digest: string;
  readonly recordsAsOf: number | null;
  readonly heardAt: number;
  /** How far the clock of this machine is ahead of that of the centre. */
  readonly aheadMs: number;
  readonly signing: readonly VerifyingKey[];
  /** Events whose tickets are to be read anew: the centre was restored or copied, and may have changed them since. */
  readonly stale: readonly string[];
}

interface ValueOf {
  readonly site: SiteRecord;
  readonly 'site-token': { readonly siteId: string; readonly organisationId: string };
  readonly 'site-contact': SiteContact;
  /** Identifies the numbers of the centre's changes. */
  readonly 'site-feed': { readonly feed: string };
  /** Kept by a site: how far it has followed its centre. */
  readonly 'site-progress': SiteProgress;
  readonly 'site-of': SiteOf;
  readonly 'site-rows': { readonly number: number };
  readonly 'event-home': StoredHome;
}

export const { read: readSiteValue, list: listSiteValues } = typedRecords<ValueOf>();

/** True for the store of a site, which has its tickets, keys and events from its centre. */
export async function isSiteStore(store: Pick<RecordStore, 'read'>): Promise<boolean> {
  return (await store.read('site-of', 'centre')) !== undefined;
}

/** The site of a home; undefined where no site is known to have the event. */
export function siteIdOf(home: Home): string | undefined {
  return isAtSite(home) ? siteIdIn(home.site) : undefined;
}

/** True where the event is at the site, or may be there since the store was restored. */
export function concerns(home: Home, siteId: string): boolean {
  return sitesOf(home).some((site) => siteIdIn(site) === siteId);
}

/** The sites that have an event or may have it, with their incarnations. */
export function sitesOf(home: Home): string[] {
  const asked = home.at === 'asking' ? home.sites : [];
  return [...asked].concat(stayOf(home)?.site ?? []);
}

/** What the log says of where scans of the event are decided; null for here. */
export async function elsewhereOf(
  store: Pick<RecordStore, 'read'>,
  home: Home,
): Promise<string | null> {
  const named = `the site "${await nameOfSite(store, home)}"`;
  switch (home.at) {
    case 'centre':
      return null;
    case 'leaving':
      return `${named}, to which it is on its way`;
    case 'away':
      return named;
    case 'returning':
      return `${named}, from which it is coming back`;
    case 'asking':
      return NOT_KNOWN_YET;
  }
}

/** The name of the site that has an event; empty where none is known to have it. */
export async function nameOfSite(store: Pick<RecordStore, 'read'>, home: Home): Promise<string> {
  const id = siteIdOf(home);
  return id === undefined ? '' : ((await readSiteValue(store, 'site', id))?.value.name ?? id);
}

export async function homeOfEvent(
  store: Pick<RecordStore, 'read'>,
  eventId: string,
): Promise<{ readonly home: Home; readonly revision: number }> {
  const found = await readSiteValue(store, 'event-home', eventId);
  return { home: found?.value.home ?? AT_THE_CENTRE, revision: found?.revision ?? 0 };
}
