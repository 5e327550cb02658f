import type { StoreFacts } from './facts.ts';
import type { History } from './record.ts';

/** A promise that was broken, with what shows it. */
export interface Problem {
  readonly rule: Rule;
  readonly text: string;
}

export type Rule =
  | 'distinct-counts'
  | 'real-time-order'
  | 'acknowledged-is-stored'
  | 'counter-equals-log'
  | 'nothing-else-changed'
  | 'revoked-is-refused'
  | 'refused-with-cause'
  | 'inside-the-window'
  | 'rate-held'
  | 'quota-held'
  | 'file-is-sound';

/** Looks for breaches of one rule. */
export type Check = (history: History, facts: StoreFacts) => Problem[];
