import { randomInt } from 'node:crypto';
import { CONNECT_OPTIONS, type Known, refuseUnknownOptions } from '../deployment/known-options.ts';
import { CheckUsageError } from '../deployment/target.ts';
import { REAL_WORLD } from '../requests/real-world.ts';
import type { World } from '../requests/world.ts';
import { runGroup, runHistory, unansweredMinOf } from './attempt.ts';
import { aloneOf, type Found } from './candidates.ts';
import { Generator } from './generate.ts';
import {
  type Dispatch,
  type Group,
  type History,
  REQUESTS_TOGETHER_MAX,
  requestsOf,
} from './history.ts';
import { Model } from './model.ts';
import {
  isNoAnswer,
  isUnanswered,
  type Observation,
  type Violation,
  wordOf,
} from './observation.ts';
import {
  coverageOf,
  type ExploreResult,
  type ExploreStart,
  failureOf,
  notesOf,
  redactorOf,
  startOf,
} from './report.ts';
import { type ConnectOptions, isStop, Runner, withRunner } from './runner.ts';
import { Shrinker, type Shrunk } from './shrink.ts';
import { TicketPool } from './tickets.ts';

const BUDGET_DEFAULT = 2000;
/** Three see whether the service answers; the rest is a short history. */
const BUDGET_MIN = 10;
const TOGETHER_DEFAULT = 16;
/** What a soak sends a second, where nothing else is said: less than the 50 that one key may. */
const SOAK_RATE_DEFAULT = 40;
/** The share of a kind's tickets that is kept for shrinking, when no new ones can be made. */
const KEPT_FOR_SHRINKING = 0.5;
/** Longer histories are not kept: they could not be shrunk in time. */
const GROUPS_KEPT_MAX = 4000;

/** How much random history is sent. */
export interface SizeOptions {
  /** The same seed makes the same history. A random one otherwise. */
  readonly seed?: number | undefined;
  /** Requests to find something; an exploration may send as many again to shrink a fault. */
  readonly budget?: number | undefined;
  /** Requests at once, at most 64; 1 sends one after another. */
  readonly parallel?: number | undefined;
}

/** How to explore; everything but the address has a careful default. */
export interface ExploreOptions extends ConnectOptions, SizeOptions {
  /** Goes on for so long instead of until the budget is used up. */
  readonly soakMs?: number | undefined;
  /** Called before the first request. */
  readonly onStart?: ((start: ExploreStart) => void) | undefined;
  /** Called after each group of requests. */
  readonly onProgress?: ((requests: number, phase: 'find' | 'shrink') => void) | undefined;
}

/** How much is sent. */
export type Size = Readonly<Record<keyof SizeOptions, number>>;

/** What was asked for, with what is used where nothing was. @throws CheckUsageError when so few requests make no history */
export function sizeOf(options: SizeOptions, runners: readonly Runner[]): Size {
  const {
    seed = randomInt(2 ** 32),
    budget = BUDGET_DEFAULT,
    parallel = TOGETHER_DEFAULT,
  } = options;
  if (budget < BUDGET_MIN)
    throw new CheckUsageError(`The budget must be at least ${BUDGET_MIN} requests.`);
  const most = runners.map(({ togetherMax }) => togetherMax);
  return { seed, budget, parallel: Math.min(parallel, REQUESTS_TOGETHER_MAX, ...most) };
}

const EXPLORE_OPTIONS: Known<ExploreOptions> = {
  ...CONNECT_OPTIONS,
  seed: true,
  budget: true,
  parallel: true,
  soakMs: true,
  onStart: true,
  onProgress: true,
};

/**
 * Sends random histories to a service and holds every answer against a model of the specification.
 * @throws CheckUsageError when the options make no sense
 * @throws UnreachableError when there is no answer
 */
export function explore(options: ExploreOptions): Promise<ExploreResult> {
  return exploreIn(REAL_WORLD, options);
}

/** The same in another world than this machine's, for tests: `explore` has the options and what is thrown. */
export async function exploreIn(world: World, options: ExploreOptions): Promise<ExploreResult> {
  refuseUnknownOptions('explore', options, EXPLORE_OPTIONS);
  const maxRate = options.maxRate ?? (options.soakMs === undefined ? undefined : SOAK_RATE_DEFAULT);
  const exploration = new Exploration({ ...options, maxRate }, world);
  return withRunner(exploration.runner, () => exploration.run());
}

class Exploration {
  readonly runner: Runner;
  readonly #options: ExploreOptions;
  readonly #size: Size;
  /** How each request left, and what came back. */
  readonly #sent: [Dispatch, string][] = [];
  readonly #pool: TicketPool;
  /** Requests sent to see whether something comes back. */
  #tried = 0;
  /** Requests without an answer that nothing excuses. */
  #lost = 0;
  /** Missing answers that are looked into when nothing else is found. */
  readonly #losses: Found[] = [];
  /** True when heartbeats are answered. */
  #heartbeats = false;

  constructor(options: ExploreOptions, world: World) {
    this.runner = new Runner(options, world);
    this.#options = options;
    this.#size = sizeOf(options, [this.runner]);
    this.#pool = new TicketPool(this.runner.target, options.mint);
  }

