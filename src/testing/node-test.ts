import { after, beforeEach } from 'node:test';
import type { TicketscanService } from './controls.ts';
import { type StartOptions, startTicketscan } from './start.ts';

/**
 * Starts a service for `node:test` that is as new before each test of the file and ends after the last.
 *
 * ```ts
 * const service = await useTicketscan();
 * test('lets a guest in', async () => { … });
 * ```
 */
export async function useTicketscan(
  options: StartOptions = { seed: 'all-states' },
): Promise<TicketscanService> {
  const service = await startTicketscan(options);
  beforeEach(() => service.reset());
  after(() => service.close());
  return service;
}
