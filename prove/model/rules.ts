import { type Answer, rotate, type Scan, type Store, scan, type Terms, undo } from './store.ts';

/** What a service does. A faulty one differs in one member. */
export interface Rules {
  /** The transaction of a scan. @returns the store after it, the answer, what the node remembers from then on */
  readonly decide: (asked: Asked) => readonly [Store, Answer, number?];
  /** A node keeps something between two requests. */
  readonly remembers: boolean;
  /** What a node reads before the transaction. */
  readonly read: (store: Store) => number;
  readonly undo: (store: Store, entry: number) => Store;
  readonly rotate: typeof rotate;
  readonly remove: (store: Store) => Store;
  /** What a client is told while nobody knows how the transaction ended; undefined for a 500. */
  readonly tellOpen: (answer: Answer) => Answer | undefined;
  /** Where it does not know whether a transaction was stored, it decides again without asking. */
  readonly decidesAgain: boolean;
  readonly standby: 'synchronous' | 'late';
  readonly mixesAnswers: boolean;
}

export interface Asked {
  readonly store: Store;
  readonly scan: Scan;
  readonly now: number;
  readonly terms: Terms;
  readonly memory: number;
  readonly read: number;
}

export const RIGHT: Rules = {
  decide: ({ store, scan: asked, now, terms }) => scan(store, asked, now, terms),
  remembers: false,
  read: () => 0,
  undo,
  rotate,
  remove: (store) => ({ ...store, gone: true, answers: [] }),
  tellOpen: () => undefined,
  decidesAgain: false,
  standby: 'synchronous',
  mixesAnswers: false,
};
