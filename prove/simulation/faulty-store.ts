import type { BatchRequest } from '../../src/core/scan-batch.ts';
import type { MemoryStore } from '../../src/stores/memory/memory-store.ts';
import type { KeyLookup } from '../../src/stores/record-store.ts';
import type { ScanBatchResult, Store } from '../../src/stores/store.ts';
import type { Random } from '../world/random.ts';
import type { VirtualTime } from './virtual-time.ts';

const COMMIT_MS_MAX = 12;
const LOOK_UP_MS_MAX = 5;
const FAULT_CHANCE = 0.01;

/**
 * A store as one process sees it: commits take their time, and now and then one fails before or after it has happened. The
 * state behind it is shared with other processes and survives all of them.
 */
export function faultyStore(shared: MemoryStore, time: VirtualTime, random: Random): Store {
  const commitScans = async (requests: readonly BatchRequest[]): Promise<ScanBatchResult> => {
    await time.sleep(random.between(1, COMMIT_MS_MAX));
    if (random.chance(FAULT_CHANCE)) throw new Error('the disk failed before the commit');
    const result = await shared.commitScans(requests);
    if (random.chance(FAULT_CHANCE)) throw new Error('the disk failed after the commit');
    await time.sleep(random.between(0, 2));
    return result;
  };
  const findKeyByHash = async (hash: string): Promise<KeyLookup | undefined> => {
    await time.sleep(random.between(0, LOOK_UP_MS_MAX));
    const found = await shared.findKeyByHash(hash);
    await time.sleep(random.between(0, LOOK_UP_MS_MAX));
    return found;
  };
  return new Proxy<Store>(shared, {
    get: (target, name) => {
      if (name === 'commitScans') return commitScans;
      if (name === 'findKeyByHash') return findKeyByHash;
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
