/*
 * Where a change is in force that was made at the centre: there at once, and at a site when that has it. The page has its times as texts, the
 * command line as numbers.
 */

interface SiteInForce<Time> {
  readonly id: string;
  readonly name: string;
  /** When the site had it; null while it has not said so. */
  readonly since: Time | null;
  readonly heardAt: Time | null;
}

export interface InForceAt<Time> {
  readonly at: Time;
  /** The ticket that was changed last at each site, in their order; empty for a change of keys. */
  readonly tickets: readonly string[];
  readonly sites: readonly SiteInForce<Time>[];
}

/** Where two steps of one change are in force, the first of which was made earlier. Undefined is a step that no site needs. */
export function bothInForce<Time>(
  first: InForceAt<Time> | undefined,
  second: InForceAt<Time> | undefined,
): InForceAt<Time> | undefined {
  if (!first || !second) return second ?? first;
  // A site has changes in their order: with the later one it has the earlier one too.
  const others = first.sites.flatMap((site, place) =>
    second.sites.some(({ id }) => id === site.id) ? [] : [{ site, ticket: first.tickets[place] }],
  );
  return {
    at: second.at,
    tickets: [...others.flatMap(({ ticket }) => ticket ?? []), ...second.tickets],
    sites: [...others.map(({ site }) => site), ...second.sites],
  };
}

/** The question by which it is asked again. */
export function askedAgain<Time>({ at, tickets, sites }: InForceAt<Time>) {
  if (tickets.length > 0) return { tickets: tickets.join(',') };
  return { at, sites: sites.map(({ id }) => id).join(',') };
}
