import { counted } from '../../kit/text.ts';
import { CONNECT_OPTIONS, type Known, refuseUnknownOptions } from '../deployment/known-options.ts';
import type { KeyName, Target } from '../deployment/target.ts';
import { CheckUsageError, isOptional, KEY_NAMES, TICKET_KINDS } from '../deployment/target.ts';
import { isConsume, isRest } from '../facts/exchange.ts';
import { isRecord, type JsonRecord, show } from '../facts/json.ts';
import type { Level } from '../facts/level.ts';
import { REAL_WORLD } from '../requests/real-world.ts';
import type { World } from '../requests/world.ts';
import { runGroup, type Session } from './attempt.ts';
import { expectationOf } from './expectation.ts';
import { type Size, type SizeOptions, sizeOf } from './explore.ts';
import { Generator } from './generate.ts';
import { type Group, requestsOf } from './history.ts';
import { Model } from './model.ts';
import { isCounted, isNoAnswer, isUse, type Observation, wordOf } from './observation.ts';
import { type ExploreStart, redactorOf, startOf } from './report.ts';
import { type ConnectOptions, isStop, Runner, unreachableOf } from './runner.ts';
import { storyOf } from './story.ts';
import { TicketPool } from './tickets.ts';

/** What two services are compared with, and for how long. */
export interface CompareOptions extends SizeOptions {
  readonly a: ConnectOptions;
  readonly b: ConnectOptions;
  readonly signal?: AbortSignal | undefined;
  /** Called before the first request, for each of the two. */
  readonly onStart?: ((start: ExploreStart, target: string) => void) | undefined;
}

/** Something in which two servers differ: where the specification states it, one for each kind of request. */
interface Difference {
  readonly level: Level;
  /** `answer`, or the field or header that differs. */
  readonly what: string;
  /** How many kinds of request showed it: by endpoint, key and ticket. */
  readonly kinds: number;
  /** The first request that showed it, in words. */
  readonly request: string;
  readonly a: string;
  readonly b: string;
  /** How often it came up. */
  readonly count: number;
}

/** What a server said that the specification does not allow. */
interface Fault {
  readonly server: 'a' | 'b';
  readonly expected: string;
  readonly observed: string;
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
  /** The first of each. */
  readonly faults: readonly Fault[];
  readonly notes: readonly string[];
}

const COMPARE_OPTIONS: Known<CompareOptions> = {
  a: true,
  b: true,
  seed: true,
  budget: true,
  parallel: true,
  signal: true,
  onStart: true,
};

/**
 * Sends the same history to two servers and reports how their answers differ.
 * @throws CheckUsageError when the options make no sense
 * @throws UnreachableError when one of them does not answer
 */
export function compare(options: CompareOptions): Promise<CompareResult> {
  return compareIn(REAL_WORLD, options);
}

/** The same in another world than this machine's, for tests: `compare` has the options and what is thrown. */
export async function compareIn(world: World, options: CompareOptions): Promise<CompareResult> {
  refuseUnknownOptions('compare', options, COMPARE_OPTIONS);
  for (const side of [options.a, options.b]) refuseUnknownOptions('compare', side, CONNECT_OPTIONS);
  const sides = [sideOf('a', options.a, world), sideOf('b', options.b, world)] as const;
  try {
    return await compareSides(sides, options);
  } finally {
    for (const { runner } of sides) runner.close();
  }
}

interface Side extends Session {
  readonly name: 'a' | 'b';
  fault?: Fault;
}

type Sides = readonly [Side, Side];

function sideOf(name: 'a' | 'b', options: ConnectOptions, world: World): Side {
  const runner = new Runner(options, world);
  return { name, runner, pool: new TicketPool(runner.target), model: new Model() };
}

async function compareSides(sides: Sides, options: CompareOptions): Promise<CompareResult> {
  const [a, b] = sides.map(({ runner }) => runner) as [Runner, Runner];
  const size = sizeOf(options, [a, b]);
  const keys = commonKeys(a.target, b.target);
  for (const runner of [a, b])
    options.onStart?.(startOf(size.seed, size.budget, runner), runner.baseUrl.href);
  const differences = new Differences();
  const requests = await sendBoth(sides, keys, size, differences);
  const redactors = [redactorOf(a.target), redactorOf(b.target)];
  const clean = (text: string) => redactors.reduce((rest, one) => one.redact(rest), text);
  const list = differences.list().map((one) => ({ ...one, a: clean(one.a), b: clean(one.b) }));
  const differ = list.some(({ level }) => level === 'stated');
  const otherwise = options.signal?.aborted ? 'stopped' : 'alike';
  return {
    a: a.baseUrl.href,
    b: b.baseUrl.href,
    verdict: differ ? 'differ' : otherwise,
    seed: size.seed,
    requests,
    differences: list,
    faults: sides.flatMap(({ fault }) => fault ?? []),
    notes: notesOn(sides, keys, differences.unlikeTickets),
  };
}

