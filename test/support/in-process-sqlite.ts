import { SqliteEngine } from '../../src/service/stores/sqlite/sqlite-engine.ts';
import type { Store } from '../../src/service/stores/store.ts';

/** The SQLite store without its thread: a mutant lives in one thread only. Stands in for `sqlite-store` in `npm run mutants`. */
export async function openSqliteStore(path: string): Promise<Store> {
  const engine = new SqliteEngine(path);
  // Closed for good, and once: nothing is folded behind it.
  let closing: Promise<void> | undefined;
  return new Proxy(engine, {
    get(_, name: keyof SqliteEngine) {
      if (name === 'close') return () => (closing ??= engine.close());
      const method = engine[name] as unknown;
      if (typeof method !== 'function') return method;
      return async (...args: unknown[]) => {
        const result: unknown = await method.apply(engine, args);
        await engine.foldIfDue();
        return structuredClone(result);
      };
    },
  });
}
