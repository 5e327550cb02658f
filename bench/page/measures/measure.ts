import type { Section } from '../line.ts';

interface MeasureOptions {
  /** Enough to see that it runs. */
  readonly quick: boolean;
  /** Also what takes a long time to prepare. */
  readonly large: boolean;
  /** A folder of the run's own, which is removed when it ends. */
  readonly folder: string;
}

export interface Measure {
  readonly name: string;
  /** One line for the help text. */
  readonly about: string;
  run(options: MeasureOptions): Promise<Pick<Section, 'title' | 'notes' | 'lines'>>;
}
