import type { Store } from './store.ts';

/** A store that can go back to an earlier state: only engines that keep nothing on a disk can without a lie. */
export interface SnapshotStore extends Store {
  /** Remembers everything as it is now; what is returned puts it back, as often as it is called. */
  takeSnapshot(): () => void;
}

export function canTakeSnapshots(store: Store): store is SnapshotStore {
  return 'takeSnapshot' in store;
}
