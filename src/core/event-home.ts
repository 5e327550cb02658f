/**
 * Who decides the scans of an event: its home, which is the centre or one site. The centre and the sites agree by messages that may be
 * lost, repeated, late or out of order, and both may be killed at any step; nobody decides what another may still decide.
 *
 *               give away               first word of it               ask back
 *     centre ─────────────▶ leaving ─────────────────────▶ away ─────────────────▶ returning
 *       ▲                      │        ask back                                       │ ▲
 *       │                      └───────────────────────────────────────────────────────┼─┘
 *       ├──────────────────────────────────────────────────────────────────────────────┘
 *       │                              it is closed, and all its rows are here
 *       └── a person frees the event: from leaving, away and returning
 *
 * A centre whose store was restored or copied does not know what it gave away since: it asks every site (`asking`), and decides an event when
 * none of them has it, or a person has freed those that are not heard. A site that says that it has the event goes on with it; it is the home
 * when all are heard, unless another one has a later stay.
 *
 * An epoch is one stay of an event at a site. A site numbers the rows of its log, whatever their event, and sends them in their order, so
 * that the centre counts each once. Every function is about what is stored: its result is written in the transaction of the step, before
 * anybody is told.
 */

/** What the centre stores about the home of an event. */
export type Home =
  | {
      readonly at: 'centre';
      /** The highest that may have been given to a stay. */
      readonly epoch: number;
    }
  | (Stay & {
      readonly at: 'leaving' | 'away' | 'returning';
      /** The highest epoch that may have been given; absent where it is the one of this stay. */
      readonly highest?: number;
    })
  | {
      readonly at: 'asking';
      /** The highest that may have been given to a stay. */
      readonly epoch: number;
      /** The sites, with their incarnations, that have not said yet whether they have the event. */
      readonly sites: readonly string[];
      /** The latest stay of which a site has said that it goes on. */
      readonly claim?: Stay;
    };

/** A stay of an event. */
export interface Stay {
  readonly epoch: number;
  /** The site with its incarnation: one that was restored or copied is another. */
  readonly site: string;
}

/** The home of an event that a site has. */
export type HomeAtSite = Extract<Home, { readonly site: string }>;

/** What a site stores about an event that it has or had; undefined for one of which it never heard. */
export interface Held {
  readonly epoch: number;
  /** True while the site decides. */
  readonly isOpen: boolean;
  /** The newest row of its log when it took the event: rows of the event up to this one are of earlier stays. */
  readonly after: number;
}

/** What a site tells the centre of an event. */
export interface Word {
  readonly site: string;
  readonly epoch: number;
  /** The site decides no more in this epoch, and wrote no row of the event behind `newest`. */
  readonly isClosed: boolean;
  /** The newest row of its log. */
  readonly newest: number;
}

/** A row of the log of a site, on its way to the centre. */
export interface SentRow {
  readonly site: string;
  /** The row before it: where that is not the last one here, rows are missing. */
  readonly after: number;
  readonly number: number;
  /** The stay that it belongs to; 0 for an earlier one than the site has now. */
  readonly epoch: number;
}

/** What the centre asks of the site that has an event. */
export interface Wish {
  readonly epoch: number;
  /**
   * `take` asks it to take the event with a copy of its tickets, `close` to decide no more. `keep` says that the centre does not know yet
   * whether the event is there: the site goes on.
   */
  readonly kind: 'take' | 'close' | 'keep';
}

/** Where an event is decided that is asked for, in words for the log. */
export const NOT_KNOWN_YET =
  'a place that is not known yet (this store was restored or copied, and a site that may have the event was not heard since)';

export const AT_THE_CENTRE: Home = { at: 'centre', epoch: 0 };

/** The name of a site with its incarnation, as homes of events have it. @param incarnation null before its first contact */
export function nameOfIncarnation(siteId: string, incarnation: string | null): string {
  return `${siteId}.${incarnation ?? ''}`;
}

/** The id of a site, from its name with its incarnation. */
export function siteIdIn(site: string): string {
  return site.split('.', 1)[0] ?? site;
}

