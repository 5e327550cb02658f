import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { readSheet } from 'read-excel-file/universal';
import { refuse, TicketscanError } from '../../core/errors.ts';
import { isSameName } from '../../core/folded-text.ts';
import {
  type Cell,
  columnOf,
  hiddenColumnsOf,
  hiddenRowsOf,
  isFilled,
  withCoveredCells,
} from './sheet-cells.ts';
import { UNPACKED_BYTES_MAX } from './workbook-bounds.ts';

/** A workbook, and which of its sheets is asked for: the first that is not hidden, without a name. */
export interface WorkbookJob {
  readonly bytes: Uint8Array;
  readonly worksheet?: string | undefined;
}

/** What somebody should know of a sheet who saw it in a spreadsheet. */
export interface SheetFacts {
  readonly worksheet: string;
  /** The other sheets that are not hidden. */
  readonly otherWorksheets: readonly string[];
  /** How many rows are read that the sheet does not show. */
  readonly hiddenRows: number;
  /** The headings of the columns that it does not show. */
  readonly hiddenColumns: readonly string[];
}

/** A sheet as CSV, where each row of the sheet is one line, and the names of all sheets. */
export interface ReadWorksheet extends SheetFacts {
  readonly csv: string;
  readonly worksheets: readonly string[];
}

const WORKBOOK_PART = 'xl/workbook.xml';

const RELATIONS_PART = 'xl/_rels/workbook.xml.rels';
/** More cells, most of them empty, would take gigabytes. */
const CELLS_MAX = 8_000_000;

interface Sheet {
  readonly name: string;
  /** What the workbook calls its part. */
  readonly id: string | undefined;
  readonly isHidden: boolean;
}

/**
 * Reads one sheet of an `.xlsx` workbook: dates without a zone, numbers as they are stored, formulas by the value that they had when the
 * workbook was saved.
 * @throws TicketscanError `usage` for another zip file, one that is too large or damaged, and a sheet that it does not have
 */
export async function readWorksheet({ bytes, worksheet }: WorkbookJob): Promise<ReadWorksheet> {
  const parts = unpackedParts(bytes);
  const workbook = parts[WORKBOOK_PART];
  if (!workbook) throw refuse('list_archive');
  const sheets = sheetsOf(strFromU8(workbook));
  const index = indexOf(sheets, worksheet);
  const part = partOf(parts, sheets[index]);
  const sheet = strFromU8(parts[part] ?? new Uint8Array());
  checkCells(sheet);
  const rows = await rowsOf({ ...parts, [part]: strToU8(withErrorTexts(sheet)) }, index + 1);
  const name = sheets[index]?.name ?? '';
  const head = headRow(rows);
  const others = sheets.filter((one) => !one.isHidden && one.name !== name);
  return {
    csv: csvFrom(withCoveredCells(rows, head, { sheet, worksheet: name }), titleRows(rows)),
    worksheet: name,
    worksheets: sheets.map((one) => one.name),
    otherWorksheets: others.map((one) => one.name),
    hiddenRows: hiddenRowsOf(sheet, rows, head),
    hiddenColumns: hiddenColumnsOf(sheet, rows[head] ?? []),
  };
}

/** The size that the archive names is the most that is written, whatever its bytes would become. */
function unpackedParts(bytes: Uint8Array): Record<string, Uint8Array> {
  let total = 0;
  try {
    return unzipSync(bytes, {
      filter: ({ name, originalSize }) => {
        if (!name.endsWith('.xml') && !name.endsWith('.xml.rels')) return false;
        total += originalSize;
        if (total > UNPACKED_BYTES_MAX) throw tooLarge();
        return true;
      },
    });
  } catch (error) {
    if (error instanceof TicketscanError) throw error;
    throw refuse('list_workbook_damaged', {}, { cause: error });
  }
}

function tooLarge(): TicketscanError {
  return refuse('list_workbook_too_large', { max: UNPACKED_BYTES_MAX / 1024 / 1024 });
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

/** The sheets in the order of their tabs. The library knows neither which are hidden nor tells their names before it reads. */
function sheetsOf(workbook: string): Sheet[] {
  const tags = workbook.match(/<(?:\w+:)?sheet\s[^>]*>/gu) ?? [];
  return tags.flatMap((tag) => {
    const attributes = attributesOf(tag);
    const name = attributes.get('name');
    if (!name) return [];
    const isHidden = (attributes.get('state') ?? 'visible') !== 'visible';
    return [{ name, id: attributes.get(':id'), isHidden }];
  });
}

const ATTRIBUTE = /\s([\w:]{1,40})\s?=\s?(?:"([^"]*)"|'([^']*)')/gu;

function attributesOf(tag: string): Map<string, string> {
  return new Map(
    [...tag.matchAll(ATTRIBUTE)].map(([, name = '', double, single]) => [
      // The names of relations have a prefix that each program chooses.
      name.endsWith(':id') ? ':id' : name,
      withoutEntities(double ?? single ?? ''),
    ]),
  );
}

function withoutEntities(text: string): string {
  return text.replace(/&(?:#x([\da-f]+)|#(\d+)|(\w+));/giu, (all, hex, decimal, word) => {
    if (word !== undefined) return ENTITIES[word] ?? all;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : all;
  });
}

