import type { Store } from '../store.ts';
import { MemoryStore } from './memory-store.ts';

/**
 * Remembers a store's data as it is now; what is returned puts it back, as often as it is called. Undefined for a store
 * on a disk: going back would contradict other processes that have it open.
 */
export function rememberData(store: Store): (() => void) | undefined {
  return store instanceof MemoryStore ? MemoryStore.rememberData(store) : undefined;
}
