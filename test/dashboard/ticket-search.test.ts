import { expect, test } from 'vitest';
import type { Ticket } from '../../src/dashboard/api/http.ts';
import { type FoundTickets, inOrder, searchOn } from '../../src/dashboard/api/ticket-search.ts';

const MADE = Array.from({ length: 100 }, (_, index) => ticketOf({ ticketId: `t${index}` }));

function ticketOf(values: Partial<Ticket>): Ticket {
  const none = { holder: null, validUntil: null, lastConsumedAt: null };
  return { ...none, ...values } as Ticket;
}

/** A server that looks at 10 tickets in an answer and finds each that `isFound`. */
function serverOf(isFound: (index: number) => boolean) {
  const asked: (string | number | undefined)[] = [];
  const ask = async (input: Record<string, string | number | undefined>): Promise<FoundTickets> => {
    const start = Number(input['after'] ?? 0);
    asked.push(input['after']);
    const items = MADE.slice(start, start + 10).filter((_, index) => isFound(start + index));
    const end = start + 10;
    return { items, next: end < MADE.length ? String(end) : null, searched: end / MADE.length };
  };
  return { asked, ask };
}

const WANTED = { filter: {}, order: 'newest', after: undefined, count: 50 } as const;

test('a search goes on by itself over answers that find nothing, and tells how far it is', async () => {
  const { asked, ask } = serverOf((index) => index === 77);
  const told: number[] = [];
  const found = await searchOn(WANTED, {
    ask,
    goesOn: ({ searched }) => told.push(searched) > 0,
  });
  expect(found.items.map(({ ticketId }) => ticketId)).toEqual(['t77']);
  expect(found).toMatchObject({ next: null, searched: 1 });
  expect(asked).toHaveLength(10);
  expect(told).toEqual([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]);
});

test('a search ends when it has a page, and where it goes on is known', async () => {
  const found = await searchOn(
    { ...WANTED, count: 25 },
    { ask: serverOf(() => true).ask, goesOn: () => true },
  );
  expect(found.items).toHaveLength(30);
  expect(found.next).toBe('30');
});

test('a search that is stopped keeps what it found, and says where to go on', async () => {
  const { asked, ask } = serverOf((index) => index % 10 === 0);
  const found = await searchOn(WANTED, { ask, goesOn: ({ items }) => items.length < 3 });
  expect(found).toMatchObject({ next: '30', searched: 0.3 });
  expect(found.items).toHaveLength(3);
  const rest = await searchOn({ ...WANTED, after: '30' }, { ask, goesOn: () => true });
  expect(rest.items).toHaveLength(7);
  expect(asked[3]).toBe('30');
});

test('tickets are sorted by name, end and last use, those without one last', () => {
  const holder = (firstName: string, lastName: string) => ({ holder: { firstName, lastName } });
  const rows = [
    ticketOf({ ticketId: 'none' }),
    ticketOf({ ticketId: 'zoe', ...holder('Zoe', 'Ärmel'), validUntil: '2026-12-01T00:00:00Z' }),
    ticketOf({ ticketId: 'ada', ...holder('Ada', 'Byron'), validUntil: '2026-11-01T00:00:00Z' }),
    ticketOf({ ticketId: 'ann', ...holder('Ann', 'arm'), lastConsumedAt: '2026-11-02T00:00:00Z' }),
    ticketOf({ ticketId: 'bob', ...holder('Bob', ''), lastConsumedAt: '2026-11-03T00:00:00Z' }),
  ];
  const ids = (order: Parameters<typeof inOrder>[1]) =>
    inOrder(rows, order).map(({ ticketId }) => ticketId);
  expect(ids('name')).toEqual(['ann', 'zoe', 'bob', 'ada', 'none']);
  expect(ids('end')).toEqual(['ada', 'zoe', 'none', 'ann', 'bob']);
  expect(ids('lastUse')).toEqual(['bob', 'ann', 'none', 'zoe', 'ada']);
  expect(ids('newest')).toEqual(rows.map(({ ticketId }) => ticketId));
});
