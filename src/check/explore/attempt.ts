import { type Group, type History, lookAt, requestsIn, type Slot, slotName } from './history.ts';
import { Model } from './model.ts';
import { isNoAnswer, isUnanswered, type Observation, type Violation } from './observation.ts';
import type { Runner, TicketAt } from './runner.ts';
import type { Allotted, TicketPool } from './tickets.ts';

/** So often a history is tried before a step counts as needed. */
export const TRIES = 5;
/** Any network loses a connection now and then. It is a fault when the same request gets no answer in this many of the tries. */
export const UNANSWERED_MIN = 3;

/** Where a line loses more, a request must be lost more often to count. @param lossRate of all requests, the share without an answer */
export function unansweredMinOf(lossRate: number): number {
  if (lossRate > 1 / 20) return TRIES;
  return lossRate > 1 / 50 ? TRIES - 1 : UNANSWERED_MIN;
}

/** A service, the tickets that it may be asked about, and what its answers showed so far. */
export interface Session {
  readonly runner: Runner;
  readonly pool: TicketPool;
  readonly model: Model;
}

/** Sends a group and judges its answers. The pool learns what is known of the tickets: nothing when the answers contradict the model. */
export async function runGroup(
  group: Group,
  { runner, pool, model }: Session,
  ticketAt: TicketAt,
): Promise<{ readonly observations: readonly Observation[]; readonly violation?: Violation }> {
  for (const { ticket } of group.steps) if (ticket) model.addTicket(ticketAt(ticket), ticket.kind);
  const observations = await runner.run(group, ticketAt);
  const violation = model.judge(observations);
  const isKnown = !violation || isNoAnswer(violation);
  for (const { ticket } of observations)
    if (ticket) pool.markUsed(ticket.code, isKnown ? model.usesOf(ticket.code) : undefined);
  return { observations, ...(violation ? { violation } : {}) };
}

/** One run of a history on tickets of its own. */
export interface Attempt {
  /** As far as it was run: up to a contradiction, or a time-out. */
  readonly history: History;
  readonly violation: Violation | undefined;
  /** The answers, group by group. */
  readonly trace: readonly (readonly Observation[])[];
  /** Requests sent. */
  readonly requests: number;
  /** True when a ticket had other uses at its first answer than it should have: then nothing is proven. */
  readonly isStale: boolean;
}

/**
 * Runs a history on fresh tickets and new connections, judged from its beginning by what its own answers show.
 * @param looksFirst validates each ticket before: what says that it is used is not run with
 * @throws LacksTickets when there are none
 */
export async function runHistory(
  history: History,
  runner: Runner,
  pool: TicketPool,
  looksFirst = false,
): Promise<Attempt> {
  const tickets = await pool.allot(history);
  const session = { runner, pool, model: new Model() };
  const ticketAt = (slot: Slot) => (tickets.get(slotName(slot)) as Allotted).ticket;
  for (const { ticket, kind } of tickets.values()) session.model.addTicket(ticket, kind);
  runner.startAnew();
  if (looksFirst && !(await areFresh([...tickets.values()], session)))
    return { history, violation: undefined, trace: [], requests: tickets.size, isStale: true };
  const trace: (readonly Observation[])[] = [];
  let found: Violation | undefined;
  for (const group of history) {
    const { observations, violation } = await runGroup(group, session, ticketAt);
    trace.push(observations);
    if (!found || isFinal(violation)) found = violation;
    if (isFinal(violation)) break;
  }
  const run = history.slice(0, trace.length);
  const isStale = !found && [...tickets.values()].some((one) => wasUsedBefore(one, session));
  return { history: run, violation: found, trace, requests: requestsIn(run), isStale };
}

/** True for what ends a run: a lost connection does not, but a server that hangs would be waited for again and again. */
function isFinal(violation: Violation | undefined): boolean {
  if (!violation) return false;
  return !isNoAnswer(violation) || violation.at.failure?.kind === 'timeout';
}

/** In how many of these runs of a history the same request stayed without an answer. */
export function timesUnanswered(attempts: readonly Attempt[]): number {
  const counts = new Map<string, number>();
  for (const { trace } of attempts)
    for (const [i, group] of trace.entries())
      for (const [j, one] of group.entries())
        if (isUnanswered(one)) counts.set(`${i}/${j}`, (counts.get(`${i}/${j}`) ?? 0) + 1);
  return Math.max(0, ...counts.values());
}

async function areFresh(tickets: readonly Allotted[], session: Session): Promise<boolean> {
  for (const one of tickets) {
    const { ticket, kind, base } = one;
    if (base === undefined) continue;
    const look = lookAt({ kind, place: 0 }, session.runner.target.keys);
    const { violation } = await runGroup(look, session, () => ticket);
    if (violation || wasUsedBefore(one, session)) return false;
  }
  return true;
}

function wasUsedBefore({ ticket, base }: Allotted, { model }: Session): boolean {
  const seen = model.usesOf(ticket.code)?.base;
  return base !== undefined && seen !== undefined && seen !== base;
}
