import { AsyncLocalStorage } from 'node:async_hooks';
import { Mutex } from '../../src/kit/mutex.ts';
import { SqliteEngine } from '../../src/stores/sqlite/sqlite-engine.ts';
import type { Store } from '../../src/stores/store.ts';

/** Stores on one file take turns: one that waits for the lock of another would keep their one thread from ever giving it back. */
const turns = new Map<string, Mutex>();
const hasTurn = new AsyncLocalStorage<true>();

/** The SQLite store without its thread: a mutant lives in one thread only. Stands in for `sqlite-store` in `npm run mutants`. */
export async function openSqliteStore(path: string): Promise<Store> {
  const engine = new SqliteEngine(path);
  const turn = turns.get(path) ?? new Mutex();
  turns.set(path, turn);
  // Closed for good, and once: nothing is flushed behind it.
  let closing: Promise<void> | undefined;
  return new Proxy(engine, {
    get(_, name: keyof SqliteEngine) {
      if (name === 'close') return () => (closing ??= engine.close());
      const method = engine[name] as unknown;
      if (typeof method !== 'function') return method;
      return (...args: unknown[]) => {
        const work = async () => {
          const result: unknown = await method.apply(engine, args);
          await engine.flushIfDue();
          return structuredClone(result);
        };
        return hasTurn.getStore() ? work() : turn.run(() => hasTurn.run(true, work));
      };
    },
  });
}
