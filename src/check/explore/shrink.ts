import { TransportFailure } from '../facts/failures.ts';
import type { Clock } from '../time/clock.ts';
import { type Attempt, TRIES, timesUnanswered } from './attempt.ts';
import { candidatesOf, type Found } from './candidates.ts';
import { type History, requestsIn } from './history.ts';
import { isNoAnswer, isSameFault, type Violation } from './observation.ts';
import { merged, reductions, withCommonKinds } from './smaller.ts';
import { LacksTickets } from './tickets.ts';

export interface Shrunk {
  readonly history: History;
  readonly violation: Violation;
  /** The run that showed it; undefined when it never came back. */
  readonly attempt: Attempt | undefined;
  /** `fully`: no step can be left out. Otherwise why it may be shorter yet. */
  readonly state: 'fully' | 'not fully' | 'not again';
  /** What ended it early, for people. */
  readonly reason?: string | undefined;
  /** The last tries of the shrunk history. */
  readonly cameBack: { readonly times: number; readonly tries: number };
}

/** Tickets that turn out to be used up prove nothing: this number of further ones is tried. */
const STALE_MAX = 5;
/** A server that answers slowly, or not at all, would be asked for hours. */
const MINUTES_MAX = 5;

/** The requests that may be sent are used up, or the target has no more tickets. */
class OutOfMeans extends Error {
  /** True when another history may still have what this one lacks. */
  readonly onlyTickets: boolean;

  constructor(message: string, onlyTickets = false) {
    super(message);
    this.onlyTickets = onlyTickets;
  }
}

/** Finds the shortest history that still shows a fault. Each try runs on fresh tickets against the live server. */
export class Shrinker {
  readonly #found: Found;
  readonly #run: (history: History) => Promise<Attempt>;
  readonly #stopped: () => boolean;
  readonly #clock: Clock;
  readonly #endsAt: number;
  readonly #unansweredMin: number;
  #left: number;
  #best: Attempt | undefined;
  #cameBack = { times: 0, tries: 0 };
  /** What tickets were missing for. */
  #lacked: string | undefined;

  /** @param budget requests that may be sent; `unansweredMin`: tries in which the same request must get no answer */
  constructor(
    found: Found,
    budget: number,
    run: (history: History) => Promise<Attempt>,
    stopped: () => boolean,
    unansweredMin: number,
    clock: Clock,
  ) {
    this.#clock = clock;
    this.#endsAt = clock.now() + MINUTES_MAX * 60_000;
    this.#found = found;
    this.#run = run;
    this.#left = budget;
    this.#stopped = stopped;
    this.#unansweredMin = unansweredMin;
  }

  async shrink(): Promise<Shrunk> {
    let reason: string | undefined;
    try {
      await this.#shorten();
      reason = this.#lacked;
    } catch (error) {
      if (!(error instanceof OutOfMeans)) throw error;
      reason = error.message;
    }
    const best = this.#best;
    const cameBack = this.#cameBack;
    if (!best?.violation || !this.#isShown) {
      const { violation, episodeFrom } = this.#found;
      const history = this.#found.history.slice(episodeFrom);
      return { history, violation, attempt: undefined, state: 'not again', cameBack, reason };
    }
    return {
      history: best.history,
      violation: best.violation,
      attempt: best,
      state: reason === undefined ? 'fully' : 'not fully',
      cameBack,
      reason,
    };
  }

  async #shorten(): Promise<void> {
    await this.#reproduce();
    if (this.#isNoAnswer) await this.#confirm();
    const confirmed = this.#best;
    if (!confirmed || !this.#isShown) return;
    for (const tries of this.#rounds) await this.#reduce(tries);
    if (!this.#isNoAnswer || this.#best !== confirmed) await this.#confirm();
  }

  get #isShown(): boolean {
    return !this.#isNoAnswer || this.#cameBack.times >= this.#unansweredMin;
  }

  get #isNoAnswer(): boolean {
    return isNoAnswer(this.#found.violation);
  }

  /** Tries of a history before another one has its turn, then before it is given up; for a missing answer they are always the same. */
  get #rounds(): readonly number[] {
    return this.#isNoAnswer ? [TRIES] : [1, TRIES];
  }

  /** The first part of the history that shows the fault on fresh tickets: each once, then each some more times. */
  async #reproduce(): Promise<void> {
    let reason: OutOfMeans | undefined;
    const candidates = candidatesOf(this.#found);
    for (const tries of this.#rounds) {
      for (const candidate of candidates) {
        const outcome = await this.#comesBack(candidate, tries);
        if (outcome === true) return;
        if (outcome instanceof OutOfMeans) reason = outcome;
      }
    }
    if (reason) throw reason;
  }

  /** With tickets of the kinds that targets have most of, where it lacks the others. */
  async #comesBack(history: History, tries: number): Promise<boolean | OutOfMeans> {
    const outcome = await this.#failsOrLacks(merged(history), tries);
    if (!(outcome instanceof OutOfMeans && outcome.onlyTickets)) return outcome;
    return this.#failsOrLacks(merged(withCommonKinds(history)), tries);
  }