/** Sends groups to both until the budget is used up or the run is stopped. @returns requests to each */
async function sendBoth(
  sides: Sides,
  keys: Target['keys'],
  { seed, budget, parallel }: Size,
  differences: Differences,
): Promise<number> {
  let requests = 0;
  try {
    const beats = await Promise.all(sides.map(({ runner }) => runner.preflight()));
    const generator = new Generator(seed, {
      keys,
      tickets: (kind) => Math.min(...sides.map(({ pool }) => pool.count(kind))),
      consent: sides.every(({ runner }) => runner.consent),
      togetherMax: parallel,
      heartbeats: keys.hardware !== undefined && beats.every((isAnswered) => isAnswered),
      // what a repeated request gets is open, and would make the two count apart
      retries: false,
    });
    for (;;) {
      for (const group of generator.episode()) {
        if (sides[0].runner.isStopped || requests + requestsOf(group) > budget) return requests;
        requests += requestsOf(group);
        const [one, other] = await Promise.all([send(sides[0], group), send(sides[1], group)]);
        differences.add(group, one, other);
      }
    }
  } catch (error) {
    if (isStop(error)) return requests;
    throw error;
  }
}

async function send(side: Side, group: Group): Promise<readonly Observation[]> {
  const { runner, pool, name } = side;
  try {
    const { observations, violation } = await runGroup(group, side, (slot) => pool.at(slot));
    // after its first contradiction a model knows nothing certain any more
    if (violation && !isNoAnswer(violation) && !side.fault) {
      const redactor = redactorOf(runner.target);
      const expected = redactor.redact(violation.expected);
      side.fault = { server: name, expected, observed: redactor.redact(violation.observed) };
    }
    return observations;
  } catch (error) {
    throw isStop(error) ? error : unreachableOf(error, runner);
  }
}

/** The keys that both targets have, with the values of the first. @throws CheckUsageError when none is good for a scan */
function commonKeys(a: Target, b: Target): Target['keys'] {
  const keys: Partial<Record<KeyName, string>> = {};
  for (const name of KEY_NAMES) {
    const key = a.keys[name];
    if (key !== undefined && b.keys[name] !== undefined) keys[name] = key;
  }
  if (keys.rest === undefined && keys.hardware === undefined)
    throw new CheckUsageError(
      'The two targets cannot be compared: both need a key "rest", or both a key "hardware".',
    );
  return keys;
}

function notesOn(sides: Sides, keys: Target['keys'], unlike: number): string[] {
  const noKeys = KEY_NAMES.filter((name) => keys[name] === undefined && !isOptional(name));
  const noKinds = TICKET_KINDS.filter(
    (kind) => !isOptional(kind) && sides.some(({ pool }) => pool.count(kind) === 0),
  );
  const only = 'Not compared, because only one target has such a';
  return [
    ...(noKeys.length > 0 ? [`${only} key: ${noKeys.join(', ')}.`] : []),
    ...(noKinds.length > 0 ? [`${only} ticket: ${noKinds.join(', ')}.`] : []),
    ...(unlike > 0
      ? [
          `${counted(unlike, 'ticket')} had other uses at one server than at the other, so their counts were not compared.`,
        ]
      : []),
  ];
}

/** Collects differences between the answers of two servers to the same requests. */
class Differences {
  readonly #found = new Map<string, Difference>();
  readonly #kinds = new Map<string, Set<string>>();
  /** Tickets, by their code at the first server, that were not alike from the start. */
  readonly #unlike = new Map<string, boolean>();

  /** @param a answers of one group of the first server; `b` of the second, in the same order */
  add({ dispatch }: Group, a: readonly Observation[], b: readonly Observation[]): void {
    // requests at once may be answered in any order: the like answers of the same step are paired
    const isOrdered = dispatch === 'one-by-one';
    const [ones, others] = isOrdered ? [a, b] : [a.toSorted(byAnswer), b.toSorted(byAnswer)];
    for (const [i, one] of ones.entries()) {
      const other = others[i];
      if (one.answer && other?.answer) this.#compare(one, other);
      // only one of the two may have taken the use
      else if (one.ticket && isConsume(one.step.endpoint)) this.#unlike.set(one.ticket.code, true);
    }
  }

