import { type History, placeName, placesIn, requestsIn } from './history.ts';
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
  /** True when a ticket that should have been unused was used up: then nothing is proven. */
  readonly isStale: boolean;
}

/**
 * Runs a history on fresh tickets and new connections, judged from its beginning.
 * @throws LacksTickets when there are none
 */
export async function runHistory(
  history: History,
  runner: Runner,
  pool: TicketPool,
): Promise<Attempt> {
  const tickets = await pool.allot(placesIn(history));
  const model = new Model();
  for (const { ticket, kind, taken } of tickets.values()) model.addTicket(ticket, kind, taken);
  runner.dropConnections();
  const trace: Observation[][] = [];
  let violation: Violation | undefined;
  for (const group of history) {
    const observations = await runner.run(
      group,
      (place) => (tickets.get(placeName(place)) as Allotted).ticket,
    );
    trace.push(observations);
    violation = model.judge(observations);
    if (violation) break;
  }
  const used = [...tickets.values()];
  for (const { ticket } of used) pool.touch(ticket.code, model.usesOf(ticket.code));
  const run = history.slice(0, trace.length);
  return {
    history: run,
    violation,
    trace,
    requests: requestsIn(run),
    isStale: violation === undefined && used.some((one) => wasUsedUp(one, model)),
  };
}

function wasUsedUp({ ticket, kind, taken }: Allotted, model: Model): boolean {
  if (taken !== undefined || kind === 'exhausted') return false;
  const { base = 0, allowed = Number.POSITIVE_INFINITY } = model.usesOf(ticket.code) ?? {};
  return base >= allowed;
}
