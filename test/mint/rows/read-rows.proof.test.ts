import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { csvLine, EXCEL_CSV, PLAIN_CSV, SHEET_CSV } from '../../../src/kit/csv.ts';
import { readCsv, readJson } from '../../../src/tickets/lists/read-rows.ts';
import { issueInWords } from '../../../src/tickets/lists/row-issues.ts';
import { SPEC_COLUMNS } from '../../../src/tickets/lists/spec-columns.ts';
import { wrongText } from '../../../src/tickets/lists/wrong-texts.ts';
import { fc } from '../../support/fast-check.ts';

const folder = mkdtempSync(join(tmpdir(), 'ticketscan-rows-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const DIALECTS = [PLAIN_CSV, SHEET_CSV, EXCEL_CSV];
const TABLE = { columns: SPEC_COLUMNS, ignored: ['E-Mail'] };

/** `2 Ada` for a row on line 2, the words of a fault otherwise. */
async function read(reader: typeof readCsv, content: string | Uint8Array): Promise<string[]> {
  const file = join(folder, 'rows');
  writeFileSync(file, content);
  const lines: string[] = [];
  for await (const one of reader(file, TABLE)) {
    lines.push(
      'row' in one ? `${one.row.line} ${one.row.cells.get('firstName')}` : issueInWords(one.issue),
    );
  }
  return lines;
}

test.each([
  ['commas', 'firstName,type\nAda,single\n'],
  [
    'semicolons, a byte-order mark and CRLF, as Excel writes',
    '\ufefffirstName;type\r\nAda;single\r\n',
  ],
  ['a separator line', 'sep=;\nfirstName;type\nAda;single\n'],
  ['tabs and other spellings of the headings', 'First Name\tTYPE\nAda\tsingle'],
  ['a column to leave out', 'e-mail,first_name\na@b.example,Ada\n'],
])('a table with %s is read', async (_, text) => {
  expect((await read(readCsv, text)).map((line) => line.slice(2))).toEqual(['Ada']);
});

test('rows after quoted line breaks and empty lines keep their line numbers', async () => {
  const rows = await read(readCsv, 'firstName\n"A\nB"\n\nC\n"say ""hi"""\n');

  expect(rows).toEqual(['2 A\nB', '5 C', '6 say "hi"']);
});

test('a row of separators only is no row, as below a table in a spreadsheet', async () => {
  expect(await read(readCsv, 'firstName;type\nAda;single\n;\n ; \nBo;single\n;;\n')).toEqual([
    '2 Ada',
    '5 Bo',
  ]);
});

test('a broken row is a fault, and the rows after it are read', async () => {
  const rows = await read(
    readCsv,
    'firstName,type\n"Ada"x,single\nBob\nCid,single\n"Dan,single\nEve,single\n',
  );

  expect(rows).toEqual([
    'line 2: After the closing quote of cell 1 comes "x"; a quote inside a cell is written twice.',
    'line 3: The row has 1 cells, but there are 2 headings.',
    '4 Cid',
    'line 5: The quote that begins cell 1 is never closed.',
    '6 Eve',
  ]);
});

test('a quote that runs on and closes wrongly costs its first line only', async () => {
  expect(await read(readCsv, 'firstName\n"Ada\nBob\nC"x\nDan\n')).toEqual([
    expect.stringMatching(/^line 2: After the closing quote/u),
    '3 Bob',
    '4 C"x',
    '5 Dan',
  ]);
});

test('an unknown and a doubled heading are issues, so that a typing error costs no column', async () => {
  const rows = await read(readCsv, 'firstName,valid_untl,First Name\nAda,,x\n');

  expect(rows.map((line) => line.split(':')[0])).toEqual([
    'line 1, column valid_untl',
    'line 1, column First Name',
  ]);
});

test('a file that is not UTF-8 is refused by line', async () => {
  const latin1 = Buffer.from('firstName\nAda\nZoë\n', 'latin1');

  await expect(read(readCsv, latin1)).rejects.toThrow('Line 3 is not UTF-8');
});

test('whatever cells hold, writing and reading a line gives them back', async () => {
  const unit = fc.constantFrom(...`aö ",;\n😀'=+-@\t`);
  // What a program leaves in a cell is refused by name.
  const cell = fc
    .string({ unit, maxLength: 6 })
    .filter((text) => wrongText(text, false) === undefined);
  await fc.assert(
    fc.asyncProperty(cell, fc.constantFrom(...DIALECTS), async (text, dialect) => {
      const line = csvLine([text, 'x'], dialect);
      const rows = await read(readCsv, `firstName${dialect.separator}type\n${line}`);
      expect(rows).toEqual([`2 ${text}`]);
    }),
    { numRuns: 1000 },
  );
});

/** What a spreadsheet makes of a line that it splits at `separator`: quotes count at the beginning of a cell only. */
function cellsAsSplit(line: string, separator: string): string[] {
  const cells: string[] = [];
  let rest = line;
  while (rest !== '') {
    const quoted = /^ *"((?:[^"]|"")*)"/u.exec(rest);
    const after = rest.slice(quoted?.[0].length ?? 0);
    const at = after.search(separator === '\t' ? /[\t\n]/u : new RegExp(`[${separator}\n]`, 'u'));
    const end = at < 0 ? after.length : at;
    cells.push((quoted?.[1]?.replaceAll('""', '"') ?? '') + after.slice(0, end));
    rest = after.slice(end + 1);
  }
  return cells;
}

