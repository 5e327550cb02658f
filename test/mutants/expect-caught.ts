import { describe, expect, test } from 'vitest';
import { checkAll } from './check-all.ts';
import type { Twin } from './twins/twin.ts';

/** One test for each twin: the checker must fail it, by the cases that it names and in its section. */
export function expectEveryTwinCaught(twins: readonly Twin[]): void {
  const results = checkAll(twins);
  describe('the checker fails a server that', { timeout: 120_000 }, () => {
    for (const twin of twins) {
      test(`${twin.fault} (${twin.name})`, async () => {
        const result = await results.get(twin);
        const failed = result?.cases.filter(({ outcome }) => outcome === 'failed') ?? [];
        expect(failed.map(({ id }) => id)).toEqual(expect.arrayContaining([...twin.caughtBy]));
        expect(failed.map(({ section }) => section)).toContain(twin.section);
        expect(result?.verdict).toBe('deviates');
      });
    }
  });
}
