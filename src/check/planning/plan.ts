import { type CheckCase, cellsOf, type Needs, type TicketCounts } from '../cases/case.ts';
import type { Allotment } from '../cases/run-services.ts';
import {
  isOptional,
  NEVER_CONSUMABLE,
  OTHER_EVENT_REFUSED,
  type Target,
  type TargetTicket,
  TICKET_KINDS,
  type TicketKind,
} from '../deployment/target.ts';
import { CONSUMES } from '../facts/exchange.ts';
import type { KeyAccess } from '../key-changes/spare-keys.ts';
import type { Budget } from '../results/budget.ts';
import type { Sample } from '../samples/samples.ts';

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
  const all = [DECOYS, SHARED_CARD, ...applicantsOf(cases, samples)];
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
  const sharers = consent ? [DECOYS, SHARED_CARD] : [];
  const tickets: Tickets = new Map();
  for (const kind of TICKET_KINDS) {
    const list = followedFirst(kind, target.tickets[kind] ?? []);
    const pool = { kind, tickets: list, reserved: reserved[kind] ?? 0 };
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
  const decoys = tickets.get(DECOYS.name)?.single ?? spent;
  const sharedCard = tickets.get(SHARED_CARD.name)?.permanent?.[0];
  for (const { name, needs } of applicants) {
    if (decoys.length < (needs.decoys ?? 0)) skipped.set(name, NO_DECOYS);
    if (needs.sharedCard && !sharedCard) skipped.set(name, NO_SHARED_CARD);
  }
  return new Map(
    applicants.map(({ name, needs }) => [
      name,
      {
        tickets: tickets.get(name) ?? {},
        decoys: needs.decoys ? decoys : [],
        sharedCard: needs.sharedCard ? sharedCard : undefined,
      },
    ]),
  );
}

/** Those whose refusal says most first. */
function spentTickets(target: Target): TargetTicket[] {
  return NEVER_CONSUMABLE.flatMap((kind) => target.tickets[kind] ?? []);
}

/** Why something is not asked. */
interface Skip {
  readonly reason: string;
  /** True for what a target may leave out: the check is complete without it. */
  readonly optional?: true;
}

const NO_DECOYS: Skip = {
  reason: `forged codes and refused keys go to a consume endpoint only with tickets that cannot be used: the target has too few of ${NEVER_CONSUMABLE.map((kind) => `"${kind}"`).join(', ')}`,
};
const NO_SHARED_CARD: Skip = {
  reason: 'the target has too few "permanent" tickets: 1 more needed',
};

/** Why the needs of a cell or sample are not met; undefined where they are. */
function whySkipped(
  needs: Needs,
  target: Target,
  consent: boolean,
  access: KeyAccess,
): Skip | undefined {
  return whyNoChange(needs, target, access) ?? whyNot(needs, target, consent, access);
}

/** A question cannot judge an answer that is not fetched; a review needs one of its answers at least. */
function skipWithSamples(cases: readonly CheckCase[], skipped: Map<string, Skip>): void {
  for (const one of cases) {
    for (const { name, samples = [] } of cellsOf(one)) {
      const reasons = samples
        .map((sample) => skipped.get(sample))
        .filter((skip) => skip !== undefined);
      const needed = one.phase === 'review' ? samples.length : 1;
      const skip = reasons.find(({ optional }) => !optional) ?? reasons[0];
      if (skip && reasons.length >= needed && !skipped.has(name)) skipped.set(name, skip);
    }
  }
}

/** Why a key cannot be changed as it wants. A check is complete without it. */
function whyNoChange(
  { changes = [], keys = [] }: Needs,
  { keys: has }: Target,
  access: KeyAccess,
): Skip | undefined {
  const missing = changes.find((change) => access.hooks[change] === undefined);
  if (missing !== undefined)
    return {
      reason: `it changes a key: add --token, or --hook ${missing}=COMMAND`,
      optional: true,
    };
  if (changes.length === 0 || access.create || keys.every((name) => has[name] !== undefined))
    return;
  return {
    reason: `the target has no key "${keys[0]}", which the check may change`,
    optional: true,
  };
}

function whyNot(
  needs: Needs,
  target: Target,
  consent: boolean,
  access: KeyAccess,
): Skip | undefined {
  const lacking = (needs.keys ?? []).filter(
    (name) => target.keys[name] === undefined && !(needs.changes && access.create),
  );
  const key = lacking.find(isOptional) ?? lacking[0];
  if (key !== undefined)
    return { reason: `the target has no key "${key}"`, ...optionalWhere(isOptional(key)) };
  for (const [kind, count] of entries(needs.tickets)) {
    const have = target.tickets[kind]?.length ?? 0;
    if (have >= count) continue;
    const reason = `the target has ${have} of the ${count} "${kind}" tickets it needs`;
    return { reason, ...optionalWhere(isOptional(kind)) };
  }
  if ((needs.uses || needs.sharedCard) && !consent) {
    return {
      reason: 'it sends tickets to a consume endpoint: add --consume',
    };
  }
  return undefined;
}

function optionalWhere(optional: boolean): { optional?: true } {
  return optional ? { optional } : {};
}

function entries(counts: TicketCounts | undefined): [TicketKind, number][] {
  return Object.entries(counts ?? {}) as [TicketKind, number][];
}

