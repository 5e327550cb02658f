/** `warning`: works, but somebody should look. `skipped`: nobody said enough to look. */
export type Outcome = 'good' | 'warning' | 'failed' | 'skipped';

/** What one look showed. */
export interface Finding {
  readonly check: string;
  readonly outcome: Outcome;
  /** What was seen, in a sentence; no key is in it. */
  readonly finding: string;
  /** What to do; null where there is nothing. */
  readonly advice: string | null;
}

/** Makes the findings of one check. */
export class Findings {
  readonly #check: string;

  constructor(check: string) {
    this.#check = check;
  }

  good(finding: string): Finding {
    return { check: this.#check, outcome: 'good', finding, advice: null };
  }

  warning(finding: string, advice: string): Finding {
    return { check: this.#check, outcome: 'warning', finding, advice };
  }

  failed(finding: string, advice: string): Finding {
    return { check: this.#check, outcome: 'failed', finding, advice };
  }

  skipped(finding: string, advice: string | null = null): Finding {
    return { check: this.#check, outcome: 'skipped', finding, advice };
  }
}
