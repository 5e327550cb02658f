import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { UNUSED } from '../../src/core/ticket.ts';
import { newTicket } from '../../src/core/ticket-changes.ts';
import { inIndexOrder, storeImported } from '../../src/tickets/making/import-tickets.ts';

function ticketsOf(eventId: string, count: number) {
  return Array.from({ length: count }, (_, line) => {
    const made = newTicket({ eventId, kind: 'single' }, 0, randomBytes);
    return { line, ticket: { ...made, ...UNUSED }, eventName: '' };
  });
}

function numbered(numbers: readonly number[]) {
  return numbers.map((number) => {
    const id = `tkt_pool01_${String(number).padStart(20, '0')}`;
    return { ticket: { id, eventId: 'pool01' } };
  });
}

const idOf = ({ ticket }: { readonly ticket: { readonly id: string } }) => ticket.id;

test('few random tickets of several events come in the order of their ids, each once', () => {
  const tickets = [...ticketsOf('summer', 40), ...ticketsOf('pool01', 40)].sort(
    (a, b) => a.line - b.line,
  );
  expect(inIndexOrder(tickets).map(idOf)).toEqual(tickets.map(idOf).sort());
});

test('ids that were counted, of several lengths, alone or missing are in order as well', () => {
  expect(inIndexOrder(numbered([700, 3, 41, 99999])).map(idOf)).toEqual(
    numbered([3, 41, 700, 99999]).map(idOf),
  );
  const [short, long] = ['tkt_pool01_01234567890123456789', 'tkt_pool01_01234567890123456789a'];
  const two = [long, short].map((id) => ({ ticket: { id: String(id), eventId: 'pool01' } }));
  expect(inIndexOrder(two).map(idOf)).toEqual([short, long]);
  expect(inIndexOrder(two.slice(0, 1)).map(idOf)).toEqual([long]);
  expect(inIndexOrder([])).toEqual([]);
});

test('an import stores neighbours of the index together', async () => {
  const records = ticketsOf('pool01', 3000);
  const stored: string[][] = [];
  const done = await storeImported(records, 'bat_0123456789', async (tickets) => {
    stored.push(tickets.map(({ id }) => id));
    return { existing: 1, known: 2 };
  });
  expect(done).toEqual({ imported: 2991, existing: 3, known: 6, batch: 'bat_0123456789' });
  expect(stored.map(({ length }) => length)).toEqual([1000, 1000, 1000]);
  expect(stored.flatMap((ids) => ids.sort())).toEqual(records.map(idOf).sort());
});
