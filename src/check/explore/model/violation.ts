import type { Observation } from '../observation.ts';

/** What a history can show to be wrong. Stable names: reports and saved files carry them. */
export type Rule =
  | 'no-answer'
  | 'server-error'
  | 'wrong-answer'
  | 'echo'
  | 'leak'
  | 'facts-changed'
  | 'arithmetic'
  | 'time-repeated'
  | 'use-given-twice'
  | 'too-many-uses'
  | 'uses-vanished'
  | 'uses-from-nowhere'
  | 'exhausted-too-early'
  | 'order';

/** A statement of the specification that the answers of a history break. */
export interface Violation {
  readonly rule: Rule;
  /** Of the specification. */
  readonly section: string;
  readonly expected: string;
  readonly observed: string;
  /** The request whose answer shows it. */
  readonly at: Observation;
}
