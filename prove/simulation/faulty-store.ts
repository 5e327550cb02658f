import type { BatchRequest } from '../../src/core/scan-requests.ts';
import type { KeyLookup } from '../../src/stores/record-store.ts';
import type { MemoryStore } from '../../src/stores/sqlite/memory-store.ts';
import type { ScanBatchResult, Store } from '../../src/stores/store.ts';
import type { Access } from './plan.ts';
import type { VirtualTime } from './virtual-time.ts';

/**
 * A store as one process sees it: commits and look-ups take their time, and now and then one fails before or after it has
 * happened. The state behind it is shared with other processes and survives all of them.
 * @param nextAccess what the disk does this time
 */
export function faultyStore(
  shared: MemoryStore,
  time: VirtualTime,
  nextAccess: () => Access,
): Store {
  const onDisk = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const { beforeMs, afterMs, fails } = nextAccess();
    await time.sleep(beforeMs);
    if (fails === 'before') throw new Error('the disk failed before it happened');
    const result = await work();
    if (fails === 'after') throw new Error('the disk failed after it happened');
    await time.sleep(afterMs);
    return result;
  };
  const commitScans = (requests: readonly BatchRequest[]): Promise<ScanBatchResult> =>
    onDisk(() => shared.commitScans(requests));
  const findKeyByHash = (hash: string): Promise<KeyLookup | undefined> =>
    onDisk(() => shared.findKeyByHash(hash));
  return new Proxy<Store>(shared, {
    get: (target, name) => {
      if (name === 'commitScans') return commitScans;
      if (name === 'findKeyByHash') return findKeyByHash;
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
