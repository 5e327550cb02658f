import { expect, test } from 'vitest';
import { readTicketList } from '../../../src/tickets/lists/ticket-list.ts';
import { holders, read, reasons } from './support/read-lists.ts';

const THOUSANDS = [
  '1.000',
  '1,000',
  '1 000',
  "1'000",
  '1’000',
  '1\u00a0000',
  '1\u202f000',
  '2.500',
];

const quantityList = (text: string) => `Vorname;Menge\nAda;1\nBob;"${text}"\n`;

function consumedList(text: string): string {
  return `ticketId;type;uses;usesConsumed\ntkt_ev1234_abcdefghijk;permanent;;"${text}"\n`;
}

async function consumedReasons(text: string): Promise<(string | null)[]> {
  async function* chunks() {
    yield Buffer.from(consumedList(text));
  }
  const source = { name: 'the list', lineBytesMax: 4096, linesMax: 100, chunks: chunks() };
  const { issues } = await readTicketList(source, {
    format: 'csv',
    ignored: [],
    timeZone: 'UTC',
    now: Date.UTC(2027, 0, 1),
  });
  return issues.flatMap(({ column }) => (column === 'usesConsumed' ? [column] : []));
}

test.each(THOUSANDS)('%s is no number of tickets or uses: it may be a thousand', async (text) => {
  const { issues } = await read(quantityList(text), { quantity: 'Menge' });
  expect(issues).toHaveLength(1);
  expect(issues[0]?.message).toContain('1000 for a thousand, 1 for one');
  expect(await reasons(`Vorname;Uses;Type\nAda;"${text}";multi\n`)).toEqual(['uses_number uses']);
  expect(await consumedReasons(text)).toEqual(['usesConsumed']);
});

test.each(['2', '2.0', '2,0', '2.00'])('%s is two', async (text) => {
  expect(await holders(quantityList(text), { quantity: 'Menge' })).toEqual(['Ada', 'Bob', 'Bob']);
  expect(await consumedReasons(text)).toEqual([]);
});
