import type { Way } from './histories/history.ts';
import { type Meaning, meaningOf } from './model/meaning.ts';
import type { Observation } from './run/observation.ts';

/** What was sent, and what came back. */
export interface Coverage {
  /** Requests that left after the answer to the one before. */
  readonly oneByOne: number;
  /** Requests that left at once with others. */
  readonly together: number;
  /** How many answers of each kind came, the most frequent first. */
  readonly answers: Readonly<Partial<Record<Meaning, number>>>;
}

/** Counts requests and answers. */
export class CoverageCount {
  #oneByOne = 0;
  #together = 0;
  readonly #answers = new Map<Meaning, number>();

  add(way: Way, observations: readonly Observation[]): void {
    if (way === 'in-turn') this.#oneByOne += observations.length;
    else this.#together += observations.length;
    for (const observation of observations) {
      const meaning = meaningOf(observation);
      this.#answers.set(meaning, (this.#answers.get(meaning) ?? 0) + 1);
    }
  }

  report(): Coverage {
    const answers = [...this.#answers].sort(([, one], [, other]) => other - one);
    return {
      oneByOne: this.#oneByOne,
      together: this.#together,
      answers: Object.fromEntries(answers),
    };
  }
}
