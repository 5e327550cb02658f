import type { CheckCase, Needs, TicketCounts } from '../cases/case.ts';
import type { Allotment } from '../cases/run-services.ts';
import type { KeyAccess } from '../key-changes/spare-keys.ts';
import type { Sample } from '../samples/samples.ts';
import {
  SPENT_KINDS,
  type Target,
  type TargetTicket,
  TICKET_KINDS,
  type TicketKind,
} from '../target/target.ts';
import { allotKind, type Tickets } from './allot.ts';
import { type Applicant, applicantsOf, BAIT, isAlone, NEVER_USED_UP, PURSE } from './applicants.ts';
import { type Budget, budgetOf, sum } from './budget.ts';
import { NO_BAIT, NO_PURSE, type Skip, skipWithSamples, whySkipped } from './skips.ts';

/** Who gets which ticket, decided before the first request: what a run spends is known beforehand. */
export interface Plan {
  /** By cell or sample name; a ticket that its owner spends goes to no other. */
  readonly given: ReadonlyMap<string, Allotment>;
  /** By cell or sample name: why it cannot run. */
  readonly skipped: ReadonlyMap<string, Skip>;
  readonly budget: Budget;
  /** Of each kind that a target calls unused: what loses uses in this run, and what is only looked at. */
  readonly shown: ReadonlyMap<TicketKind, Record<'spent' | 'seen', readonly TargetTicket[]>>;
}

interface PlanOptions {
  /** How many tickets of each kind a complete run spends: cells that only look take later ones. */
  readonly reserved?: TicketCounts;
  /** How keys can be changed. */
  readonly access?: KeyAccess;
}

/** How many tickets of each kind a run of all these spends: no other run should look at them before or after it. */
export function ticketsOfSpenders(
  cases: readonly CheckCase[],
  samples: readonly Sample[],
): TicketCounts {
  const all = [BAIT, PURSE, ...applicantsOf(cases, samples)];
  return Object.fromEntries(
    TICKET_KINDS.map((kind) => [
      kind,
      sum(
        all
          .filter(({ needs }) => isAlone(needs, kind))
          .map(({ needs }) => needs.tickets?.[kind] ?? 0),
      ),
    ]),
  );
}

/**
 * Gives out the target's tickets. A cell that spends gets tickets of its own; a cell that only looks gets one of its own
 * while there are enough, and otherwise shares one with others that look. Those tickets come behind the ones that a
 * complete run spends, so that a look after such a run still finds unused tickets.
 */
export function makePlan(
  cases: readonly CheckCase[],
  samples: readonly Sample[],
  target: Target,
  consent: boolean,
  { reserved = {}, access = { hooks: {} } }: PlanOptions = {},
): Plan {
  const skipped = new Map<string, Skip>();
  const willing: Applicant[] = [];
  for (const applicant of applicantsOf(cases, samples)) {
    const skip = whySkipped(applicant.needs, target, consent, access);
    if (skip === undefined) willing.push(applicant);
    else skipped.set(applicant.name, skip);
  }
  const sharers = consent ? [BAIT, PURSE] : [];
  const tickets: Tickets = new Map();
  for (const kind of TICKET_KINDS) {
    const pool = { kind, tickets: target.tickets[kind] ?? [], reserved: reserved[kind] ?? 0 };
    allotKind(pool, [...sharers, ...willing], tickets, skipped);
  }
  const given = shareOut(willing, tickets, spentTickets(target), skipped);
  for (const { name, after = '' } of samples) {
    const skip = skipped.get(after);
    if (skip) skipped.set(name, skip);
  }
  skipWithSamples(cases, skipped);
  const shown = shownBy(target, willing, tickets);
  return { given, skipped, budget: budgetOf(willing, skipped), shown };
}

function shownBy(
  target: Target,
  applicants: readonly Applicant[],
  tickets: Tickets,
): Plan['shown'] {
  const of = (kind: TicketKind, wanted: (needs: Needs) => boolean) => {
    const those = applicants.filter(({ needs }) => wanted(needs));
    const shown = new Set(those.flatMap(({ name }) => tickets.get(name)?.[kind] ?? []));
    return (target.tickets[kind] ?? []).filter((one) => shown.has(one));
  };
  const kinds = TICKET_KINDS.filter((kind) => !NEVER_USED_UP.includes(kind));
  return new Map(
    kinds.map((kind) => {
      const spends = ({ uses }: Needs) => (uses?.[kind] ?? 0) > 0;
      return [kind, { spent: of(kind, spends), seen: of(kind, (needs) => !spends(needs)) }];
    }),
  );
}

/** What each applicant works with: its own tickets, and those that it shares. */
function shareOut(
  applicants: readonly Applicant[],
  tickets: Tickets,
  spent: readonly TargetTicket[],
  skipped: Map<string, Skip>,
): Plan['given'] {
  const bait = tickets.get(BAIT.name)?.single ?? spent;
  const purse = tickets.get(PURSE.name)?.permanent?.[0];
  for (const { name, needs } of applicants) {
    if (bait.length < (needs.bait ?? 0)) skipped.set(name, NO_BAIT);
    if (needs.purse && !purse) skipped.set(name, NO_PURSE);
  }
  return new Map(
    applicants.map(({ name, needs }) => [
      name,
      {
        tickets: tickets.get(name) ?? {},
        bait: needs.bait ? bait : [],
        purse: needs.purse ? purse : undefined,
      },
    ]),
  );
}

/** Those whose refusal says most first. */
function spentTickets(target: Target): TargetTicket[] {
  return SPENT_KINDS.flatMap((kind) => target.tickets[kind] ?? []);
}
