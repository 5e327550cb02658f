import { expect, test, vi } from 'vitest';
import { TestService } from '../support/service.ts';
import { AdminClient } from './support/client.ts';

const LOOK_UPS = ['findTicket', 'findTickets', 'insertTickets'] as const;

/** How often each of these methods of the store is called from now on. */
function countCalls({ store }: TestService): () => Record<string, number> {
  const spies = LOOK_UPS.map((method) => [method, vi.spyOn(store, method)] as const);
  const lists = vi.spyOn(store, 'list');
  return () => ({
    ...Object.fromEntries(spies.map(([method, spy]) => [method, spy.mock.calls.length])),
    events: lists.mock.calls.filter(([kind]) => kind === 'event').length,
  });
}

const list = (event: string, count: number) =>
  Array.from(
    { length: count },
    (_, index) => `{"ticketId":"tkt_${event}_${String(index).padStart(20, '0')}"}\n`,
  ).join('');

const LINES = { 'content-type': 'application/x-ndjson' };

test('500 tickets that are cancelled at once are looked up at once', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const owner = await AdminClient.signedIn(service);
  const event = service.seeded.events.main;
  const made = await owner.post('/tickets', { event, type: 'single', count: 500 });
  const ids = made.json.items.map(({ ticketId }: { ticketId: string }) => ticketId);
  const calls = countCalls(service);

  const { status, json } = await owner.post('/tickets/cancel', { ids });

  expect(status).toBe(200);
  expect(json.items.map(({ ticketId }: { ticketId: string }) => ticketId)).toEqual(ids);
  // Before the change, and as they are after it.
  expect(calls()).toMatchObject({ findTicket: 0, findTickets: 2, events: 1 });
});

test('a ticket that is missing among many is named, and none is cancelled', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const owner = await AdminClient.signedIn(service);
  const event = service.seeded.events.main;
  const made = await owner.post('/tickets', { event, type: 'single', count: 2 });
  const [first, last] = made.json.items.map(({ ticketId }: { ticketId: string }) => ticketId);
  const ids = [first, 'tkt_none', last, 'tkt_nor_this'];

  const { status, json } = await owner.post('/tickets/cancel', { ids });

  expect([status, json.message]).toEqual([404, 'Unknown ticket tkt_none.']);
  expect((await owner.get(`/tickets/${first}`)).json.state).toBe('valid');
});

test.each([
  ['the tickets that are there are faults', '', { findTickets: 11, insertTickets: 11 }],
  ['they are skipped', '&skipExisting=true', { findTickets: 0, insertTickets: 11 }],
])('an import asks the store once for many tickets when %s', async (_, option, expected) => {
  await using service = await TestService.start({ store: 'memory' });
  const owner = await AdminClient.signedIn(service);
  const calls = countCalls(service);

  const body = list(service.seeded.events.main, 11_000);
  const path = `/tickets/import?format=jsonl${option}`;
  const { json } = await owner.request('POST', path, body, LINES);

  const batch = expect.stringMatching(/^bat_/);
  expect(json).toEqual({ imported: 11_000, existing: 0, batch });
  expect(calls()).toEqual({ findTicket: 0, events: 1, ...expected });
});

test('tickets that are there are faults by line, or are counted and left alone', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const owner = await AdminClient.signedIn(service);
  const event = service.seeded.events.main;
  const send = (path: string, count: number) =>
    owner.request('POST', `/tickets/import?format=jsonl${path}`, list(event, count), LINES);
  await send('', 2);

  const refused = await send('', 3);
  const skipped = await send('&skipExisting=true', 3);
  const again = await send('&skipExisting=true', 3);

  const message =
    'This ticket already exists. It stays as it is when existing tickets are skipped.';
  expect([refused.status, refused.json]).toEqual([
    422,
    {
      message: 'Nothing was stored: 2 issues in the list.',
      code: 'list_refused',
      faults: [
        {
          ...{ line: 1, lines: [1, 2], count: 2 },
          ...{ column: 'ticketId', message, code: 'row_existing' },
        },
      ],
    },
  ]);
  const batch = expect.stringMatching(/^bat_/);
  expect(skipped.json).toEqual({ imported: 1, existing: 2, batch });
  expect(again.json).toEqual({ imported: 0, existing: 3 });
  const trail = await service.store.readAuditLog({ limit: 2 });
  expect(trail.map(({ act, details }) => [act, details['count']])).toEqual([
    ['ticket.import', 1],
    ['ticket.import', 2],
  ]);
});

test('a list that is imported twice at the same time is there once, with every ticket counted once', async () => {
  await using service = await TestService.start();
  const owner = await AdminClient.signedIn(service);
  const body = list(service.seeded.events.main, 6000);
  const path = '/tickets/import?format=jsonl&skipExisting=true';

  const answers = await Promise.all(
    [1, 2].map(() => owner.request('POST', path, body, LINES).then(({ json }) => json)),
  );

  const sum = (name: string) => answers.reduce((all, one) => all + one[name], 0);
  expect([sum('imported'), sum('existing')]).toEqual([6000, 6000]);
});
