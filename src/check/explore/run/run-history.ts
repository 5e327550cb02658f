import { type History, lookAt, placeName, requestsIn } from '../histories/history.ts';
import { Model } from '../model/model.ts';
import type { Violation } from '../model/violation.ts';
import type { Observation } from './observation.ts';
import type { Runner } from './runner.ts';
import type { Allotted, TicketPool } from './tickets.ts';

/** One run of a history on tickets of its own. */
export interface Attempt {
  /** As far as it was run: up to the violation. */
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
  const model = new Model();
  for (const { ticket, kind } of tickets.values()) model.addTicket(ticket, kind);
  runner.startAnew();
  if (looksFirst && !(await areFresh([...tickets.values()], runner, pool, model)))
    return { history, violation: undefined, trace: [], requests: tickets.size, isStale: true };
  const trace: Observation[][] = [];
  let violation: Violation | undefined;
  for (const group of history) {
    const observations = await runner.run(
      group,
      (place) => (tickets.get(placeName(place)) as Allotted).ticket,
    );
    trace.push(observations);
    violation = model.judge(observations);
    touchAll(pool, observations, model, violation !== undefined);
    if (violation) break;
  }
  const run = history.slice(0, trace.length);
  return {
    history: run,
    violation,
    trace,
    requests: requestsIn(run),
    isStale: violation === undefined && [...tickets.values()].some((one) => isStale(one, model)),
  };
}

async function areFresh(
  tickets: readonly Allotted[],
  runner: Runner,
  pool: TicketPool,
  model: Model,
): Promise<boolean> {
  for (const one of tickets) {
    const { ticket, kind, base } = one;
    if (base === undefined) continue;
    const answers = await runner.run(lookAt({ kind, place: 0 }, runner.writer.keys), () => ticket);
    const violation = model.judge(answers);
    touchAll(pool, answers, model, violation !== undefined);
    if (violation || isStale(one, model)) return false;
  }
  return true;
}

/** Tells the pool what is known of the tickets after a group: nothing when its answers contradict the model. */
export function touchAll(
  pool: TicketPool,
  observations: readonly Observation[],
  model: Model,
  isContradiction: boolean,
): void {
  for (const { ticket } of observations)
    if (ticket) pool.touch(ticket.code, isContradiction ? undefined : model.usesOf(ticket.code));
}

function isStale({ ticket, base }: Allotted, model: Model): boolean {
  const seen = model.usesOf(ticket.code)?.base;
  return base !== undefined && seen !== undefined && seen !== base;
}
