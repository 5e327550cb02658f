/** Set by `npm run prove -- nightly`: nothing is left out of the sets that a commit's run takes a part of. */
const WHOLE_VARIABLE = 'TICKETSCAN_WHOLE';

/** Whether this run tries everything. A commit's run tries the smallest part that still finds each kind of planted bug. */
export const isWhole = (): boolean => process.env[WHOLE_VARIABLE] === 'yes';

/**
 * The few of `all` that together show whatever all of them show, the most telling first taken: a greedy cover, which depends on its
 * input alone. They keep their order.
 * @param shows what one of them shows
 */
export function coverOf<One>(
  all: readonly One[],
  shows: (one: One) => readonly string[],
): readonly One[] {
  const open = new Set(all.flatMap(shows));
  const chosen = new Set<One>();
  while (open.size > 0) {
    const counts = all.map((one) => shows(one).filter((shown) => open.has(shown)).length);
    const best = all[counts.indexOf(Math.max(...counts))];
    if (best === undefined) break;
    chosen.add(best);
    for (const shown of shows(best)) open.delete(shown);
  }
  return all.filter((one) => chosen.has(one));
}

/** All of them in a whole run, else the few that show as much. */
export const wholeOrCover = <One>(
  all: readonly One[],
  shows: (one: One) => readonly string[],
): readonly One[] => (isWhole() ? all : coverOf(all, shows));
