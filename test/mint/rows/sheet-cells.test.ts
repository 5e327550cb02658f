import { expect, test } from 'vitest';
import type { ReadOptions } from '../../../src/tickets/lists/read-list.ts';
import { readSpecList, readTicketList } from '../../../src/tickets/lists/ticket-list.ts';
import { readWorksheet } from '../../../src/tickets/lists/worksheet.ts';
import { merged, type SheetOf, workbookOf } from '../../support/workbooks.ts';
import { DEFAULTS } from './support/defaults.ts';

function sourceOf(text: string) {
  async function* chunks() {
    yield Buffer.from(text);
  }
  return { name: 'guests.xlsx', lineBytesMax: 64 * 1024, linesMax: 1000, chunks: chunks() };
}

/** What is refused of a sheet whose cells are merged, and how many tickets are read. */
async function readMerged(sheet: SheetOf, options: Partial<ReadOptions> = {}) {
  const { csv } = await readWorksheet({ bytes: workbookOf([{ name: 'Gäste!', ...sheet }]) });
  const { items, issues } = await readSpecList(sourceOf(csv), {
    defaults: DEFAULTS,
    event: { id: 'ev1234', name: 'Freibad Süd' },
    format: 'csv',
    ignored: [],
    ...options,
  });
  const refused = issues.map(({ line, column, reason, values }) => [
    line,
    column,
    reason === 'row_merged' ? `${values?.['worksheet']} ${values?.['cells']}` : reason,
  ]);
  return { refused, tickets: items.length };
}

const HEAD = ['Vorname', 'Nachname', 'Gültig bis'];
const GUESTS = [HEAD, ['Ann', 'Bell', '2027-12-31'], ['Bob', 'Cole', null], ['Eve', 'Dunn', null]];

test.each([
  ['over two rows', ['C2:C3'], [[3, 'validUntil', 'Gäste! C2:C3']]],
  ['with absolute places', ['$C$2:$C$3'], [[3, 'validUntil', 'Gäste! C2:C3']]],
  [
    'over two columns of a row',
    ['A2:B2', 'A4:B4'],
    [
      [2, 'lastName', 'Gäste! A2:B2'],
      [4, 'lastName', 'Gäste! A4:B4'],
    ],
  ],
  [
    'over rows and columns',
    ['B3:C4'],
    [
      [3, 'validUntil', 'Gäste! B3:C4'],
      [4, 'lastName', 'Gäste! B3:C4'],
    ],
  ],
  ['from the headings down', ['C1:C2'], [[2, 'validUntil', 'Gäste! C1:C2']]],
  ['further than the sheet has rows', ['C3:C1048576'], [[4, 'validUntil', 'Gäste! C3:C1048576']]],
])('merged cells %s are refused where they cover a cell that is read', async (_, cells, rows) => {
  for (const prefix of ['', 'x:']) {
    const { refused } = await readMerged({ rows: GUESTS, after: merged(cells, prefix) });
    expect(refused).toEqual(rows);
  }
});

test('the last row of a list is named as merged too, not as a note below the list', async () => {
  const rows = [
    HEAD,
    ['Ann', 'Bell', '2027-12-31'],
    ['Cy', 'Low', '2027-12-31'],
    ['Bob', null, null],
  ];
  const { refused } = await readMerged({ rows, after: merged(['B3:C4']) });
  expect(refused).toContainEqual([4, 'lastName', 'Gäste! B3:C4']);
});

test('merged cells hide nothing where their column is not read, or their row is a title, a note or part of the headings', async () => {
  const order = [
    ['Vorname', 'Tisch'],
    ['Ann', '7'],
    ['Bob', null],
  ];
  const after = merged(['B2:B3']);
  expect(await readMerged({ rows: order, after }, { ignored: ['Tisch'] })).toEqual({
    refused: [],
    tickets: 2,
  });
  const kept = await readMerged({ rows: order, after }, { kept: ['Tisch'] });
  expect(kept.refused).toEqual([[3, null, 'Gäste! B2:B3']]);
  const titled = { rows: [['Gäste im Juli'], ...GUESTS], after: merged(['A1:C1']) };
  expect(await readMerged(titled)).toEqual({ refused: [], tickets: 3 });
  const high = [HEAD, [], ...GUESTS.slice(1)];
  const tall = merged(['A1:A2', 'B1:B2', 'C1:C2']);
  expect(await readMerged({ rows: high, after: tall })).toEqual({ refused: [], tickets: 3 });
  const note = { rows: [...GUESTS, ['Stand: heute']], after: merged(['A5:C5']) };
  expect((await readMerged(note)).refused).toEqual([[5, null, 'row_odd']]);
});

test('an export with merged cells is refused like a list of people', async () => {
  const rows = [
    ['ticketId', 'validUntil'],
    ['tkt_ev123456_aaaaaaaaaaaaaaaaaaaa', '2027-12-31'],
    ['tkt_ev123456_bbbbbbbbbbbbbbbbbbbb', null],
  ];
  const { csv } = await readWorksheet({ bytes: workbookOf([{ rows, after: merged(['B2:B3']) }]) });
  const reading = { format: 'csv', ignored: [], timeZone: 'UTC', now: Date.UTC(2026, 0) } as const;
  const { issues } = await readTicketList(sourceOf(csv), reading);
  expect(issues).toMatchObject([{ line: 3, column: 'validUntil', reason: 'row_merged' }]);
});

