import { test as base } from 'vitest';
import type { TicketscanService } from './controls.ts';
import { startTicketscan } from './start.ts';

interface Fixtures {
  /** As new for each test: tickets in every state, the clock at the present, no faults. */
  readonly service: TicketscanService;
  /** The same, one for a whole file and never reset; `service` builds on it. */
  readonly sharedService: TicketscanService;
}

/**
 * Vitest's `test` with a scan service:
 *
 * ```ts
 * import { test } from 'ticketscan/testing/vitest';
 * test('lets a guest in', async ({ service }) => { … });
 * ```
 */
export const test = base.extend<Fixtures>({
  sharedService: [
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are wanted
    async ({}, use) => {
      await using service = await startTicketscan({ seed: 'all-states' });
      await use(service);
    },
    { scope: 'file' },
  ],
  service: async ({ sharedService }, use) => {
    await sharedService.reset();
    await use(sharedService);
  },
});