/** True for an event that a site has: it was given to it, and did not come back yet. */
export function isAtSite(home: Home): home is HomeAtSite {
  return home.at !== 'centre' && home.at !== 'asking';
}

/** The stay of the event, as far as the centre knows: where sites are asked, the latest of which one has said that it goes on. */
export function stayOf(home: Home): Stay | undefined {
  if (home.at === 'asking') return home.claim;
  return isAtSite(home) ? home : undefined;
}

/** True where a scan is decided at the centre. */
export function decidesAtCentre(home: Home): boolean {
  return home.at === 'centre';
}

/** True where a scan is decided at the site. */
export function decidesAtSite(held: Held | undefined): boolean {
  return held?.isOpen === true;
}

/** The centre decides no more, and offers the event to the site. Undefined where it is not at the centre. */
export function givenAway(home: Home, site: string): Home | undefined {
  if (home.at !== 'centre') return undefined;
  return { at: 'leaving', epoch: home.epoch + 1, site };
}

/** The centre wants the event back. Undefined where nobody else has it. */
export function askedBack(home: Home): Home | undefined {
  return home.at === 'leaving' || home.at === 'away' ? { ...home, at: 'returning' } : undefined;
}

/** What the centre asks of the site; undefined where the event is at the centre. Asking again changes nothing. */
export function wishOf(home: Home): (Wish & { readonly site: string }) | undefined {
  const stay = stayOf(home);
  if (stay === undefined) return undefined;
  const { epoch, site } = stay;
  return { epoch, site, kind: home.at === 'returning' ? 'close' : 'take' };
}

/** Whether a row is of the stay that the event has now: only then it takes its use. Others are kept and flagged. */
export function isOfThisStay(home: Home, { site, epoch }: SentRow): boolean {
  const stay = stayOf(home);
  if (stay?.site === site && stay.epoch === epoch) return true;
  // What an asked site took in its last stay was not taken back since, as far as anybody knows.
  return epoch > 0 && isAskedOf(home, site);
}

/**
 * What the centre makes of a row: `next` is kept, `known` is here already, `gap` is refused, because rows before it are missing.
 * @param stored the last row of the site that is here
 */
export function placeOfRow({ after, number }: SentRow, stored: number): 'next' | 'known' | 'gap' {
  if (number <= stored) return 'known';
  return after === stored ? 'next' : 'gap';
}

/**
 * The centre hears of an event: it is there, or it comes home, when it is closed and no row is missing.
 * @param stored the last row of the site that is here
 * @returns the same home where the word changes nothing
 */
export function heard(home: Home, word: Word, stored: number): Home {
  if (!isAtSite(home) || home.site !== word.site || home.epoch !== word.epoch) return home;
  if (home.at === 'returning' && word.isClosed && stored >= word.newest) {
    return { at: 'centre', epoch: highestOf(home) };
  }
  return home.at === 'leaving' ? { ...home, at: 'away' } : home;
}

/**
 * A person takes the event from a site that is lost. The site may still decide: as often as tickets have uses that the centre does not know
 * to be taken, so these may be admitted twice.
 * @param siteId the site without its incarnation
 * @returns undefined where the event is not at this site, and this site is not asked for it
 */
export function freed(home: Home, siteId: string): Home | undefined {
  if (home.at === 'centre') return undefined;
  const isOfSite = (site: string) => siteIdIn(site) === siteId;
  if (isAtSite(home))
    return isOfSite(home.site) ? { at: 'centre', epoch: highestOf(home) } : undefined;
  const { claim, ...asked } = home;
  return without(claim === undefined || isOfSite(claim.site) ? asked : home, isOfSite);
}

function highestOf({ epoch, highest = epoch }: HomeAtSite): number {
  return Math.max(epoch, highest);
}

type Asking = Extract<Home, { readonly at: 'asking' }>;

/**
 * The store of the centre was restored or copied. Each of these sites may have got the event since. A site that had it before may have it still.
 * @param sites all that may still be heard, with their incarnations
 * @param beyond higher than any epoch that may have been given since
 */