test('wherever a spreadsheet splits a line, no cell is a formula', () => {
  const unit = fc.constantFrom(...`a ";,\t\n=+-@'`);
  const names = fc.array(fc.string({ unit, maxLength: 8 }), { minLength: 1, maxLength: 3 });
  const known = [
    `Anna;=cmd|'/C calc'!A1`,
    'x;+1+1',
    'a\t=1',
    "';=1",
    'a, @SUM(1)',
    'a;"=1"',
    'b\n=1',
  ];
  fc.assert(
    fc.property(names, (cells) => {
      for (const dialect of [SHEET_CSV, EXCEL_CSV]) {
        const line = csvLine(['x', ...cells, 'y'], dialect);
        for (const separator of [';', ',', '\t']) {
          const formulas = cellsAsSplit(line, separator).filter((one) => /^\s*[=+\-@]/u.test(one));
          expect(formulas, `${JSON.stringify(line)} at ${separator}`).toEqual([]);
        }
      }
    }),
    { numRuns: 3000, examples: known.map((name) => [[name]]) },
  );
});

test.each(['=1+1', '+1', '-1', '@SUM(1)', '\t=1', "'=1", "''@x"])(
  'a spreadsheet takes %j for text, a program gets it as it is',
  (text) => {
    for (const dialect of [SHEET_CSV, EXCEL_CSV]) {
      expect(csvLine([text, -1], dialect)).toMatch(new RegExp(`^"?'.*${dialect.separator}-1\n$`));
    }
    if (!text.startsWith("'")) expect(csvLine([text], PLAIN_CSV)).toBe(`${text}\n`);
  },
);

test('what begins otherwise is as it is in every dialect', () => {
  for (const dialect of DIALECTS) {
    expect(csvLine(["O'Neil", "'Ada", '2027-01-01', 'a=b', '', null], dialect)).toBe(
      `${["O'Neil", "'Ada", '2027-01-01', 'a=b', '', ''].join(dialect.separator)}\n`,
    );
  }
});

test('a JSON array is read element by element, each fault by its line', async () => {
  const rows = await read(
    readJson,
    '\ufeff[\n {"firstName": "A]}"},\n\n {"holder": {"firstName": "B"}, "usesAllowed": 2}, 5,\n {"firstName": [1]}, {"foo": 1},\n {"firstName": "C",}\n]\n',
  );

  expect(rows).toEqual([
    '2 A]}',
    '4 B',
    'line 4: This is not a JSON object.',
    'line 5, column firstName: This must be a text, a number or null.',
    expect.stringMatching(/^line 5, column foo: This column is not known/u),
    // It hides nothing else that is wrong with its row.
    '5 undefined',
    expect.stringMatching(
      /^line 6: This is not a JSON object. Expected double-quoted property name/u,
    ),
  ]);
});

test('JSON Lines are read line by line', async () => {
  const rows = await read(
    readJson,
    '{"firstName":"Ada"}\n\n{"firstName":"Bob"\n{"firstName":"Cid"}',
  );

  expect(rows[0]).toBe('1 Ada');
  expect(rows[1]).toMatch(/^line 3: This is not a JSON object/u);
  expect(rows[2]).toBe('4 Cid');
});

test.each([['[{"firstName":"A"}'], ['[{"firstName":"A"}] x']])(
  'an array that does not end as it should is a fault: %s',
  async (text) => {
    expect((await read(readJson, text)).at(-1)).toMatch(
      /^line 1: (?:The array is not closed|There is text after)/u,
    );
  },
);
