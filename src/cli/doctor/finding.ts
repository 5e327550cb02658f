/** `warning`: works, but needs attention. `skipped`: an option for the check is missing. */
export type Outcome = 'good' | 'warning' | 'failed' | 'skipped';

/** The result of one check. */
export interface Finding {
  readonly check: string;
  readonly outcome: Outcome;
  /** What was found, in a sentence without keys. */
  readonly finding: string;
  /** What to do; null when nothing is needed. */
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