  /** What lacks the means for one part may have them for a shorter one. */
  async #failsOrLacks(history: History, tries: number): Promise<boolean | OutOfMeans> {
    try {
      return await this.#fails(history, tries);
    } catch (error) {
      if (error instanceof OutOfMeans) return error;
      throw error;
    }
  }

  /** Takes every reduction after which the fault comes back, until none is left. */
  async #reduce(tries: number): Promise<void> {
    for (let from = 0, reduced = false; ; from = 0, reduced = false) {
      for (let candidate = this.#candidate(from); candidate; candidate = this.#candidate(from)) {
        if (await this.#isSmaller(candidate, tries)) reduced = true;
        else from += 1;
      }
      if (!reduced) return;
    }
  }

  /** True when the fault comes back; a candidate for which the target lacks tickets is passed over. */
  async #isSmaller(candidate: History, tries: number): Promise<boolean> {
    const outcome = await this.#failsOrLacks(candidate, tries);
    if (!(outcome instanceof OutOfMeans)) return outcome;
    if (!outcome.onlyTickets) throw outcome;
    this.#lacked = outcome.message;
    return false;
  }

  /** The n-th reduction of the shortest history so far. */
  #candidate(n: number): History | undefined {
    let i = 0;
    for (const smaller of reductions(this.#history)) {
      if (i === n) return merged(smaller);
      i += 1;
    }
    return undefined;
  }

  get #history(): History {
    return this.#best?.history ?? [];
  }

  /** True when the fault comes back, and not by chance: a second time within some more tries. */
  async #fails(history: History, tries: number): Promise<boolean> {
    if (this.#isNoAnswer) return this.#staysUnanswered(history);
    const first = await this.#failing(history, tries);
    if (!first) return false;
    // what follows the violation is rarely needed, except where a server remembers the try before
    for (const candidate of [merged(first.history), history]) {
      const again = await this.#failing(candidate, TRIES);
      if (!again) continue;
      this.#best = { ...again, history: candidate };
      this.#cameBack = { times: 1, tries: 1 };
      return true;
    }
    return false;
  }

  async #staysUnanswered(history: History): Promise<boolean> {
    const attempts: Attempt[] = [];
    let times = 0;
    while (times < this.#unansweredMin && TRIES - attempts.length >= this.#unansweredMin - times) {
      attempts.push(await this.#try(history));
      times = timesUnanswered(attempts);
    }
    const shown = attempts.find((attempt) => this.#shows(attempt));
    if (times < this.#unansweredMin || !shown) return false;
    this.#best = { ...shown, history };
    this.#cameBack = { times, tries: attempts.length };
    return true;
  }

  async #failing(history: History, tries: number): Promise<Attempt | undefined> {
    for (let i = 0, stale = 0; i < tries; i += 1) {
      const attempt = await this.#try(history);
      if (this.#shows(attempt)) return attempt;
      if (!attempt.isStale || stale === STALE_MAX) continue;
      stale += 1;
      i -= 1;
    }
    return undefined;
  }

  async #confirm(): Promise<void> {
    const history = this.#history;
    const attempts: Attempt[] = [];
    if (history.length === 0) return;
    while (attempts.length < TRIES && this.#left >= requestsIn(history))
      attempts.push(await this.#try(history));
    if (attempts.length === 0) return;
    const times = this.#isNoAnswer
      ? timesUnanswered(attempts)
      : attempts.filter((attempt) => this.#shows(attempt)).length;
    this.#cameBack = { times, tries: attempts.length };
  }

  /** True when the fault came back: another one on the way is not what the story is about. */
  #shows({ violation }: Attempt): boolean {
    return violation !== undefined && isSameFault(violation, this.#found.violation);
  }

  async #try(history: History): Promise<Attempt> {
    if (this.#stopped()) throw new OutOfMeans('the run was stopped');
    if (this.#left < requestsIn(history)) throw new OutOfMeans('the budget is used up');
    if (this.#clock.now() > this.#endsAt)
      throw new OutOfMeans(`${MINUTES_MAX} minutes were not enough`);
    try {
      const attempt = await this.#run(history);
      this.#left -= attempt.requests;
      return attempt;
    } catch (error) {
      throw outOfMeansOf(error) ?? error;
    }
  }
}

/** What ends the shrinking, and not the run: the fault was found. */
function outOfMeansOf(error: unknown): OutOfMeans | undefined {
  if (error instanceof LacksTickets) return new OutOfMeans(error.message, true);
  if (!(error instanceof TransportFailure)) return undefined;
  return new OutOfMeans(
    error.kind === 'stopped' ? error.message : `the service stopped answering: ${error.message}`,
  );
}
