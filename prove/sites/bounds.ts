import type { Bound } from './system.ts';

/** One site and a ticket of two uses: the event moves twice, a person may free it. */
const ONE_SITE: Bound = { allowed: 2, sites: ['A'], left: { give: 2, free: 1, restore: 0 } };

/** Two sites, one after the other. */
const TWO_SITES: Bound = { allowed: 1, sites: ['A', 'B'], left: { give: 2, free: 1, restore: 0 } };

/** A site is restored from a backup. */
const RESTORED: Bound = { allowed: 1, sites: ['A'], left: { give: 2, free: 1, restore: 1 } };

/** The centre is restored from a backup. */
const RESTORED_CENTRE: Bound = {
  allowed: 1,
  sites: ['A', 'B'],
  left: { give: 2, free: 0, restore: 0, restoreCentre: 1 },
};

/** A second's worth, for every run of the tests. */
export const SMALL: readonly Bound[] = [
  { ...TWO_SITES, left: { give: 2, free: 0, restore: 0 } },
  { ...ONE_SITE, allowed: 1 },
  { ...ONE_SITE, allowed: 1, left: { give: 1, free: 0, restore: 0, restoreCentre: 1 } },
];

/** A million states in a minute: what two sites can do when one is restored, and one site that has the event more often, or more uses. */
export const SEARCHED: readonly Bound[] = [
  { ...TWO_SITES, left: { give: 2, free: 1, restore: 1 } },
  { ...ONE_SITE, allowed: 1, left: { give: 3, free: 1, restore: 0 } },
  { ...ONE_SITE, left: { give: 3, free: 0, restore: 0 } },
  RESTORED,
  RESTORED_CENTRE,
  { ...ONE_SITE, allowed: 1, left: { give: 2, free: 1, restore: 0, restoreCentre: 1 } },
  TWO_SITES,
];

export const SHOWN_BY = {
  moves: ONE_SITE,
  sites: TWO_SITES,
  restore: RESTORED,
  restoredCentre: RESTORED_CENTRE,
};