/** A cell or sample that asks for tickets. */
interface Applicant {
  readonly name: string;
  readonly needs: Needs;
}

/** Tickets that cells share: the decoys of the consume endpoints, and one permanent card to be let in with. */
const DECOYS: Applicant = { name: '#decoys', needs: { tickets: { single: 2 }, uses: {} } };
const SHARED_CARD: Applicant = {
  name: '#shared-card',
  needs: { tickets: { permanent: 1 }, uses: {} },
};

/** No server changes them, right or faulty by one fault: they need no owner. */
const SHARED_KINDS: readonly TicketKind[] = [
  ...[...NEVER_CONSUMABLE, 'notYetValid' as const, 'otherOrganisation' as const],
  ...OTHER_EVENT_REFUSED,
];

/** True when tickets of that kind are given to these needs alone. */
function isAlone(needs: Needs, kind: TicketKind): boolean {
  return needs.uses !== undefined && !SHARED_KINDS.includes(kind);
}

/** No run uses them up: permanent cards, and what is refused in any case. */
const NEVER_USED_UP: readonly TicketKind[] = [...SHARED_KINDS, 'permanent', 'permanentEnded'];

/** Everything that a run asks for tickets, in the order in which it is served: what fails nothing comes last. */
function applicantsOf(cases: readonly CheckCase[], samples: readonly Sample[]): Applicant[] {
  const cells = cases.flatMap(cellsOf);
  return [
    ...samples.map((sample) => ({ name: sample.name, needs: sample })),
    ...[...cells.filter(({ later }) => !later), ...cells.filter(({ later }) => later)].map(
      (cell) => ({ name: cell.name, needs: cell }),
    ),
  ];
}

/** What those who run may spend. */
function budgetOf(applicants: readonly Applicant[], skipped: ReadonlyMap<string, Skip>): Budget {
  const running = applicants.filter(({ name }) => !skipped.has(name));
  const byKind = TICKET_KINDS.map((kind) => {
    const spending = running.filter(({ needs }) => (needs.uses?.[kind] ?? 0) > 0);
    const shared = spending.some(({ needs }) => needs.sharedCard) ? 1 : 0;
    return {
      kind,
      tickets: shared + sum(spending.map(({ needs }) => needs.tickets?.[kind] ?? 0)),
      uses: sum(spending.map(({ needs }) => needs.uses?.[kind] ?? 0)),
    };
  }).filter(({ uses }) => uses > 0);
  return { uses: sum(byKind.map(({ uses }) => uses)), byKind };
}

/** The sum of some numbers, 0 for none. */
function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

/** The shared answers of these kinds, which come first, follow a ticket on each consume endpoint through its uses. */
const FOLLOWED: readonly TicketKind[] = ['personalised', 'windowed'];

/** The tickets in the order in which they are given out: one with a single use shows nothing of what changes with a use. */
function followedFirst(
  kind: TicketKind,
  tickets: readonly TargetTicket[],
): readonly TargetTicket[] {
  if (!FOLLOWED.includes(kind)) return tickets;
  const cards = tickets.filter(({ usesAllowed = 1 }) => usesAllowed > 1).slice(0, CONSUMES.length);
  return [...cards, ...tickets.filter((one) => !cards.includes(one))];
}

/** The tickets of one kind for each applicant, by its name. */
type Tickets = Map<string, Partial<Record<TicketKind, readonly TargetTicket[]>>>;

interface Pool {
  readonly kind: TicketKind;
  readonly tickets: readonly TargetTicket[];
  /** How many at the front are for spenders, also for those that do not run now. */
  readonly reserved: number;
}

/** Gives tickets of one kind to those who want some: first to those who spend them, then to those who only look. */
function allotKind(
  { kind, tickets: pool, reserved }: Pool,
  applicants: readonly Applicant[],
  tickets: Tickets,
  skipped: Map<string, Skip>,
): void {
  const wanting = applicants.filter(
    ({ name, needs }) => needs.tickets?.[kind] && !skipped.has(name),
  );
  const spenders = wanting.filter(({ needs }) => isAlone(needs, kind));
  const lookers = wanting.filter(({ needs }) => !isAlone(needs, kind));
  // The last one of a kind is spent by no run: the next one sees by it that tickets were used before.
  const least = NEVER_USED_UP.includes(kind) ? 0 : 1;
  const kept = Math.max(least, ...lookers.map(({ needs }) => needs.tickets?.[kind] ?? 0));
  let next = 0;
  const give = (name: string, given: readonly TargetTicket[]) =>
    tickets.set(name, { ...tickets.get(name), [kind]: given });
  for (const { name, needs } of spenders) {
    const count = needs.tickets?.[kind] ?? 0;
    if (next + count > pool.length - kept) {
      const reason = `the target has too few "${kind}" tickets: ${count} more needed`;
      skipped.set(name, { reason, ...optionalWhere(isOptional(kind)) });
      continue;
    }
    give(name, pool.slice(next, next + count));
    next += count;
  }
  const rest = pool.slice(Math.max(next, Math.min(reserved, pool.length - kept)));
  let turn = 0;
  for (const { name, needs } of lookers) {
    const count = needs.tickets?.[kind] ?? 0;
    if (needs.every === kind) {
      give(name, rest);
      continue;
    }
    if (turn + count > rest.length) turn = 0;
    give(name, rest.slice(turn, turn + count));
    turn += count;
  }
}
