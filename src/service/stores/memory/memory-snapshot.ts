import type { MemoryState } from './memory-state.ts';

/** Who may administer the store, and what they did, is not among the data that tests go back and forth in. */
const LEFT_ALONE: readonly (keyof MemoryState)[] = ['revision', 'documents'];

/**
 * Copies the maps and the log of a state; records in them are never changed in place, only replaced.
 * Goes by whatever fields the state shows, so that a new one cannot be forgotten; the log it keeps to itself.
 * @returns puts the state back, and moves its revision on, because what was cached since is stale
 */
export function takeMemorySnapshot(state: MemoryState): () => void {
  const restorers = Object.entries(state)
    .filter(([name]) => !LEFT_ALONE.includes(name as keyof MemoryState))
    .map(([name, value]) => restorerOf(name, value));
  const log = state.log.slice();
  return () => {
    for (const restore of restorers) restore();
    state.dropOldest(state.log.length);
    for (const entry of log) state.append(entry);
    state.revision += 1;
  };
}

function restorerOf(name: string, value: unknown): () => void {
  if (value instanceof Map) {
    const entries = new Map<unknown, unknown>(value);
    return () => {
      value.clear();
      for (const [key, one] of entries) value.set(key, one);
    };
  }
  throw new Error(`the memory store's ${name} is no map: a snapshot would miss it`);
}
