import type { Rule } from '../history/problem.ts';

/** What shows the bug: plain load, two servers on one file, a power cut, or a simulated day. */
type Scenario = 'load' | 'two-servers' | 'power-cut' | 'simulation';

interface Edit {
  /** The path of the file in src. */
  readonly file: string;
  /** Stands there exactly once. */
  readonly text: string;
  readonly becomes: string;
}

/** A mistake that somebody could really make, planted into a copy of the sources. */
export interface PlantedBug {
  readonly name: string;
  readonly edits: readonly Edit[];
  readonly scenario: Scenario;
  /** The rules of which one or more must be found broken. */
  readonly breaks: readonly Rule[];
}
