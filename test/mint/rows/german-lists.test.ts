import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseHeadings } from '../../../src/features/tickets/commands/list-options.ts';
import type { Encoding } from '../../../src/tickets/lists/read-text.ts';
import { issueInWords } from '../../../src/tickets/lists/row-issues.ts';
import { readSpecList } from '../../../src/tickets/lists/ticket-list.ts';
import { DEFAULTS } from './support/defaults.ts';

const EXCEL = join(import.meta.dirname, 'fixtures', 'guests-german-excel.csv');

interface Reading {
  readonly encoding?: Encoding;
  readonly headings?: Readonly<Record<string, string>>;
  readonly event?: string;
}

async function read(
  source: string | readonly Uint8Array[],
  { encoding, headings, event = 'Freibad am See' }: Reading,
) {
  const bounds = { lineBytesMax: 1000, linesMax: 1000 };
  const given =
    typeof source === 'string' ? source : { ...bounds, name: 'the list', chunks: chunksOf(source) };
  return readSpecList(given, {
    format: 'csv',
    ignored: [],
    defaults: DEFAULTS,
    headings,
    encoding,
    event: { id: 'ev1234', name: event },
  });
}

async function* chunksOf(bytes: readonly Uint8Array[]): AsyncGenerator<Buffer> {
  for (const one of bytes) yield Buffer.from(one);
}

test.each(['latin1', 'auto'] as const)(
  'a list that a German Excel wrote is read as it is, with --encoding %s',
  async (encoding) => {
    const { items, issues } = await read(EXCEL, { encoding });

    expect(issues).toEqual([]);
    const iso = (time: number | null) => time && new Date(time).toISOString();
    expect(
      items.map(({ terms: one }) => [one.holder, one.usesAllowed, iso(one.validUntil)]),
    ).toEqual([
      [{ firstName: 'Jürgen', lastName: 'Groß' }, 1, '2027-09-30T21:59:59.999Z'],
      [{ firstName: 'Zoë', lastName: 'Müller; geb. Weiß' }, 10, '2027-09-30T12:00:00.000Z'],
      [{ firstName: 'Žofie', lastName: 'Öztürk' }, 9999, '2027-12-31T22:59:59.999Z'],
    ]);
    expect(iso(items[2]?.terms.validFrom ?? null)).toBe('2027-05-01T07:00:00.000Z');
  },
);

test('without an encoding such a list is refused by line, with the option that reads it', async () => {
  await expect(read(EXCEL, {})).rejects.toThrow(/Line 1 is not UTF-8\..*--encoding latin1/u);
});

test('bytes that Windows-1252 does not have are not said to be it', async () => {
  const utf16 = [Buffer.from('Vorname\nJörg\n', 'utf16le')];
  await expect(read(utf16, {})).rejects.not.toThrow('--encoding');
});

test('what is UTF-8 stays UTF-8 with auto, also when the first umlaut comes late', async () => {
  const rows = `Vorname\n${'Ada\n'.repeat(50)}`;
  const { items } = await read([Buffer.from(rows), Buffer.from('Jörg\n')], { encoding: 'auto' });
  expect(items.at(-1)?.terms.holder?.firstName).toBe('Jörg');
});

test('other headings are named with --columns, and one that is missing is told', async () => {
  const list = [Buffer.from('Gast;Ende\nÖztürk;30.09.2027\n')];
  const headings = parseHeadings('lastName=gast, validUntil = Ende', ['lastName', 'validUntil']);

  const { items, issues } = await read(list, { headings });
  const wrong = await read(list, { headings: { ...headings, firstName: 'Rufname' } });

  expect(issues).toEqual([]);
  expect(items[0]?.terms.holder).toEqual({ firstName: '', lastName: 'Öztürk' });
  expect(wrong.issues.map(issueInWords)).toEqual([
    'line 1, column Rufname: The file does not have this column. It has: Gast, Ende.',
  ]);
});

test.each(['Vorname', 'name=Vorname', 'firstName='])('--columns %s is refused', (text) => {
  expect(() => parseHeadings(text, ['firstName'])).toThrow('COLUMN=HEADING');
});

test('a row for another event is a fault', async () => {
  const { issues } = await read(EXCEL, { encoding: 'latin1', event: 'Hallenbad' });
  expect(issues.map(issueInWords)).toEqual([
    'line 2, column event: The row is for the event "Freibad am See", but the list is for "Hallenbad".',
    'line 3, column event: The row is for the event "Freibad am See", but the list is for "Hallenbad".',
  ]);
});
