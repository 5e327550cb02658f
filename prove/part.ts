import type { Engine } from './world/world.ts';

export interface PartOptions {
  readonly seed: number;
  readonly engine: Engine;
  /** Power cuts in all. */
  readonly cuts: number;
  /** kill -9 under load. */
  readonly kills: number;
  /** Fail-overs of PostgreSQL. */
  readonly failOvers: number;
  /** Scans of the simulation in all. */
  readonly scans: number;
  /** Tells people how far it is. */
  readonly say: (text: string) => void;
}

/** One part of the proof. */
export interface Part {
  readonly name: string;
  readonly about: string;
  /** Only for `npm run prove -- nightly`, or when it is named. */
  readonly isNightly?: true;
  /** Stores that it is run on, one after another; not given when it brings its own. */
  readonly engines?: readonly Engine[];
  /**
   * @returns what was tried, how often, in one line
   * @throws Error when a promise was broken, with what shows it; SkippedError where this machine cannot do it
   */
  run(options: PartOptions): Promise<string>;
}

/** This machine lacks what the part needs; the message says what. */
export class SkippedError extends Error {
  override readonly name = 'SkippedError';
}

/** A promise was broken, and this seed shows it sooner than that of the whole run. */
export class RepeatableError extends Error {
  override readonly name = 'RepeatableError';
  readonly seed: number;

  constructor(message: string, seed: number) {
    super(message);
    this.seed = seed;
  }
}

/** Stores that keep their data on the disk of one machine. */
export const ENGINES: readonly Engine[] = ['sqlite', 'json'];
