import { TransportFailure } from '../judging/deviation.ts';
import type { Attempt } from './attempt.ts';
import { type Group, type History, requestsIn, type Step, slotName } from './history.ts';
import { isSameFault, type Violation } from './observation.ts';
import { merged, reductions, withCommonKinds } from './smaller.ts';
import { LacksTickets } from './tickets.ts';

/** So often a history is tried before a step counts as needed. */
const TRIES = 5;

/** Where a violation came up: the whole history, the last groups of it that belong together, and what broke. */
export interface Found {
  readonly history: History;
  /** Where the last episode begins in `history`. */
  readonly episodeFrom: number;
  readonly violation: Violation;
}

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
  readonly #endsAt = performance.now() + MINUTES_MAX * 60_000;
  #left: number;
  #best: Attempt | undefined;
  /** What tickets were missing for. */
  #lacked: string | undefined;

  /** @param budget requests that may be sent */
  constructor(
    found: Found,
    budget: number,
    run: (history: History) => Promise<Attempt>,
    stopped: () => boolean,
  ) {
    this.#found = found;
    this.#run = run;
    this.#left = budget;
    this.#stopped = stopped;
  }

  async shrink(): Promise<Shrunk> {
    let reason: string | undefined;
    let cameBack = { times: 0, tries: 0 };
    try {
      await this.#reproduce();
      if (this.#best) {
        await this.#reduce(1);
        await this.#reduce(TRIES);
        reason = this.#lacked;
        cameBack = await this.#confirm();
      }
    } catch (error) {
      if (!(error instanceof OutOfMeans)) throw error;
      reason = error.message;
    }
    const best = this.#best;
    if (!best?.violation) {
      const { violation, episodeFrom } = this.#found;
      const history = this.#found.history.slice(episodeFrom);
      return { history, violation, attempt: undefined, state: 'not again', cameBack, reason };
    }
    return {
      history: best.history,
      violation: best.violation,
      attempt: best,
      state: reason === undefined ? 'fully' : 'not fully',
      cameBack: cameBack.tries === 0 ? { times: 1, tries: 1 } : cameBack,
      reason,
    };
  }

  /** The first part of the history that shows the fault on fresh tickets: each once, then each some more times. */
  async #reproduce(): Promise<void> {
    let reason: OutOfMeans | undefined;
    const candidates = candidatesOf(this.#found);
    for (const tries of [1, TRIES]) {
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
    const first = await this.#failing(history, tries);
    if (!first) return false;
    // what follows the violation is rarely needed, except where a server remembers the try before
    for (const candidate of [merged(first.history), history]) {
      const again = await this.#failing(candidate, TRIES);
      if (!again) continue;
      this.#best = { ...again, history: candidate };
      return true;
    }
    return false;
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

  async #confirm(): Promise<{ times: number; tries: number }> {
    const history = this.#history;
    let times = 0;
    let tries = 0;
    while (tries < TRIES && this.#left >= requestsIn(history)) {
      const attempt = await this.#try(history);
      tries += 1;
      if (this.#shows(attempt)) times += 1;
    }
    return { times, tries };
  }

  /** True when the fault came back: another one on the way is not what the story is about. */
  #shows({ violation }: Attempt): boolean {
    return violation !== undefined && isSameFault(violation, this.#found.violation);
  }

  async #try(history: History): Promise<Attempt> {
    if (this.#stopped()) throw new OutOfMeans('the run was stopped');
    if (this.#left < requestsIn(history)) throw new OutOfMeans('the budget is used up');
    if (performance.now() > this.#endsAt)
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

/** A part with more requests is long. */
const LONG = 100;
const REPEATS = [1, 4, 16, 64];
const LAST_GROUPS = [2, 4, 8, 16];
const PAUSE_MS = 300;

/** Parts of a long history that may show the same fault on their own, the likeliest of the short ones first. */
function candidatesOf(found: Found): History[] {
  const all = [...partsOf(found)].filter((part) => part.length > 0);
  const once = new Map(all.map((part) => [JSON.stringify(part), part]));
  const total = requestsIn(found.history);
  // a part that is nearly the whole history comes last, however it was made
  const isLong = (part: History) => requestsIn(part) > LONG && requestsIn(part) > total / 2;
  return [...once.values()].sort((a, b) => Number(isLong(a)) - Number(isLong(b)));
}

function* partsOf({ history, episodeFrom, violation }: Found): Generator<History> {
  const last = history.at(-1);
  if (!last) return;
  const { step } = violation.at;
  for (const times of REPEATS)
    yield [{ ...last, steps: [{ ...step, times }], dispatch: 'one-by-one' }];
  yield [last];
  const touching = history.filter((group) => group === last || sharesTicket(group, step));
  const episode = history.slice(episodeFrom);
  yield episode.filter((group) => touching.includes(group));
  yield touching;
  // what was sent long before may have been forgotten meanwhile
  yield [...touching.slice(0, -1), { ...last, pauseMs: PAUSE_MS }];
  for (const count of LAST_GROUPS) yield history.slice(-count);
  if (last.over !== 'new') {
    const same = history.filter(
      (group) => group.over === last.over && group.dispatch !== 'together',
    );
    for (const count of LAST_GROUPS) yield same.slice(-count);
  }
  yield episode;
  for (let length = episode.length * 2; length < history.length; length *= 2) {
    yield history.slice(-length);
  }
  yield history;
}

function sharesTicket(group: Group, { ticket }: Step): boolean {
  if (ticket === undefined) return false;
  const name = slotName(ticket);
  return group.steps.some((step) => step.ticket && slotName(step.ticket) === name);
}
