import { randomInt } from 'node:crypto';
import { Random } from '../../../kit/random.ts';
import { counted } from '../../../kit/text.ts';
import type { KeyName, Target, TicketKind } from '../../target/target.ts';
import { CheckUsageError, isOptional, KEY_NAMES, TICKET_KINDS } from '../../target/target.ts';
import { redactorOf } from '../explore.ts';
import { Generator } from '../histories/generate.ts';
import { type Group, REQUESTS_TOGETHER_MAX, requestsOf } from '../histories/history.ts';
import { Model } from '../model/model.ts';
import type { Connected, ConnectOptions } from '../options.ts';
import { connect, isStop, refuseSmallBudget, unreachableOf } from '../options.ts';
import type { ExploreStart } from '../result.ts';
import { knock } from '../run/knock.ts';
import type { Observation } from '../run/observation.ts';
import { TicketPool } from '../run/tickets.ts';
import { startOf } from '../start.ts';
import { type Difference, Differences } from './differences.ts';

const BUDGET_DEFAULT = 1000;
const AT_ONCE_DEFAULT = 8;

/** What two services are compared with, and for how long. */
export interface CompareOptions {
  readonly a: ConnectOptions;
  readonly b: ConnectOptions;
  readonly seed?: number | undefined;
  /** Requests to each of the two. */
  readonly budget?: number | undefined;
  readonly parallel?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called before the first request, for each of the two. */
  readonly onStart?: ((start: ExploreStart, target: string) => void) | undefined;
}

/** In what two servers differ. */
export interface CompareResult {
  readonly a: string;
  readonly b: string;
  /** `differ` when something that the specification states differs. */
  readonly verdict: 'alike' | 'differ' | 'stopped';
  readonly seed: number;
  /** To each of the two. */
  readonly requests: number;
  readonly differences: readonly Difference[];
  /** What a server said that the specification does not allow, the first of each. */
  readonly faults: readonly {
    readonly server: 'a' | 'b';
    readonly expected: string;
    readonly observed: string;
  }[];
  readonly notes: readonly string[];
}

/**
 * Sends the same history to two servers and reports how their answers differ.
 * @throws CheckUsageError when the options make no sense
 * @throws UnreachableError when one of them does not answer
 */
export async function compare(options: CompareOptions): Promise<CompareResult> {
  const sides = [side('a', options.a), side('b', options.b)] as const;
  try {
    return await compareSides(sides, options);
  } finally {
    for (const { runner } of sides) runner.close();
  }
}

interface Side extends Connected {
  readonly name: 'a' | 'b';
  readonly pool: TicketPool;
  readonly model: Model;
  readonly consent: boolean;
  fault?: { readonly server: 'a' | 'b'; readonly expected: string; readonly observed: string };
}

function side(name: 'a' | 'b', options: ConnectOptions): Side {
  const connected = connect(options);
  const pool = new TicketPool(connected.target);
  return { ...connected, name, pool, model: new Model(), consent: options.consume ?? false };
}

async function compareSides(
  sides: readonly [Side, Side],
  options: CompareOptions,
): Promise<CompareResult> {
  const [a, b] = sides;
  const seed = options.seed ?? randomInt(2 ** 32);
  const budget = options.budget ?? BUDGET_DEFAULT;
  refuseSmallBudget(budget);
  const keys = commonKeys(sides);
  for (const { target, consent, baseUrl } of sides)
    options.onStart?.(startOf(seed, budget, target, consent), baseUrl.href);
  const differences = new Differences();
  const requests = await sendBoth(sides, keys, seed, budget, differences, options);
  const list = differences.list();
  const differ = list.some(({ level }) => level === 'stated');
  const otherwise = options.signal?.aborted ? 'stopped' : 'alike';
  return {
    a: a.baseUrl.href,
    b: b.baseUrl.href,
    verdict: differ ? 'differ' : otherwise,
    seed,
    requests,
    differences: list.map((one) => redacted(one, a.target, b.target)),
    faults: sides.flatMap(({ fault }) => fault ?? []),
    notes: notesOf(sides, keys, differences.unlikeTickets),
  };
}

