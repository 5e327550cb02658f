import { formOf } from './headings.ts';

/** What a shop calls things in the list that it exports. Headings that a list lacks are passed over. */
export interface ShopMap {
  /** Which list of the shop it is, for people. */
  readonly list: string;
  /** The headings of each column, the best first. */
  readonly columns: Readonly<Record<string, readonly string[]>>;
  /** The headings that together name a row, the best choice first. */
  readonly reference: readonly (readonly string[])[];
  /** The headings that say how many tickets a row stands for, the best first. */
  readonly quantity: readonly string[];
  /** By heading, the values of rows that count. */
  readonly only: Readonly<Record<string, readonly string[]>>;
  /** By heading, the values of rows that were cancelled. */
  readonly cancelled: Readonly<Record<string, readonly string[]>>;
  /** Headings that say nothing about a ticket. */
  readonly ignored: readonly string[];
}

/**
 * The columns of the forms in a list, null for one to leave out. Of several headings for one column the best counts, and a whole name only
 * where its parts are missing.
 * @param given forms that somebody gave a column
 */
export function shopColumns(
  { columns, ignored }: ShopMap,
  forms: readonly string[],
  given: ReadonlyMap<string, string>,
): Map<string, string | null> {
  const meanings = new Map<string, string | null>();
  for (const heading of [...ignored, ...Object.values(columns).flat()])
    meanings.set(formOf(heading), null);
  const taken = new Set(given.values());
  // The whole name comes last.
  const ordered = Object.entries(columns).sort(
    ([a], [b]) => Number(a === 'name') - Number(b === 'name'),
  );
  for (const [column, headings] of ordered) {
    const isThere = taken.has(column) || (column === 'name' && hasPart(taken));
    const best = headings.map(formOf).find((form) => forms.includes(form) && !given.has(form));
    if (isThere || best === undefined) continue;
    meanings.set(best, column);
    taken.add(column);
  }
  return meanings;
}

/** Fewer headings may be those of any list. */
const HEADINGS_OF_A_SHOP = 3;
/** Shops add columns for what the seller asks. */
const MOST = 0.75;

/** @returns whether a list is that of the shop, as far as its headings tell that nothing else explains: the map knows most of them */
export function knowsMost(map: ShopMap, unknown: readonly string[]): boolean {
  const { columns, reference, quantity, only, cancelled, ignored } = map;
  const chosen = [...Object.keys(only), ...Object.keys(cancelled)];
  const known = [...Object.values(columns), ...reference, quantity, chosen, ignored].flat();
  const forms = new Set(known.map(formOf));
  const count = unknown.filter((heading) => forms.has(formOf(heading))).length;
  return count >= HEADINGS_OF_A_SHOP && count >= unknown.length * MOST;
}

function hasPart(taken: ReadonlySet<string>): boolean {
  return taken.has('firstName') || taken.has('lastName');
}