  /** How many tickets had other uses at one server than at the other. */
  get unlikeTickets(): number {
    return [...this.#unlike.values()].filter((isUnlike) => isUnlike).length;
  }

  list(): Difference[] {
    const order: readonly Level[] = ['stated', 'observed', 'unstated'];
    return [...this.#found.values()].sort(
      (a, b) => order.indexOf(a.level) - order.indexOf(b.level),
    );
  }

  #compare(a: Observation, b: Observation): void {
    const isUnlike = this.#isUnlike(a, b);
    if (a.outcome !== b.outcome) {
      const areCounted = isCounted(a) && isCounted(b);
      if (isUnlike && areCounted) return;
      const { allows } = expectationOf(a.step);
      const isFree = allows(a.outcome) && allows(b.outcome) && !areCounted;
      this.#note(isFree ? 'unstated' : 'stated', 'answer', a, wordOf(a), wordOf(b));
      return;
    }
    const there = facetsOf(b, !isUnlike);
    for (const [i, [level, name, value]] of facetsOf(a, !isUnlike).entries()) {
      const [, , otherValue = 'absent'] = there[i] ?? [];
      if (otherValue !== value) this.#note(level, name, a, value, otherValue);
    }
  }

  #isUnlike(a: Observation, b: Observation): boolean {
    if (!a.ticket || !a.answer || !b.answer) return false;
    const known = this.#unlike.get(a.ticket.code);
    if (known !== undefined) return known;
    const [one, other] = [usesBefore(a), usesBefore(b)];
    if (one === undefined || other === undefined) return false;
    this.#unlike.set(a.ticket.code, one !== other);
    return one !== other;
  }

  /** What the specification leaves open is told once for each member. */
  #note(level: Level, what: string, at: Observation, a: string, b: string): void {
    const step = { ...at.step, times: 1 };
    const [request = ''] = storyOf([{ steps: [step], dispatch: 'one-by-one', over: 'new' }]);
    const name = JSON.stringify(level === 'stated' ? [level, what, request, a, b] : [level, what]);
    const kinds = this.#kinds.get(name) ?? new Set();
    this.#kinds.set(name, kinds.add(request));
    const first = this.#found.get(name) ?? { level, what, request, a, b, count: 0 };
    this.#found.set(name, { ...first, kinds: kinds.size, count: first.count + 1 });
  }
}

function byAnswer(one: Observation, other: Observation): number {
  const name = (at: Observation) => JSON.stringify([at.step, wordOf(at), at.used]);
  return name(one).localeCompare(name(other));
}

/** The uses that a ticket had before a request and those it has at all, or that it was used up; nothing if not shown. */
function usesBefore(at: Observation): string | undefined {
  const { outcome, used, allowed } = at;
  if (outcome === 'exhausted') return outcome;
  if (used === undefined || allowed === undefined) return undefined;
  return `${isUse(at) ? used - 1 : used} of ${allowed}`;
}

/** One thing about an answer in which two servers may differ: how much is said about it, its name, its value. */
type Facet = readonly [level: Level, name: string, value: string];

/** Headers that say something about the answer, and not about the way it came. */
const HEADERS = ['content-type', 'allow', 'retry-after', 'cache-control'];
/** Fields whose values belong to the deployment: only whether they are there is compared. */
const OWN_VALUES = ['ticketId', 'holder', 'scannedAt', 'validFrom', 'validUntil'];

/**
 * What an answer shows that can be compared with another server's answer to the same request.
 * @param counts false where the two tickets had different uses from the start
 */
function facetsOf(observation: Observation, counts: boolean): Facet[] {
  const { answer, step, outcome, used, allowed } = observation;
  if (!answer) return [];
  const body: JsonRecord = isRecord(answer.json) ? answer.json : {};
  const status: Facet = ['unstated', 'HTTP status', String(answer.status)];
  const isRefused = outcome === 'invalid_ticket' || outcome === 'denied';
  return [
    ...(counts && isCounted(observation)
      ? ([
          ['stated', 'usesConsumed', show(used)],
          ['stated', 'usesAllowed', show(allowed)],
        ] as const)
      : []),
    ['observed', 'fields', Object.keys(body).toSorted().join(', ')],
    ...(isRest(step.endpoint)
      ? [...(isRefused ? [status] : []), ...restFacets(body, outcome === 'granted')]
      : [status, ...deviceFacets(body)]),
    ...HEADERS.map((name): Facet => ['unstated', name, answer.headers[name] ?? 'none']),
  ];
}

function restFacets(body: JsonRecord, isGranted: boolean): Facet[] {
  const granted: Facet[] = [
    ...OWN_VALUES.map((name): Facet => ['stated', name, presence(body[name])]),
    ['stated', 'ticketType', show(body['ticketType'])],
  ];
  return [...(isGranted ? granted : []), ['unstated', 'message', show(body['message'])]];
}

function presence(value: unknown): string {
  if (value === undefined) return 'absent';
  return value === null ? 'null' : 'present';
}

function deviceFacets(body: JsonRecord): Facet[] {
  const names = ['ActIndex', 'Time', ...(body['AcsRes'] === '0' ? ['Note'] : [])];
  return names.map((name) => ['unstated', name, show(body[name])]);
}