/** Sends groups to both until the budget is used up or the run is stopped. @returns requests to each */
async function sendBoth(
  sides: readonly [Side, Side],
  keys: Target['keys'],
  seed: number,
  budget: number,
  differences: Differences,
  options: CompareOptions,
): Promise<number> {
  const [a, b] = sides;
  let requests = 0;
  try {
    const generator = new Generator(new Random(seed), await meansOf(sides, keys, options));
    for (;;) {
      for (const group of generator.episode()) {
        if (options.signal?.aborted || requests + requestsOf(group) > budget) return requests;
        requests += requestsOf(group);
        const [one, other] = await Promise.all([send(a, group), send(b, group)]);
        differences.add(group, one, other);
      }
    }
  } catch (error) {
    if (isStop(error)) return requests;
    throw error;
  }
}

/** The keys that both targets have, with the values of the first. @throws CheckUsageError when none is good for a scan */
function commonKeys([a, b]: readonly [Side, Side]): Target['keys'] {
  const keys: Partial<Record<KeyName, string>> = {};
  for (const name of KEY_NAMES) {
    const key = a.target.keys[name];
    if (key !== undefined && b.target.keys[name] !== undefined) keys[name] = key;
  }
  if (keys.rest === undefined && keys.hardware === undefined)
    throw new CheckUsageError(
      'The two targets cannot be compared: both need a key "rest", or both a key "hardware".',
    );
  return keys;
}

async function meansOf(
  [a, b]: readonly [Side, Side],
  keys: Target['keys'],
  options: CompareOptions,
) {
  const answered = await Promise.all(
    [a, b].map(({ runner }) => knock(runner, keys.hardware !== undefined)),
  );
  return {
    keys,
    tickets: (kind: TicketKind) => Math.min(a.pool.count(kind), b.pool.count(kind)),
    consent: a.consent && b.consent,
    atOnceMax: Math.min(
      options.parallel ?? AT_ONCE_DEFAULT,
      REQUESTS_TOGETHER_MAX,
      a.runner.atOnceMax,
      b.runner.atOnceMax,
    ),
    heartbeats: answered.every((isAnswered) => isAnswered),
    // what a repeated request gets is open, and would make the two count apart
    retries: false,
  };
}

async function send(one: Side, group: Group): Promise<Observation[]> {
  const { pool, model, runner, target } = one;
  for (const { card } of group.steps)
    if (card) model.addTicket(pool.at(card.ticket), card.ticket.kind);
  const observations = await runner
    .run(group, (place) => pool.at(place))
    .catch((error) => {
      throw isStop(error) ? error : unreachableOf(error, one);
    });
  // after its first contradiction a model knows nothing certain any more
  const violation = one.fault ? undefined : model.judge(observations);
  if (violation) {
    const { expected, observed } = violation;
    const redactor = redactorOf(target);
    one.fault = {
      server: one.name,
      expected: redactor.redact(expected),
      observed: redactor.redact(observed),
    };
  }
  return observations;
}

function redacted(difference: Difference, ...targets: readonly Target[]): Difference {
  const clean = (text: string) =>
    targets.reduce((rest, target) => redactorOf(target).redact(rest), text);
  return { ...difference, a: clean(difference.a), b: clean(difference.b) };
}

function notesOf([a, b]: readonly [Side, Side], keys: Target['keys'], unlike: number): string[] {
  const notes: string[] = [];
  const missing = KEY_NAMES.filter((name) => keys[name] === undefined && !isOptional(name));
  if (missing.length > 0)
    notes.push(`Not compared, because only one target has such a key: ${missing.join(', ')}.`);
  const kinds = TICKET_KINDS.filter(
    (kind) => !isOptional(kind) && Math.min(a.pool.count(kind), b.pool.count(kind)) === 0,
  );
  if (kinds.length > 0)
    notes.push(`Not compared, because only one target has such a ticket: ${kinds.join(', ')}.`);
  if (unlike > 0)
    notes.push(
      `${counted(unlike, 'ticket')} had other uses at one server than at the other, so their counts were not compared.`,
    );
  return notes;
}
