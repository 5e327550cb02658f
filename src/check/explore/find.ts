import { Random } from '../../kit/random.ts';
import type { Target, TicketKind } from '../target/target.ts';
import { Generator } from './histories/generate.ts';
import { type Group, requestsOf } from './histories/history.ts';
import { Model } from './model/model.ts';
import type { Violation } from './model/violation.ts';
import type { Observation } from './run/observation.ts';
import { touchAll } from './run/run-history.ts';
import type { Runner } from './run/runner.ts';
import type { TicketPool } from './run/tickets.ts';
import type { Found } from './shrink/slices.ts';

/** Longer histories are not kept: they could not be shrunk in time. */
const GROUPS_KEPT_MAX = 4000;

export interface FindOptions {
  readonly seed: number;
  readonly runner: Runner;
  readonly pool: TicketPool;
  readonly target: Target;
  readonly consent: boolean;
  readonly atOnceMax: number;
  readonly heartbeats: boolean;
  /** How many tickets of each kind may be used. */
  readonly tickets: (kind: TicketKind) => number;
  /** True while this number of further requests may be sent. */
  readonly mayGoOn: (requests: number) => boolean;
  /** Called after each group. */
  readonly onGroup: (group: Group, observations: readonly Observation[]) => void;
}

/** Sends random histories until a group contradicts the model or no more requests may be sent. */
export async function find(options: FindOptions): Promise<Found | undefined> {
  const { target, consent, atOnceMax, heartbeats, tickets } = options;
  const means = { keys: target.keys, tickets, consent, atOnceMax, heartbeats, retries: true };
  const generator = new Generator(new Random(options.seed), means);
  const model = new Model();
  let history: Group[] = [];
  for (;;) {
    const episodeFrom = history.length;
    for (const group of generator.episode()) {
      if (!options.mayGoOn(requestsOf(group))) return undefined;
      history.push(group);
      const violation = await runGroup(group, model, options);
      if (violation) return { history, episodeFrom, violation };
    }
    if (history.length > GROUPS_KEPT_MAX) history = history.slice(-GROUPS_KEPT_MAX / 2);
  }
}

async function runGroup(
  group: Group,
  model: Model,
  { runner, pool, onGroup }: FindOptions,
): Promise<Violation | undefined> {
  for (const { card } of group.steps) {
    if (card) model.addTicket(pool.at(card.ticket), card.ticket.kind);
  }
  const observations = await runner.run(group, (place) => pool.at(place));
  onGroup(group, observations);
  const violation = model.judge(observations);
  touchAll(pool, observations, model, violation !== undefined);
  return violation;
}
