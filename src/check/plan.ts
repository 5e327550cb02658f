import type { CheckCase, Needs, TicketCounts } from './case.ts';
import type { Sample } from './samples.ts';
import {
  type AllottedTickets,
  type Target,
  type TargetTicket,
  TICKET_KINDS,
  type TicketKind,
} from './target.ts';

/** Who gets which ticket, decided before the first request: what a run spends is known beforehand. */
export interface Plan {
  /** By case id or sample name; nobody else uses a ticket that its owner spends. */
  readonly tickets: ReadonlyMap<string, AllottedTickets>;
  /** By case id or sample name: why it cannot run. */
  readonly skipped: ReadonlyMap<string, string>;
  readonly budget: Budget;
}

/** What a run may spend at most. */
export interface Budget {
  readonly uses: number;
  readonly byKind: readonly { kind: TicketKind; tickets: number; uses: number }[];
}

interface Applicant {
  readonly name: string;
  readonly needs: Needs;
}

/** The tickets that a run of all these spends, by kind: nobody else should look at them before or after it. */
export function ticketsOfSpenders(needs: readonly Needs[]): TicketCounts {
  const spenders = needs.filter(({ uses }) => uses !== undefined);
  return Object.fromEntries(
    TICKET_KINDS.map((kind) => [kind, sum(spenders.map(({ tickets }) => tickets?.[kind] ?? 0))]),
  );
}

/**
 * Shares the target's tickets out. Who spends gets tickets of its own; who only looks gets one of its own while there
 * are enough, else one that other lookers see too. Lookers stay behind the tickets that a complete run spends, so that
 * a look after such a run finds unused tickets still.
 */
export function makePlan(
  cases: readonly CheckCase[],
  samples: readonly Sample[],
  target: Target,
  consent: boolean,
  reserved: TicketCounts = {},
): Plan {
  const skipped = new Map<string, string>();
  const willing: Applicant[] = [];
  const applicants: Applicant[] = [
    ...samples.map((sample) => ({ name: sample.name, needs: sample })),
    ...cases.map((one) => ({ name: one.id, needs: one })),
  ];
  for (const applicant of applicants) {
    const reason = whyNot(applicant.needs, target, consent);
    if (reason === undefined) willing.push(applicant);
    else skipped.set(applicant.name, reason);
  }
  const tickets = new Map<string, Partial<Record<TicketKind, readonly TargetTicket[]>>>();
  for (const kind of TICKET_KINDS) {
    const pool = { kind, tickets: target.tickets[kind] ?? [], reserved: reserved[kind] ?? 0 };
    allotKind(pool, willing, tickets, skipped);
  }
  skipWithSamples(cases, skipped);
  return { tickets, skipped, budget: budgetOf(willing, skipped) };
}

/** A case cannot judge an answer that is not fetched. */
function skipWithSamples(cases: readonly CheckCase[], skipped: Map<string, string>): void {
  for (const one of cases) {
    const lacking = (one.samples ?? []).find((name) => skipped.has(name));
    if (lacking && !skipped.has(one.id)) skipped.set(one.id, skipped.get(lacking) ?? '');
  }
}

function whyNot(needs: Needs, target: Target, consent: boolean): string | undefined {
  const key = (needs.keys ?? []).find((name) => target.keys[name] === undefined);
  if (key !== undefined) return `the target has no key "${key}"`;
  for (const [kind, count] of entries(needs.tickets)) {
    const have = target.tickets[kind]?.length ?? 0;
    if (have < count) return `the target has ${have} of the ${count} "${kind}" tickets it needs`;
  }
  if (needs.uses && !consent) return 'it sends tickets to a consume endpoint: add --consume';
  return undefined;
}

interface Pool {
  readonly kind: TicketKind;
  readonly tickets: readonly TargetTicket[];
  /** So many at the front are for spenders, also for those that do not run now. */
  readonly reserved: number;
}

function allotKind(
  { kind, tickets: pool, reserved }: Pool,
  applicants: readonly Applicant[],
  tickets: Map<string, Partial<Record<TicketKind, readonly TargetTicket[]>>>,
  skipped: Map<string, string>,
): void {
  const wanting = applicants.filter(
    ({ name, needs }) => needs.tickets?.[kind] && !skipped.has(name),
  );
  const spenders = wanting.filter(({ needs }) => needs.uses !== undefined);
  const lookers = wanting.filter(({ needs }) => needs.uses === undefined);
  const kept = Math.max(0, ...lookers.map(({ needs }) => needs.tickets?.[kind] ?? 0));
  let next = 0;
  const give = (name: string, given: readonly TargetTicket[]) =>
    tickets.set(name, { ...tickets.get(name), [kind]: given });
  for (const { name, needs } of spenders) {
    const count = needs.tickets?.[kind] ?? 0;
    if (next + count > pool.length - kept) {
      skipped.set(name, `the target has too few "${kind}" tickets: ${count} more needed`);
      continue;
    }
    give(name, pool.slice(next, next + count));
    next += count;
  }
  const rest = pool.slice(Math.max(next, Math.min(reserved, pool.length - kept)));
  let turn = 0;
  for (const { name, needs } of lookers) {
    const count = needs.tickets?.[kind] ?? 0;
    if (turn + count > rest.length) turn = 0;
    give(name, rest.slice(turn, turn + count));
    turn += count;
  }
}

function budgetOf(applicants: readonly Applicant[], skipped: ReadonlyMap<string, string>): Budget {
  const running = applicants.filter(({ name }) => !skipped.has(name));
  const byKind = TICKET_KINDS.map((kind) => {
    const spending = running.filter(({ needs }) => (needs.uses?.[kind] ?? 0) > 0);
    return {
      kind,
      tickets: sum(spending.map(({ needs }) => needs.tickets?.[kind] ?? 0)),
      uses: sum(spending.map(({ needs }) => needs.uses?.[kind] ?? 0)),
    };
  }).filter(({ uses }) => uses > 0);
  return { uses: sum(byKind.map(({ uses }) => uses)), byKind };
}

function entries(counts: TicketCounts | undefined): [TicketKind, number][] {
  return Object.entries(counts ?? {}) as [TicketKind, number][];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
