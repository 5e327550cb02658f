import type { Action, Way } from './histories/history.ts';
import { type Meaning, meaningOf } from './model/meaning.ts';
import type { Observation } from './run/observation.ts';

/** One line of the table of what was tried. */
export interface Tried {
  readonly action: Action;
  readonly way: Way;
  readonly answer: Meaning;
  readonly count: number;
}

/** Counts what was sent and what came back. */
export class TriedTable {
  readonly #counts = new Map<string, Tried>();

  add(way: Way, observations: readonly Observation[]): void {
    for (const observation of observations) {
      const { action } = observation.step;
      const answer = meaningOf(observation);
      const name = `${action} ${way} ${answer}`;
      const count = (this.#counts.get(name)?.count ?? 0) + 1;
      this.#counts.set(name, { action, way, answer, count });
    }
  }

  /** The most frequent first. */
  rows(): Tried[] {
    return [...this.#counts.values()].sort((a, b) => b.count - a.count);
  }

  /** Uses that were granted. */
  get granted(): number {
    return this.rows()
      .filter(({ answer }) => answer === 'consumed')
      .reduce((sum, { count }) => sum + count, 0);
  }
}
