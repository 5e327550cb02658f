import { zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import type { ReadOptions } from '../../../src/tickets/lists/read-list.ts';
import { readSpecList } from '../../../src/tickets/lists/ticket-list.ts';
import { UNPACKED_BYTES_MAX } from '../../../src/tickets/lists/workbook-bounds.ts';
import { readWorksheet } from '../../../src/tickets/lists/worksheet.ts';
import {
  day,
  formula,
  moment,
  number,
  type SheetOf,
  workbookOf,
  workbookParts,
} from '../../support/workbooks.ts';
import { DEFAULTS } from './support/defaults.ts';

async function* chunksOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000);
}

/** The list as a command and a server read it, but without a thread, which takes longer to start than the sheet to read. */
async function read(bytes: Buffer, options: Partial<ReadOptions> = {}) {
  const { worksheet, ...others } = options;
  const { csv } = await readWorksheet({ bytes, worksheet });
  return readInThread(Buffer.from(`\ufeff${csv}`), others);
}

/** The list as a command and a server read it. */
function readInThread(
  bytes: Buffer,
  options: Partial<ReadOptions> = {},
  timeZone = 'Europe/Berlin',
) {
  const source = {
    name: 'guests.xlsx',
    lineBytesMax: 64 * 1024,
    linesMax: 1000,
    chunks: chunksOf(bytes),
  };
  return readSpecList(source, {
    defaults: { ...DEFAULTS, timeZone },
    event: { id: 'ev1234', name: 'Freibad Süd' },
    format: 'csv',
    ignored: [],
    ...options,
  });
}

/** A cell whose formula could not be calculated. */
const FAILED = { xml: '<f>A1+#REF!</f><v>#REF!</v>', attributes: ' t="e"' };

const rowsOf = async (rows: SheetOf['rows'], properties?: string) =>
  (await readWorksheet({ bytes: workbookOf([{ rows }], properties) })).csv;

test('a sheet is read as a list: names, days and times in the zone of the list, and numbers without loss', async () => {
  const bytes = workbookOf([
    {
      rows: [
        ['Vorname', 'Nachname', 'Gültig ab', 'Gültig bis', 'Order'],
        ['Jörg', 'O"Brien, Sen.', day('46204'), moment('46295.75'), number('12345678901234567890')],
        [],
        ['Zoë', formula('A2', 'Łukasz'), null, null, number('1.2345678901234E+13')],
      ],
    },
  ]);
  const { items, issues } = await readInThread(bytes, { kept: ['Order'] });
  expect(issues).toEqual([]);
  const found = items.map(({ terms, kept }) => ({
    name: `${terms.holder?.firstName} ${terms.holder?.lastName}`,
    from: terms.validFrom && new Date(terms.validFrom).toISOString(),
    until: terms.validUntil && new Date(terms.validUntil).toISOString(),
    kept,
  }));
  expect(found).toEqual([
    {
      name: 'Jörg O"Brien, Sen.',
      from: '2026-06-30T22:00:00.000Z',
      until: '2026-09-30T16:00:00.000Z',
      kept: ['12345678901234567890'],
    },
    { name: 'Zoë Łukasz', from: null, until: null, kept: ['12345678901234'] },
  ]);
});

test('a row that is wrong is named by its row in the sheet', async () => {
  const bytes = workbookOf([
    { rows: [['Guests of\nJuly'], [], ['First\nname', 'Uses'], [], ['Ada', 'seven']] },
  ]);
  const { issues } = await read(bytes);
  expect(issues.map(({ line, column }) => [line, column])).toEqual([[5, 'uses']]);
});

test('a formula that failed is no empty cell: its row is refused where the column is read', async () => {
  const bytes = workbookOf([
    {
      rows: [
        ['Name', 'Gültig bis', 'Sum'],
        ['Ada', FAILED, FAILED],
      ],
    },
  ]);
  const { issues } = await read(bytes, { ignored: ['Sum'] });
  expect(issues.map(({ line, column }) => [line, column])).toEqual([[2, 'validUntil']]);
  expect((await read(bytes, { ignored: ['Sum', 'Gültig bis'] })).items).toHaveLength(1);
});

