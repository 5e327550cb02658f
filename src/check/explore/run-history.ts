import { type History, placeName, requestsIn } from './history.ts';
import { Model } from './model/model.ts';
import type { Violation } from './model/violation.ts';
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
 * @throws LacksTickets when there are none
 */
export async function runHistory(
  history: History,
  runner: Runner,
  pool: TicketPool,
): Promise<Attempt> {
  const tickets = await pool.allot(history);
  const model = new Model();
  for (const { ticket, kind } of tickets.values()) model.addTicket(ticket, kind);
  runner.startAnew();
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
