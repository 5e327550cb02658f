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
 * An epoch is one stay of an event at a site. The rows of the site's log have its number and their own, from 1, so that the centre counts
 * each once. Every function is about what is stored: its result is written in the transaction of the step, before anybody is told.
 */

/** What the centre stores about the home of an event. */
export type Home =
  | { readonly at: 'centre'; readonly epoch: number }
  | {
      readonly at: 'leaving' | 'away' | 'returning';
      readonly epoch: number;
      /** The site with its incarnation: one that was restored or copied is another. */
      readonly site: string;
    };

/** What a site stores about an event that it has or had; undefined for one of which it never heard. */
export interface Held {
  readonly epoch: number;
  /** True while the site decides. */
  readonly isOpen: boolean;
  /** Rows that it wrote in this epoch. */
  readonly rows: number;
}

/** What a site tells the centre of an epoch. */
export interface Word {
  readonly site: string;
  readonly epoch: number;
  /** It sends the rows behind this number up to the other one. */
  readonly after: number;
  readonly rows: number;
  /** The site decides no more in this epoch, and wrote no rows behind these. */
  readonly isClosed: boolean;
}

/** What the centre asks of the site that has an event. */
export interface Wish {
  readonly epoch: number;
  /** `take` asks it to take the event with a copy of its tickets, `close` to decide no more. */
  readonly kind: 'take' | 'close';
}

export const AT_THE_CENTRE: Home = { at: 'centre', epoch: 0 };

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
  if (home.at === 'centre') return undefined;
  const { epoch, site } = home;
  return { epoch, site, kind: home.at === 'returning' ? 'close' : 'take' };
}

/** What the centre makes of the word of a site. */
export interface Heard {
  readonly home: Home;
  /** The last rows of the word, which are new here. All are kept. */
  readonly fresh: number;
  /** False for those of a stay that is over, as somebody freed the event: they are flagged, and take no uses. */
  readonly areCounted: boolean;
}

/**
 * Keeps what is new in the word of a site, and lets the event come home when it is closed and nothing is missing.
 * @param stored how many rows of the same site and epoch are here, without a gap
 */
export function heard(home: Home, word: Word, stored: number): Heard {
  const hasGap = word.after > stored;
  const fresh = hasGap ? 0 : Math.max(0, word.rows - stored);
  if (home.at === 'centre' || home.site !== word.site || home.epoch !== word.epoch)
    return { home, fresh, areCounted: false };
  const isHome = home.at === 'returning' && word.isClosed && !hasGap;
  const next: Home = isHome
    ? { at: 'centre', epoch: home.epoch }
    : { ...home, at: home.at === 'leaving' ? 'away' : home.at };
  return { home: next, fresh, areCounted: true };
}

/**
 * A person takes the event from a site that is lost. The site may still decide: as often as tickets have uses that the centre does not know
 * to be taken, so these may be admitted twice. Undefined where the event is at the centre.
 */
export function freed(home: Home): Home | undefined {
  return home.at === 'centre' ? undefined : { at: 'centre', epoch: home.epoch };
}

/** The site takes the event with the copy of an epoch, once: a repeated copy would give back what was used since. */
export function taken(held: Held | undefined, epoch: number): Held | undefined {
  if (held !== undefined && epoch <= held.epoch) return undefined;
  return { epoch, isOpen: true, rows: 0 };
}

/** The site decides no more. It remembers the epoch also of an event that it never took, so that a late copy of it is not taken. */
export function closed(held: Held | undefined, epoch: number): Held | undefined {
  if (held === undefined || epoch > held.epoch) return { epoch, isOpen: false, rows: 0 };
  return epoch === held.epoch && held.isOpen ? { ...held, isOpen: false } : undefined;
}

/** What the site tells the centre, from a row on. Telling again changes nothing. @param after how many rows the centre has, as far as the site knows */
export function wordOf({ epoch, rows, isOpen }: Held, site: string, after: number): Word {
  return { site, epoch, after, rows, isClosed: !isOpen };
}