function indexOf(sheets: readonly Sheet[], asked: string | undefined): number {
  const isWanted = ({ name, isHidden }: Sheet) =>
    asked === undefined ? !isHidden : isSameName(name, asked);
  const exact = sheets.findIndex(({ name }) => name === asked);
  const index = exact < 0 ? sheets.findIndex(isWanted) : exact;
  if (index >= 0) return index;
  if (asked === undefined) throw refuse('list_workbook_damaged');
  const names = sheets.map(({ name }) => `"${name}"`).join(', ');
  throw refuse('list_worksheet', { name: asked, names });
}

/** The name of a sheet's part; one that is not there where it cannot be told, which the library then refuses. */
function partOf(parts: Record<string, Uint8Array>, sheet: Sheet | undefined): string {
  const relations = strFromU8(parts[RELATIONS_PART] ?? new Uint8Array());
  const tags = relations.match(/<(?:\w+:)?Relationship\s[^>]*>/gu) ?? [];
  const own = tags.map(attributesOf).find((one) => one.get('Id') === sheet?.id);
  const target = own?.get('Target') ?? '';
  return target.startsWith('/') ? target.slice(1) : `xl/${target}`;
}

const ERROR_CELL = /(<(?:\w+:)?c\s[^>]*?\bt\s?=\s?)(?:"e"|'e')/gu;

/**
 * The sheet where a formula that failed is the text that a person sees, such as #REF!: the library takes it for an empty cell, and a ticket
 * whose end could not be calculated would never end.
 */
function withErrorTexts(sheet: string): string {
  return sheet.replace(ERROR_CELL, '$1"str"');
}

const PLACE = /<(?:\w+:)?c\s[^>]*?\br="([A-Z]{1,3})(\d{1,7})"/gu;
/** A formula that ends its cell, or is followed by an empty value. Only of a formula whose value is a text that may mean something. */
const FORMULA =
  /<(?:\w+:)?c\s([^>]*)><(?:\w+:)?f\b[^>]*(?:\/>|>[^<]*<\/(?:\w+:)?f>)(<(?:\w+:)?v\s*(?:\/>|><\/(?:\w+:)?v>))?<\/(?:\w+:)?c>/gu;

/** @throws TicketscanError `usage` for a sheet that reaches too far, and for formulas that no spreadsheet program has calculated */
function checkCells(sheet: string): void {
  let [rows, columns] = [0, 0];
  for (const [, letters = '', row] of sheet.matchAll(PLACE)) {
    rows = Math.max(rows, Number(row));
    columns = Math.max(columns, columnOf(letters));
  }
  if (rows * columns > CELLS_MAX) throw tooLarge();
  for (const [, attributes = '', empty] of sheet.matchAll(FORMULA)) {
    if (empty !== undefined && attributes.includes('t="str"')) continue;
    const cell = attributesOf(` ${attributes}`).get('r') ?? '';
    const detail = `(cell ${cell}: a formula without a value)`;
    throw refuse('list_workbook_damaged', {}, { detail });
  }
}

/** @param number of the sheet, from 1 */
async function rowsOf(parts: Record<string, Uint8Array>, number: number): Promise<Cell[][]> {
  const workbook = strFromU8(parts[WORKBOOK_PART] ?? new Uint8Array());
  // The library knows one of the two ways to say yes.
  const plain = workbook.replace(/\bdate1904\s*=\s*(["'])true\1/u, 'date1904="1"');
  const stored = zipSync({ ...parts, [WORKBOOK_PART]: Buffer.from(plain) }, { level: 0 });
  try {
    const archive = new Blob([new Uint8Array(stored)]);
    // Numbers stay texts: an order may have more digits than a number keeps.
    return (await readSheet(archive, number, { parseNumber: numberText })) as Cell[][];
  } catch (error) {
    const detail = error instanceof Error ? `(${error.message.replace(/\.$/u, '')})` : '';
    throw refuse('list_workbook_damaged', {}, { detail, cause: error });
  }
}

/** Whole numbers as they are stored; of others, without what binary fractions add and without an exponent where that is possible. */
function numberText(text: string): string {
  return /^-?\d+$/u.test(text) ? text : String(Number(Number(text).toPrecision(15)));
}

/** @param titles how many rows at the top are left out */
function csvFrom(rows: readonly Cell[][], titles: number): string {
  const lines = rows.map((row, index) => (index < titles ? '' : lineOf(row)));
  return `${lines.join('\n').trimEnd()}\n`;
}

/** How many rows at the top are empty or hold one cell, such as a title that is merged over all columns: headings come below. */
function titleRows(rows: readonly Cell[][]): number {
  const first = rows.findIndex((row) => row.filter(isFilled).length > 1);
  return first > 0 ? first : 0;
}

/** The index of the row of headings, as the list is read. */
function headRow(rows: readonly Cell[][]): number {
  return Math.max(
    titleRows(rows),
    rows.findIndex((row) => row.some(isFilled)),
  );
}

/** An empty row is an empty line, which a list may have. */
function lineOf(row: readonly Cell[]): string {
  if (!row.some(isFilled)) return '';
  return row.map((cell) => `"${textOf(cell).replaceAll('"', '""')}"`).join(',');
}

function textOf(cell: Cell): string {
  if (cell === null) return '';
  if (cell instanceof Date) return dateText(cell);
  // A line of the list is a row of the sheet: then both have the same number in messages.
  return String(cell).replace(/[\r\n]+/gu, ' ');
}

/** The date and time on the wall: a sheet knows no zone. Fractions of a day are not exact, so the nearest second is meant. */
function dateText(date: Date): string {
  const seconds = Math.round(date.getTime() / 1000);
  const [day = '', time = ''] = new Date(seconds * 1000).toISOString().slice(0, 19).split('T');
  return time === '00:00:00' ? day : `${day}T${time}`;
}
