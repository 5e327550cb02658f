import { randomInt } from 'node:crypto';
import { Redactor } from '../requests/redact.ts';
import { type KeyName, keyVariable, type Target, type TicketKind } from '../target/target.ts';
import { CoverageCount } from './coverage.ts';
import { find } from './find.ts';
import { REQUESTS_TOGETHER_MAX } from './histories/history.ts';
import {
  type Connected,
  type ConnectOptions,
  connect,
  isStop,
  refuseSmallBudget,
  unreachableOf,
} from './options.ts';
import { failureOf } from './report/failure.ts';
import type { ExploreResult, ExploreStart } from './result.ts';
import { knock } from './run/knock.ts';
import { notesOf } from './run/notes.ts';
import { runHistory } from './run/run-history.ts';
import { TicketPool } from './run/tickets.ts';
import { Shrinker, type Shrunk } from './shrink/shrink.ts';
import type { Found } from './shrink/slices.ts';
import { startOf } from './start.ts';

const BUDGET_DEFAULT = 2000;
const AT_ONCE_DEFAULT = 16;
/** What a soak sends a second, where nothing else is said: less than the 50 that one key may. */
const SOAK_RATE_DEFAULT = 40;
/** The share of a kind's tickets that is kept for shrinking, when no new ones can be made. */
const KEPT_FOR_SHRINKING = 0.5;

/** How to explore; everything but the address has a careful default. */
export interface ExploreOptions extends ConnectOptions {
  /** The same seed makes the same history. A random one otherwise. */
  readonly seed?: number | undefined;
  /** Requests to find a fault, and as many again to shrink it. */
  readonly budget?: number | undefined;
  /** Goes on for so long instead of until the budget is used up. */
  readonly soakMs?: number | undefined;
  /** Requests at once, at most 64; 1 sends one after another. */
  readonly parallel?: number | undefined;
  /** Called before the first request. */
  readonly onStart?: ((start: ExploreStart) => void) | undefined;
  /** Called after each group of requests. */
  readonly onProgress?: ((requests: number, phase: 'find' | 'shrink') => void) | undefined;
}

/**
 * Sends random histories to a service and holds every answer against a model of the specification.
 * @throws CheckUsageError when the options make no sense
 * @throws UnreachableError when there is no answer
 */
export async function explore(options: ExploreOptions): Promise<ExploreResult> {
  const maxRate = options.maxRate ?? (options.soakMs === undefined ? undefined : SOAK_RATE_DEFAULT);
  const connected = connect({ ...options, maxRate });
  try {
    return await new Exploration(options, connected, maxRate).run();
  } catch (error) {
    throw unreachableOf(error, connected);
  } finally {
    connected.runner.close();
  }
}

class Exploration {
  readonly #options: ExploreOptions;
  readonly #connected: Connected;
  readonly #maxRate: number | undefined;
  readonly #seed: number;
  readonly #budget: number;
  readonly #coverage = new CoverageCount();
  readonly #pool: TicketPool;
  /** True when heartbeats are answered. */
  #heartbeats = false;

  constructor(options: ExploreOptions, connected: Connected, maxRate: number | undefined) {
    this.#options = options;
    this.#connected = connected;
    this.#maxRate = maxRate;
    this.#seed = options.seed ?? randomInt(2 ** 32);
    this.#budget = options.budget ?? BUDGET_DEFAULT;
    this.#pool = new TicketPool(connected.target, options.mint);
    refuseSmallBudget(this.#budget);
  }

  async run(): Promise<ExploreResult> {
    const { target, runner, baseUrl } = this.#connected;
    const started = performance.now();
    const consent = this.#options.consume ?? false;
    const toFind = this.#soakRequests ?? this.#budget;
    this.#options.onStart?.(startOf(this.#seed, toFind + this.#budget, target, consent));
    const found = await this.#find();
    const finding = runner.requests;
    const shrunk = found && (await this.#shrink(found));
    const redactor = redactorOf(target, this.#pool.minted);
    const coverage = this.#coverage.report();
    const isStopped = this.#options.signal?.aborted === true;
    return {
      target: baseUrl.href,
      verdict: shrunk ? 'deviates' : isStopped ? 'stopped' : 'nothing-found',
      seed: this.#seed,
      durationMs: Math.round(performance.now() - started),
      requests: { find: finding, shrink: runner.requests - finding },
      usesGranted: coverage.answers.consumed ?? 0,
      limited: runner.limited,
      coverage,
      notes: notesOf({
        target,
        consent,
        heartbeats: this.#heartbeats,
        pool: this.#pool,
        limited: runner.limited,
      }),
      failure: shrunk ? failureOf(shrunk, this.#seed, redactor) : null,
    };
  }

  get #soakRequests(): number | undefined {
    const { soakMs } = this.#options;
    if (soakMs === undefined || this.#maxRate === undefined) return undefined;
    return Math.ceil((soakMs / 1000) * this.#maxRate);
  }

  /** @returns nothing when nothing was found, or the run was stopped before */
  async #find(): Promise<Found | undefined> {
    const { target, runner } = this.#connected;
    try {
      this.#heartbeats = await knock(runner, target.keys.hardware !== undefined);
      return await this.#sendHistories();
    } catch (error) {
      if (isStop(error)) return undefined;
      throw error;
    }
  }

  #sendHistories(): Promise<Found | undefined> {
    const { target, runner } = this.#connected;
    const { parallel, soakMs, signal, onProgress } = this.#options;
    const endsAt = performance.now() + (soakMs ?? 0);
    const goesOn = (requests: number) =>
      soakMs === undefined
        ? runner.requests + requests <= this.#budget
        : performance.now() < endsAt;
    return find({
      seed: this.#seed,
      runner,
      pool: this.#pool,
      target,
      consent: this.#options.consume ?? false,
      atOnceMax: Math.min(parallel ?? AT_ONCE_DEFAULT, REQUESTS_TOGETHER_MAX, runner.atOnceMax),
      heartbeats: this.#heartbeats,
      tickets: (kind) => this.#ticketsToFind(kind),
      mayGoOn: (requests) => signal?.aborted !== true && goesOn(requests),
      onGroup: (group, observations) => {
        this.#coverage.add(group.way, observations);
        onProgress?.(runner.requests, 'find');
      },
    });
  }

  #shrink(found: Found): Promise<Shrunk> {
    const { runner } = this.#connected;
    const run = async (history: Found['history']) => {
      const attempt = await runHistory(history, runner, this.#pool);
      for (const [i, observations] of attempt.trace.entries())
        this.#coverage.add(attempt.history[i]?.way ?? 'in-turn', observations);
      this.#options.onProgress?.(runner.requests, 'shrink');
      return attempt;
    };
    return new Shrinker(run, this.#budget, () => this.#options.signal?.aborted === true).shrink(
      found,
    );
  }

  #ticketsToFind(kind: TicketKind): number {
    const have = this.#pool.count(kind);
    const keepsNone = this.#options.mint !== undefined;
    return keepsNone ? have : Math.ceil(have * (1 - KEPT_FOR_SHRINKING));
  }
}

/** Hides the target's keys and the codes of its tickets, and of those that were made. */
export function redactorOf({ keys, tickets }: Target, minted: readonly string[] = []): Redactor {
  const redactor = new Redactor();
  const codes = Object.values(tickets).flatMap((some) => some.map(({ code }) => code));
  for (const code of [...codes, ...minted]) redactor.add(code, '$TICKET');
  for (const [name, key] of Object.entries(keys))
    redactor.add(key, `$${keyVariable(name as KeyName)}`);
  return redactor;
}