  async run(): Promise<ExploreResult> {
    const { runner } = this;
    const { seed, budget } = this.#size;
    const { soakMs, maxRate = 0 } = this.#options;
    const { clock } = runner;
    const started = clock.now();
    const toFind = soakMs === undefined ? budget : Math.ceil((soakMs / 1000) * maxRate);
    this.#options.onStart?.(startOf(seed, toFind + budget, runner));
    const shrunk = await this.#findUntilStopped();
    const coverage = coverageOf(this.#sent);
    const isLossy = !shrunk || !isNoAnswer(shrunk.violation);
    const redactor = redactorOf(runner.target, this.#pool.minted);
    return {
      target: runner.baseUrl.href,
      verdict: shrunk ? 'deviates' : this.#verdictOfNothing(),
      seed,
      durationMs: Math.round(clock.now() - started),
      requests: { find: runner.requests - this.#tried, shrink: this.#tried },
      usesGranted: coverage.answers['consumed'] ?? 0,
      limited: runner.limited,
      lost: this.#lost,
      coverage,
      notes: notesOf(runner, this.#pool, this.#heartbeats, isLossy ? this.#lost : 0),
      failure: shrunk ? failureOf(shrunk, seed, redactor) : null,
    };
  }

  #verdictOfNothing() {
    if (this.runner.isStopped) return 'stopped';
    return this.#lost > 0 ? 'incomplete' : 'nothing-found';
  }

  /** @returns nothing when nothing was found, or the run was stopped before */
  async #findUntilStopped(): Promise<Shrunk | undefined> {
    try {
      this.#heartbeats = await this.runner.preflight();
      return await this.#find();
    } catch (error) {
      if (isStop(error)) return undefined;
      throw error;
    }
  }

  /** Sends random histories until a group contradicts the model. Missing answers are looked into at the end. */
  async #find(): Promise<Shrunk | undefined> {
    const generator = this.#generator();
    const session = { runner: this.runner, pool: this.#pool, model: new Model() };
    const endsAt = this.runner.clock.now() + (this.#options.soakMs ?? 0);
    let history: Group[] = [];
    for (;;) {
      const episodeFrom = history.length;
      for (const group of generator.episode()) {
        if (!this.#mayGoOn(requestsOf(group), endsAt)) return this.#recurring(this.#losses);
        history.push(group);
        const { observations, violation } = await runGroup(group, session, (slot) =>
          this.#pool.at(slot),
        );
        this.#note(group, observations);
        this.#options.onProgress?.(this.runner.requests, 'find');
        const shrunk = await this.#lookInto(history, episodeFrom, violation);
        if (shrunk) return shrunk;
      }
      if (history.length > GROUPS_KEPT_MAX) history = history.slice(-GROUPS_KEPT_MAX / 2);
    }
  }

  /** @returns nothing for a missing answer, unless a server hangs: it would be waited for again and again */
  async #lookInto(
    history: History,
    episodeFrom: number,
    violation: Violation | undefined,
  ): Promise<Shrunk | undefined> {
    if (!violation) return undefined;
    if (!isNoAnswer(violation)) return this.#shrink({ history, episodeFrom, violation });
    const loss = { history: history.slice(episodeFrom), episodeFrom: 0, violation };
    if (violation.at.failure?.kind === 'timeout') return this.#recurring([loss]);
    this.#losses.push(loss);
    return undefined;
  }

  /** The first of these missing answers that is missing again and again; each request is tried on its own first. */
  async #recurring(losses: readonly Found[]): Promise<Shrunk | undefined> {
    for (const loss of [...losses.map(aloneOf), ...losses]) {
      const shrunk = await this.#shrink(loss);
      if (shrunk.state !== 'not again') return shrunk;
    }
    return undefined;
  }

  #note({ dispatch }: Group, observations: readonly Observation[]): void {
    for (const at of observations) this.#sent.push([dispatch, wordOf(at)]);
    this.#lost += observations.filter(isUnanswered).length;
  }

  #generator(): Generator {
    const { seed, parallel } = this.#size;
    const share = this.#options.mint === undefined ? 1 - KEPT_FOR_SHRINKING : 1;
    return new Generator(seed, {
      keys: this.runner.target.keys,
      tickets: (kind) => Math.ceil(this.#pool.count(kind) * share),
      consent: this.runner.consent,
      togetherMax: parallel,
      heartbeats: this.#heartbeats,
      retries: true,
    });
  }

  #mayGoOn(requests: number, endsAt: number): boolean {
    if (this.runner.isStopped) return false;
    if (this.#options.soakMs !== undefined) return this.runner.clock.now() < endsAt;
    return this.runner.requests - this.#tried + requests <= this.#size.budget;
  }

  #shrink(found: Found): Promise<Shrunk> {
    const run = async (history: History) => {
      const before = this.runner.requests;
      const attempt = await runHistory(history, this.runner, this.#pool).finally(() => {
        this.#tried += this.runner.requests - before;
      });
      for (const [i, group] of attempt.history.entries()) this.#note(group, attempt.trace[i] ?? []);
      this.#options.onProgress?.(this.runner.requests, 'shrink');
      return attempt;
    };
    const isStopped = () => this.runner.isStopped;
    const budget = this.#size.budget - this.#tried;
    const unansweredMin = unansweredMinOf(this.#lost / Math.max(1, this.#sent.length));
    const { clock } = this.runner;
    return new Shrinker(found, budget, run, isStopped, unansweredMin, clock).shrink();
  }
}
