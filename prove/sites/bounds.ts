import type { Bound } from './system.ts';

/** One site and a ticket of two uses: the event moves twice, a person may free it. */
const ONE_SITE: Bound = { allowed: 2, sites: ['A'], left: { give: 2, free: 1, restore: 0 } };

/** Two sites, one after the other. */
const TWO_SITES: Bound = { allowed: 1, sites: ['A', 'B'], left: { give: 2, free: 1, restore: 0 } };

/** A site is restored from a backup. */
const RESTORED: Bound = { allowed: 1, sites: ['A'], left: { give: 2, free: 1, restore: 1 } };

/** A second's worth, for every run of the tests. */
export const SMALL: readonly Bound[] = [TWO_SITES];

export const SEARCHED: readonly Bound[] = [
  ONE_SITE,
  TWO_SITES,
  RESTORED,
  { ...TWO_SITES, allowed: 2 },
];

export const SHOWN_BY = { moves: ONE_SITE, sites: TWO_SITES, restore: RESTORED };
