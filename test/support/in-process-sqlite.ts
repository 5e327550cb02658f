import { openEngine } from '../../src/stores/sqlite/sqlite-engine.ts';
import type { Store } from '../../src/stores/store.ts';

/** The SQLite store without its thread: a mutant lives in one thread only. Stands in for `sqlite-store` in `npm run mutants`. */
export async function openSqliteStore(path: string): Promise<Store> {
  const { foldIfDue, ...engine } = openEngine(path);
  const methods = Object.entries(engine).map(([name, run]) => [
    name,
    async (...args: unknown[]) => {
      const result = (run as (...args: unknown[]) => unknown)(...args);
      foldIfDue();
      return structuredClone(result);
    },
  ]);
  // Closed for good, and once: nothing is folded behind it.
  let closing: Promise<void> | undefined;
  const close = async () => engine.close();
  methods.push(['close', () => (closing ??= close())]);
  return Object.fromEntries(methods) as Store;
}
