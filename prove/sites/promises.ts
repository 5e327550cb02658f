import type { Bound, System } from './system.ts';

/** @returns the promise that a state breaks; undefined for a good one */
export function brokenPromise(system: System, { allowed, left }: Bound): string | undefined {
  const { admitted, printed, uses, rows, written, home, hasDropped } = system;
  if (admitted > allowed + printed)
    return `no more uses than a ticket has, and those that a command printed: ${admitted} of ${allowed} and ${printed}`;
  const isFreed = system.left.free < left.free;
  const known = Object.entries(rows);
  if (known.some(([key, count]) => count > (written[key] ?? 0)))
    return 'no row is at the centre twice';
  if (hasDropped) return 'what a site sends is kept, also after its event was freed';
  if (uses > admitted) return 'no use is counted at the centre that nobody took, and none twice';
  // A site that comes back to a restored centre, which had freed it, tells what it took: the program keeps that, and counts no more.
  const isRestored = system.left.restoreCentre !== left.restoreCentre;
  if (uses > allowed && !(isFreed && isRestored))
    return 'the centre counts no more uses than a ticket has';
  // What a restored centre forgot is printed; unless a person freed it, the centre waited for every row.
  if (home.at === 'centre' && !isFreed && uses + printed < admitted)
    return 'an event that came home brings every use with it';
  return undefined;
}
