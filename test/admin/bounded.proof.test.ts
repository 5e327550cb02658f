import { expect, test } from 'vitest';
import type { Store } from '../../src/stores/store.ts';
import { PATIENTLY } from '../support/patience.ts';
import { TestService } from '../support/service.ts';
import { AdminClient, idOf } from './support/client.ts';
import { fillLog } from './support/fill-log.ts';
import { LOGO } from './support/logo.ts';

/** What one answer may look at, whatever the store holds. */
const LOG_ENTRIES_MAX = 150_000;
const TICKETS_MAX = 20_000;
const DAY_MS = 24 * 60 * 60_000;

/** Notes how far each call may look. Calls that are not bounded count as endless. */
function watch(store: Store): { entries: number; tickets: number } {
  const seen = { entries: 0, tickets: 0 };
  const { searchLog, countOutcomes, searchTickets } = store;
  const endless = async (): Promise<never> => {
    throw new Error('an endless read');
  };
  Object.assign(store, {
    searchLog: (search: Parameters<Store['searchLog']>[0]) => {
      seen.entries += search.searchMax;
      return searchLog.call(store, search);
    },
    countOutcomes: (after: number, searchMax: number) => {
      seen.entries += searchMax;
      return countOutcomes.call(store, after, searchMax);
    },
    searchTickets: (search: Parameters<Store['searchTickets']>[0]) => {
      seen.tickets += search.searchMax;
      return searchTickets.call(store, search);
    },
    readLog: endless,
    listTickets: endless,
  });
  return seen;
}

test('no list looks at more than a fixed part of the log or of the tickets', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const owner = await AdminClient.signedIn(service);
  await fillLog(service, 250_000);
  const seen = watch(service.store);
  const lists = service.routes
    .filter((route) => route.startsWith('GET /admin/v1/'))
    .map((route) => route.replace('GET /admin/v1', ''))
    .filter((path) => !/:id|:hash|export|live|^\/guests|^\/site\//.test(path));
  const log = ['ticket=tkt_none', 'outcome=expired', 'from=2020-01-01T00:00:00Z', 'after=0&key=no'];
  const all = [
    ...lists,
    ...log.map((query) => `/log?${query}`),
    '/tickets?search=none',
    '/guests?search=none',
  ];

  // Statistics go on counting after their first answer; the others are looked at when that is done.
  expect((await owner.get('/statistics')).json.complete).toBe(false);
  expect(seen.entries).toBeLessThanOrEqual(LOG_ENTRIES_MAX);
  const isComplete = async () => (await owner.get('/statistics')).json.complete;
  await expect.poll(isComplete, PATIENTLY).toBe(true);

  await owner.patch('/organisation/sheets', { logo: LOGO });
  for (const path of all) {
    Object.assign(seen, { entries: 0, tickets: 0 });
    const answer = await owner.get(path);
    expect(answer.status, path).toBe(200);
    expect(seen.entries, path).toBeLessThanOrEqual(LOG_ENTRIES_MAX);
    expect(seen.tickets, path).toBeLessThanOrEqual(TICKETS_MAX);
  }
  expect(all.length).toBeGreaterThan(15);
});

test('a search goes on where it stopped, and one by time looks where that time was written', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const owner = await AdminClient.signedIn(service);
  const code = await service.mint();
  await service.rest('consume', code);
  const start = service.clock.now();
  await fillLog(service, 150_000);
  await fillLog(service, 3, { now: start + DAY_MS });
  await fillLog(service, 150_000, { now: start + 2 * DAY_MS });
  const time = (ms: number) => encodeURIComponent(new Date(ms).toISOString());
  const range = `from=${time(start + DAY_MS - 1)}&until=${time(start + DAY_MS + 1)}`;

  const newestFirst = (await owner.get(`/log?${range}`)).json;
  const oldestFirst = (await owner.get(`/log?${range}&after=0`)).json;
  for (const { items, next } of [newestFirst, oldestFirst]) {
    expect(items).toHaveLength(3);
    expect(next).toBeNull();
  }
  expect(newestFirst.items[0].sequence).toBe(oldestFirst.items[2].sequence);

  const log = `/log?ticket=${idOf(code)}`;
  const first = (await owner.get(log)).json;
  expect(first.items).toEqual([]);
  expect(first.next).toBe(first.searchedBackTo);
  const found: unknown[] = [];
  for (let next: number | null = first.next; next !== null; ) {
    const page = (await owner.get(`${log}&before=${next}`)).json;
    found.push(...page.items);
    next = page.next;
  }
  expect(found).toHaveLength(1);
});
