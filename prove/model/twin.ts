import type { SHOWN_BY } from './bounds.ts';
import { type Asked, RIGHT, type Rules } from './rules.ts';
import { type Answer, type Key, type Store, scan } from './store.ts';

/** A faulty service; the search must find what it breaks. */
export interface Twin {
  /** The name that prove/planted/bugs.ts uses, where the same mistake is planted into the program; else its own. */
  readonly name: string;
  readonly shownBy: keyof typeof SHOWN_BY;
  readonly rules: Rules;
}

export function deciding(decide: Rules['decide']): Rules {
  return { ...RIGHT, decide };
}

/** Decides rightly on a store that it sees otherwise. @returns the store with its own flags again */
export function seeing(asked: Asked, seen: Partial<Store>): [Store, Answer] {
  const { cancelled, gone, key } = asked.store;
  const [after, answer] = right({ ...asked, store: { ...asked.store, ...seen } });
  return [{ ...after, cancelled, gone, key }, answer];
}

export function right({ store, scan: asked, now, terms }: Asked): [Store, Answer] {
  return scan(store, asked, now, terms);
}

/** Decides by another counter than the store's, and writes what comes of it. */
export function fromCounter(asked: Asked, used: number): [Store, Answer] {
  return seeing(asked, { used });
}

export function withKey(asked: Asked, seen: Partial<Key>): [Store, Answer] {
  return seeing(asked, { key: { ...asked.store.key, ...seen } });
}