test('rows that a filter hid are read, and counted; sheets that are shown beside it are named', async () => {
  const bytes = workbookOf([
    { name: 'Prices', state: 'hidden', rows: [['Vorname'], ['Nobody']] },
    { name: 'Gäste', rows: [['Titel'], [], ...GUESTS], hidden: [1, 3, 4, 6, 7] },
    { name: 'Helfer', rows: [['Vorname'], ['Bob']] },
  ]);
  const { hiddenRows, otherWorksheets } = await readWorksheet({ bytes });
  expect({ hiddenRows, otherWorksheets }).toEqual({ hiddenRows: 2, otherWorksheets: ['Helfer'] });
});

test('who reads a list hears of hidden rows and of other sheets, unless the sheet was named', async () => {
  const bytes = workbookOf([
    { name: 'Gäste', rows: GUESTS, hidden: [3] },
    { name: 'Helfer', rows: [['Vorname'], ['Bob']] },
  ]);
  async function* chunks() {
    yield bytes;
  }
  const notesOf = async (worksheet?: string) => {
    const source = { ...sourceOf(''), chunks: chunks() };
    const event = { id: 'ev1234', name: 'Freibad Süd' };
    const options = { defaults: DEFAULTS, event, format: 'csv', ignored: [], worksheet } as const;
    return (await readSpecList(source, options)).notes;
  };
  const hidden = '1 row is hidden in the sheet "Gäste" and read too.';
  expect(await notesOf()).toEqual([
    'The sheet "Gäste" is read. The workbook also has "Helfer": --worksheet NAME.',
    hidden,
  ]);
  expect(await notesOf('Gäste')).toEqual([hidden]);
});

/** Every way in which a sheet keeps a part of a list from a person's eyes: how many rows, and which columns. */
const HIDING: readonly (readonly [string, Partial<SheetOf>, number, readonly string[]])[] = [
  ['a row that is hidden', { hidden: [3] }, 1, []],
  ['a row without height', { rowAttributes: { 3: ' ht="0" customHeight="1"' } }, 1, []],
  ['a row of height 0.0', { rowAttributes: { 3: " ht='0.0'" } }, 1, []],
  [
    'a group of rows that is closed',
    { rowAttributes: { 2: ' outlineLevel="1" hidden="true"', 4: ' collapsed="1"' } },
    1,
    [],
  ],
  ['a row of a small height', { rowAttributes: { 3: ' ht="0.5" customHeight="1"' } }, 0, []],
  [
    'a column that is hidden',
    { before: '<cols><col min="2" max="2" width="11" hidden="1"/></cols>' },
    0,
    ['Gültig bis'],
  ],
  [
    'columns without width, also behind the last heading',
    { before: '<x:cols><x:col max="9" min="2" width="0" customWidth="1"/></x:cols>' },
    0,
    ['Gültig bis', 'Order'],
  ],
  [
    'a group of columns that is closed',
    { before: '<cols><col min="3" max="3" outlineLevel="1" hidden="true"/></cols>' },
    0,
    ['Order'],
  ],
  [
    'columns that have no width unless they say so',
    {
      before:
        '<sheetFormatPr defaultColWidth="0" defaultRowHeight="15"/><cols><col min="1" max="2" width="9"/></cols>',
    },
    0,
    ['Order'],
  ],
  ['columns of small widths', { before: '<cols><col min="1" max="3" width="0.7"/></cols>' }, 0, []],
];

test.each(HIDING)('%s: it is read, and told', async (_, sheet, hiddenRows, hiddenColumns) => {
  const rows = [
    ['Vorname', 'Gültig bis', 'Order'],
    ['Ada', '2027-12-31', 'A1'],
    ['Bob', '2027-12-31', 'A2'],
  ];
  const read = await readWorksheet({ bytes: workbookOf([{ rows, ...sheet }]) });
  expect(read).toMatchObject({ hiddenRows, hiddenColumns });
  expect(read.csv).toBe(
    '"Vorname","Gültig bis","Order"\n"Ada","2027-12-31","A1"\n"Bob","2027-12-31","A2"\n',
  );
});

test('who reads a list hears of hidden columns, unless they are left out', async () => {
  async function* chunks() {
    yield workbookOf([
      {
        name: 'Gäste',
        rows: [
          ['Vorname', 'Gültig bis', 'Sum'],
          ['Ada', '2027-12-31', '3'],
        ],
        before: '<cols><col min="2" max="3" hidden="1"/></cols>',
      },
    ]);
  }
  const event = { id: 'ev1234', name: 'Freibad Süd' };
  const options = { defaults: DEFAULTS, event, format: 'csv', ignored: ['Sum'] } as const;
  expect((await readSpecList({ ...sourceOf(''), chunks: chunks() }, options)).notes).toEqual([
    'The column "Gültig bis" is hidden in the sheet "Gäste" and read too.',
  ]);
});