describe('what a sheet holds', () => {
  test.each([
    ['a day', day('46204'), '2026-07-01'],
    ['a time that no fraction says exactly', moment('46204.041666666664'), '2026-07-01T01:00:00'],
    ['a number of many digits', number('00123456789012345678'), '00123456789012345678'],
    ['a number with an exponent', number('1.5E+3'), '1500'],
    ['what a binary fraction adds', number('0.30000000000000004'), '0.3'],
    ['a formula', formula('B1', 'Ada'), 'Ada'],
    ['a text that looks like a formula', '=1+1', '=1+1'],
    ['line breaks', 'Ada\r\nLovelace', 'Ada Lovelace'],
    ['a formula that failed', FAILED, '#REF!'],
  ])('%s', async (_, cell, text) => {
    expect(
      await rowsOf([
        ['Name', 'Note'],
        ['x', cell],
      ]),
    ).toBe(`"Name","Note"\n"x","${text}"\n`);
  });

  test.each(['1', 'true'])('days since 1904 (%s)', async (yes) => {
    const csv = await rowsOf(
      [
        ['Name', 'Day'],
        ['x', day('44742')],
      ],
      ` date1904="${yes}"`,
    );
    expect(csv).toContain('2026-07-01');
  });

  test('a title that is merged over all columns is no heading, and one column needs none', async () => {
    const rows = [['Guests'], ['Name', 'Order'], ['Ada', 'A1']];
    expect(await rowsOf(rows)).toBe('\n"Name","Order"\n"Ada","A1"\n');
    expect(await rowsOf([['Name'], ['Ada']])).toBe('"Name"\n"Ada"\n');
  });
});

describe('which sheet', () => {
  const bytes = workbookOf([
    { name: 'Prices', state: 'veryHidden', rows: [['Vorname'], ['Hidden']] },
    { name: 'Gäste & Co', rows: [['Vorname'], ['Ada']] },
    { name: 'Stewards', rows: [['Vorname'], ['Bob']] },
  ]);
  const names = async (worksheet?: string) =>
    (await read(bytes, { worksheet })).items.map(({ terms }) => terms.holder?.firstName);

  test('the first that is not hidden, or the one that is named', async () => {
    expect(await names()).toEqual(['Ada']);
    expect(await names('gäste & co')).toEqual(['Ada']);
    expect(await names('Stewards')).toEqual(['Bob']);
    expect(await names('Prices')).toEqual(['Hidden']);
  });

  test('one that is not there is named with those that are', async () => {
    await expect(names('Guests')).rejects.toThrow('"Prices", "Gäste & Co", "Stewards"');
    const csv = readInThread(Buffer.from('Vorname\nAda\n'), { worksheet: 'Guests' });
    await expect(csv).rejects.toMatchObject({ code: 'usage', reason: 'list_no_workbook' });
  });
});

/** A workbook whose sheet would unpack to more than may be. @param claimed the size that the archive names, where it lies */
function bombOf(claimed?: number): Buffer {
  const size = UNPACKED_BYTES_MAX + 1;
  const name = 'xl/worksheets/sheet1.xml';
  const parts = { ...workbookParts([{ rows: [['Name']] }]), [name]: new Uint8Array(size) };
  const bytes = Buffer.from(zipSync(parts, { level: 1 }));
  if (claimed === undefined) return bytes;
  const [real, false_] = [Buffer.alloc(4), Buffer.alloc(4)];
  real.writeUInt32LE(size);
  false_.writeUInt32LE(claimed);
  for (let at = bytes.indexOf(real); at >= 0; at = bytes.indexOf(real, at + 1))
    false_.copy(bytes, at);
  return bytes;
}

describe('files that are no list', () => {
  const ROWS = [
    {
      rows: [
        ['Vorname', 'Note'],
        ['Ada', ''],
      ],
    },
  ];
  const corner = { rows: [['Vorname']], after: '' };
  const wide = workbookParts([corner]);
  const sheet = 'xl/worksheets/sheet1.xml';
  const text = Buffer.from(wide[sheet] ?? []).toString();
  const far = text.replace(
    '</sheetData>',
    '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>',
  );

  test.each([
    ['another archive', Buffer.from(zipSync({ 'content.xml': new Uint8Array(9) })), 'list_archive'],
    ['an old workbook', Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1]), 'list_workbook'],
    ['a web page', Buffer.from('<html><table><tr><td>Vorname'), 'list_web_page'],
    ['a workbook that is cut', workbookOf(ROWS).subarray(0, 400), 'list_workbook_damaged'],
    [
      'no sheet that is shown',
      workbookOf([{ rows: [], state: 'hidden' }]),
      'list_workbook_damaged',
    ],
    [
      'a formula without a value',
      workbookOf([{ rows: [['a', { xml: '<f>A1</f>', attributes: ' t="str"' }]] }]),
      'list_workbook_damaged',
    ],
    ['a bomb', bombOf(), 'list_workbook_too_large'],
    [
      'a cell in the last row and column',
      Buffer.from(zipSync({ ...wide, [sheet]: Buffer.from(far) })),
      'list_workbook_too_large',
    ],
  ])('%s is named as what it is', async (_, bytes, reason) => {
    await expect(readInThread(bytes)).rejects.toMatchObject({ code: 'usage', reason });
  });

  // It takes the most work of all, and beside other work the thread of a workbook goes last.
  test('a bomb that claims to be small is named as damaged', async () => {
    const damaged = { code: 'usage', reason: 'list_workbook_damaged' };
    await expect(read(bombOf(100))).rejects.toMatchObject(damaged);
  });
});
