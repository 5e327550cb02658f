import { TicketscanError } from '../../src/core/errors.ts';

/** Does something again while the store is busy, as its message says: on a loaded machine a statement waits longer than a store allows. */
export async function tryAgain<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof TicketscanError && error.code === 'store_busy')) throw error;
    }
  }
}
