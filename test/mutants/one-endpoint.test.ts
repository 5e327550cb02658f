import { describe, expect, test } from 'vitest';
import { check } from '../../src/check/index.ts';
import { startServer } from './reference/server.ts';
import { ONE_ENDPOINT_TWINS } from './twins/one-endpoint.ts';

/** A target of bare codes says nothing about the tickets, like one that `seed` writes. */
const bare = (tickets: Readonly<Record<string, readonly unknown[]>>) =>
  Object.fromEntries(
    Object.entries(tickets).map(([kind, list]) => [
      kind,
      list.map((ticket) =>
        typeof ticket === 'string' ? ticket : (ticket as { code: string }).code,
      ),
    ]),
  );

describe('the checker fails a server that', { timeout: 60_000 }, () => {
  for (const { name, endpoint, fault, caughtBy, alter } of ONE_ENDPOINT_TWINS) {
    test(`${fault}, on ${endpoint} only (${name})`, async () => {
      const server = await startServer({ alter, only: endpoint });
      const { baseUrl, target } = server;
      const asWritten = { keys: target.keys, tickets: bare(target.tickets) };
      const only = caughtBy === undefined ? [] : [caughtBy];
      const result = await check({
        baseUrl,
        target: asWritten,
        consume: true,
        maxRate: 5000,
        only,
      });
      await server.close();

      if (caughtBy === undefined) {
        expect(result.verdict).toBe('conforms');
        return;
      }
      expect(result.verdict).toBe('deviates');
      const one = result.cases.find(({ id }) => id === caughtBy);
      expect(one).toMatchObject({ outcome: 'failed', failedEndpoints: [endpoint] });
    });
  }
});
