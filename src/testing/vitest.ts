import { test as base } from 'vitest';
import type { TicketscanService } from './controls.ts';
import { type StartOptions, startTicketscan } from './start.ts';

interface Fixtures {
  /** How the services start; replace it with `test.extend`. */
  readonly ticketscan: StartOptions;
  /** A service that is as new for each test: tickets in every state, the clock at the present, no faults. */
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
 *
 * With options for the service, the same for all tests that use it:
 *
 * ```ts
 * const varied = test.extend({ ticketscan: [{ vary: 7 }, { scope: 'file' }] });
 * ```
 */
export const test = base.extend<Fixtures>({
  ticketscan: [{}, { scope: 'file' }],
  sharedService: [
    async ({ ticketscan }, use) => {
      await using service = await startTicketscan({ seed: 'all-states', ...ticketscan });
      await use(service);
    },
    { scope: 'file' },
  ],
  service: async ({ sharedService }, use) => {
    await sharedService.reset();
    await use(sharedService);
  },
});
