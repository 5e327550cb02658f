import {
  OTHER_EVENT_REFUSED,
  type Target,
  TICKET_KINDS,
  type TicketKind,
} from '../target/target.ts';
import { isSpent } from './histories/history.ts';
import type { ExploreStart } from './result.ts';

const REQUESTS_A_MONTH = 500_000;
/** Where the target does not say how many uses its tickets have (section 2.2). */
const USES_OF_KIND: Partial<Record<TicketKind, number>> = {
  multi: 100,
  hundred: 100,
  permanent: 9999,
};

/** Kinds that are good for some keys or at some time, and yet not for spending. */
const NEVER_SPENT: readonly TicketKind[] = [
  'notYetValid',
  'otherEvent',
  'otherOrganisation',
  'permanentEnded',
  ...OTHER_EVENT_REFUSED,
];

/** What a run with this budget may send and spend at most. */
export function startOf(
  seed: number,
  requests: number,
  target: Target,
  consent: boolean,
): ExploreStart {
  const kinds = consent ? TICKET_KINDS.filter((kind) => maySpend(kind)) : [];
  const byKind = kinds
    .map((kind) => {
      const tickets = target.tickets[kind] ?? [];
      const uses = tickets.reduce(
        (sum, { usesAllowed }) => sum + (usesAllowed ?? USES_OF_KIND[kind] ?? 1),
        0,
      );
      return { kind, tickets: tickets.length, uses: Math.min(uses, requests) };
    })
    .filter(({ tickets }) => tickets > 0);
  const total = byKind.reduce((sum, { uses }) => sum + uses, 0);
  const monthPercent = Math.round((requests / REQUESTS_A_MONTH) * 1000) / 10;
  return { seed, requests, monthPercent, uses: Math.min(total, requests), byKind };
}

function maySpend(kind: TicketKind): boolean {
  return !isSpent(kind) && !NEVER_SPENT.includes(kind);
}