export function asking(home: Home, sites: readonly string[], beyond: number): Home {
  if (sites.length === 0) return home;
  const before = home.at === 'asking' ? home.sites : [];
  const had = stayOf(home)?.site ?? [];
  return {
    at: 'asking',
    epoch: Math.max(beyond, isAtSite(home) ? highestOf(home) : home.epoch),
    sites: [...new Set([...sites, ...before].concat(had))],
  };
}

/**
 * A site is heard that was asked for the event. One that decides it goes on with it. One that closed it, or never heard of it, has not: the
 * others are still waited for, and so are the rows that it has to send.
 * @param site with its incarnation: another store says nothing of what the asked one decides
 * @param word what it says of the event; undefined where it never heard of it
 * @param stored the last row of the site that is here
 * @returns the same home where it was not asked, or has rows to send
 */
export function answered(home: Home, site: string, word: Word | undefined, stored: number): Home {
  if (home.at !== 'asking') return home;
  const asked = askedAs(home, site);
  if (asked === undefined) return home;
  const isHeard = (one: string) => one === asked;
  if (word && !word.isClosed) return without(claimed(home, word), isHeard);
  // No store of this site is known here: another one than the first that comes may have the event.
  if (asked !== site) return home;
  if (word && word.newest > stored) return home;
  return without({ ...home, epoch: Math.max(home.epoch, word?.epoch ?? 0) }, isHeard);
}

/** True where the centre waits for the word of this store. */
export function isAskedOf(home: Home, site: string): boolean {
  return home.at === 'asking' && askedAs(home, site) !== undefined;
}

/** The name by which the centre asks a store; undefined where it does not. */
function askedAs({ sites }: Asking, site: string): string | undefined {
  return [site, nameOfIncarnation(siteIdIn(site), null)].find((one) => sites.includes(one));
}

/** Of two sites that go on with an event, the centre gave it to the one with the later stay after it had freed the other. */
function claimed(home: Asking, { site, epoch }: Word): Asking {
  if (home.claim !== undefined && home.claim.epoch >= epoch) return home;
  return { ...home, epoch: Math.max(home.epoch, epoch), claim: { site, epoch } };
}

function without(home: Asking, isHeard: (site: string) => boolean): Home {
  const { epoch, claim } = home;
  const sites = home.sites.filter((site) => !isHeard(site));
  if (sites.length > 0) return { ...home, sites };
  if (claim === undefined) return { at: 'centre', epoch };
  return { at: 'away', ...claim, ...(epoch > claim.epoch && { highest: epoch }) };
}

/**
 * The site takes the event with the copy of an epoch, once: a repeated copy would give back what was used since.
 * @param newest the newest row of its log
 */
export function taken(held: Held | undefined, epoch: number, newest: number): Held | undefined {
  if (held !== undefined && epoch <= held.epoch) return undefined;
  return { epoch, isOpen: true, after: newest };
}

/** The site decides no more. It remembers the epoch also of an event that it never took, so that a late copy of it is not taken. */
export function closed(held: Held | undefined, epoch: number, newest: number): Held | undefined {
  if (held === undefined || epoch > held.epoch) return { epoch, isOpen: false, after: newest };
  return epoch === held.epoch && held.isOpen ? { ...held, isOpen: false } : undefined;
}

/** What the site tells the centre of an event. Telling again changes nothing. @param newest the newest row of its log, read after `held` */
export function wordOf({ epoch, isOpen }: Held, site: string, newest: number): Word {
  return { site, epoch, isClosed: !isOpen, newest };
}

/** The stay of a row of the event, as the site tells it. */
export function epochOfRow(held: Held | undefined, number: number): number {
  return held !== undefined && number > held.after ? held.epoch : 0;
}

/** What a store keeps of the home of an event, as its record `event-home`; there is none for an event that never left its centre. */
export interface StoredHome {
  /** Where its scans are decided, in words for the log; null where that is here. */
  readonly elsewhere: string | null;
  /** The organisation of the event; only the centre has it here. */
  readonly organisationId?: string;
  /** What the centre stores. */
  readonly home?: Home;
  /** What a site stores. */
  readonly held?: Held;
  /** The epoch whose tickets a site copies, before it takes the event: pages of another copy are not written. */
  readonly copying?: number;
}
