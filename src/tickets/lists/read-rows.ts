import { refuse, TicketscanError } from '../../core/errors.ts';
import { type CsvRecord, csvRecords, shownText } from '../../kit/csv.ts';
import { readBoundedText } from '../../kit/files.ts';
import { cellOf, jsonElements, membersOf } from './json-elements.ts';
import {
  type Columns,
  type Known,
  knownOf,
  matchColumns,
  matchHead,
  type TableOptions,
} from './match-columns.ts';
import { type ByteSource, readLines, refuseLongLines, type TextReading } from './read-text.ts';
import { issueAt, type RowIssue } from './row-issues.ts';
import { coveringCells } from './sheet-cells.ts';
import { FilledCells, isRemark, isTotal } from './total-rows.ts';
import { wrongText } from './wrong-texts.ts';

export type ListFormat = 'csv' | 'json';

/** A row as it is in the file: texts by the name of their column. */
export interface RawRow {
  readonly line: number;
  readonly cells: ReadonlyMap<string, string>;
  /** The cells that are handed on unread, in the order of their headings; undefined where the file has no such heading. */
  readonly kept?: readonly (string | undefined)[];
}

/**
 * A row that can be read, or an issue. An unknown heading may change what a row means: of such a row only what is wrong with its known columns counts.
 */
export type RowOrIssue =
  | { readonly row: RawRow; readonly hasUnknown: boolean }
  | { readonly issue: RowIssue };

/** Reads rows like `readCsv` or `readJson`. @param reading of CSV; JSON is UTF-8 */
export function readRows(
  source: string | ByteSource,
  format: ListFormat,
  options: TableOptions,
  reading: TextReading,
): AsyncGenerator<RowOrIssue> {
  if (format === 'csv') return readCsv(source, options, reading);
  const { worksheet, onSheet } = reading;
  return readJson(source, options, { worksheet, onSheet });
}

/**
 * Reads a CSV file with headings, row by row. Comma, semicolon or tab, whichever the headings use; with or without a
 * byte-order mark. A wrong row is an issue, and reading continues after it.
 * @throws TicketscanError when the file cannot be read or is not in that encoding
 */
export async function* readCsv(
  source: string | ByteSource,
  options: TableOptions,
  reading: TextReading = {},
): AsyncGenerator<RowOrIssue> {
  let head: Columns | undefined;
  /** The last row is looked at when it is known to be that. */
  let held: CsvRow | undefined;
  let filled = new FilledCells(-1);
  for await (const record of csvRecords(readLines(source, reading))) {
    if (isBlank(record)) continue;
    if (head && held) {
      yield* earlierRow(held, head, filled);
      held = undefined;
    }
    if ('reason' in record) {
      yield { issue: issueAt(record.line, null, refuse(record.reason, record.values)) };
    } else if (head) held = record;
    else {
      head = matchHead(record.cells, knownOf(options), record.line);
      filled = new FilledCells(head.columns.indexOf('validUntil'));
      yield* head.issues.map((issue) => ({ issue }));
    }
  }
  yield* lastRow(held, head, filled);
}

/** Spreadsheets write rows of separators only below a table: a ticket for each would be a gift. */
function isBlank(record: CsvRecord): boolean {
  return 'cells' in record && record.cells.every((cell) => cell.trim() === '');
}

/** A row that is not the last; what adds up or describes the list tells nothing of what a row looks like. */
function* earlierRow(row: CsvRow, head: Columns, filled: FilledCells): Generator<RowOrIssue> {
  if (isOddRow(row.cells, head)) yield oddRow(row);
  else {
    filled.add(row.cells);
    yield* csvRow(row, head);
  }
}

function* lastRow(
  held: CsvRow | undefined,
  head: Columns | undefined,
  filled: FilledCells,
): Generator<RowOrIssue> {
  if (!head) yield { issue: issueAt(1, null, refuse('list_empty')) };
  else if (held && isOddRow(held.cells, head, filled)) yield oddRow(held);
  else if (held) yield* csvRow(held, head);
}

interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/** Issues of headings beside which the known columns can still be read. */
const ONLY_UNKNOWN: ReadonlySet<string> = new Set([
  'column_unknown',
  'column_state',
  'column_quantity',
]);

function areOnlyUnknown(issues: readonly RowIssue[]): boolean {
  return issues.every(({ reason = '' }) => ONLY_UNKNOWN.has(reason));
}

/** No row where the headings have issues other than that one is unknown: its cells could mean anything. */
function* csvRow({ line, cells }: CsvRow, head: Columns): Generator<RowOrIssue> {
  const wrong = wrongCell(line, cells, head);
  if (cells.length !== head.columns.length) {
    const values = { cells: cells.length, headings: head.columns.length };
    yield { issue: issueAt(line, null, refuse('row_cells', values)) };
  } else if (wrong) {
    yield { issue: wrong };
  } else if (areOnlyUnknown(head.issues)) {
    const hasUnknown = head.issues.length > 0;
    head.samples.add(cells);
    yield { row: rowOf(line, head, cells.map(shownText)), hasUnknown };
  }
}

/** The first cell of a row that nobody meant so. */
function wrongCell(
  line: number,
  cells: readonly (string | undefined)[],
  head: Columns,
): RowIssue | undefined {
  for (const [index, text = ''] of cells.entries()) {
    const wrong = isRead(index, head) ? wrongText(text, head.isExported) : undefined;
    if (wrong) return issueAt(line, head.columns[index] ?? null, wrong);
    if (head.unheaded.has(index) && text.trim() !== '')
      return issueAt(line, null, refuse('row_no_heading', { text: text.trim() }));
  }
  return undefined;
}

const NAMES: ReadonlySet<string | null> = new Set(['firstName', 'lastName', 'name']);

/** Whether a row adds up or describes the list. Merged cells are named as that. @param others where it is the last row */
function isOddRow(cells: readonly string[], { columns }: Columns, others?: FilledCells): boolean {
  if (cells.some(coveringCells)) return false;
  const names = cells.filter((_, index) => NAMES.has(columns[index] ?? null));
  return isTotal(cells) || isRemark(cells, names) || others?.isOdd(cells) === true;
}

function oddRow({ line, cells }: CsvRow): RowOrIssue {
  const text = cells.filter((cell) => cell.trim() !== '').join(' ');
  return { issue: issueAt(line, null, refuse('row_odd', { text })) };
}

function isRead(index: number, { columns, kept }: Columns): boolean {
  return (columns[index] ?? null) !== null || kept.includes(index);
}

/** @param texts by the index of their heading; no cell where there is none */
function rowOf(
  line: number,
  { columns, kept }: Columns,
  texts: readonly (string | undefined)[],
): RawRow {
  const cells = columns.flatMap((column, index): [string, string][] => {
    const text = texts[index];
    return column === null || text === undefined ? [] : [[column, text]];
  });
  return { line, cells: new Map(cells), kept: kept.map((index) => texts[index]) };
}

const ARRAY_START = /^\ufeff?\s*\[/u;

/**
 * Reads a JSON array of objects, or JSON Lines (one object a line), row by row. A source that is not a file must be JSON Lines.
 * `holder` may be an object of firstName and lastName. A wrong row is an issue, and reading continues after it.
 * @throws TicketscanError when the file cannot be read or is not UTF-8
 */
export async function* readJson(
  source: string | ByteSource,
  options: TableOptions,
  reading: TextReading = {},
): AsyncGenerator<RowOrIssue> {
  const known = knownOf(options);
  let line = 0;
  for await (const text of readLines(source, reading)) {
    line += 1;
    if (text.trim() === '') continue;
    if (line === 1 && typeof source === 'string' && ARRAY_START.test(text)) {
      yield* readArray(source, known);
      return;
    }
    yield* rowFrom(text, line, known);
  }
  if (line === 0) yield { issue: issueAt(1, null, refuse('list_empty')) };
}

async function* readArray(file: string, known: Known): AsyncGenerator<RowOrIssue> {
  const text = readBoundedText(file).replace(/^\ufeff/u, '');
  refuseLongLines(file, text);
  for (const element of jsonElements(text)) {
    if ('reason' in element) yield { issue: issueAt(element.line, null, refuse(element.reason)) };
    else yield* rowFrom(element.text, element.line, known);
  }
}

function* rowFrom(text: string, line: number, known: Known): Generator<RowOrIssue> {
  const members = membersOf(text);
  if (members instanceof TicketscanError) {
    yield { issue: issueAt(line, null, members) };
    return;
  }
  const names = members.map(([name]) => name);
  const texts = members.map(([, member]) => cellOf(member));
  const matched = matchColumns(names, known, line);
  matched.samples.add(texts);
  const unreadable = matched.columns
    .filter((column, index) => column !== null && texts[index] === undefined)
    .map((column) => issueAt(line, column, refuse('row_value')));
  const wrong = wrongCell(line, texts, matched);
  const issues = [...matched.issues, ...unreadable, ...(wrong ? [wrong] : [])];
  yield* issues.map((issue) => ({ issue }));
  if (areOnlyUnknown(issues)) {
    yield { row: rowOf(line, matched, texts), hasUnknown: issues.length > 0 };
  }
}

/**
 * The format of a list, by the ending of its name. What a file is that ends as a workbook, its bytes say.
 * @throws TicketscanError `usage` for another ending
 */
export function formatOf(file: string): ListFormat {
  if (/\.(?:csv|tsv|txt|xlsx?|xlsm|ods)$/iu.test(file)) return 'csv';
  if (/\.(?:json|jsonl|ndjson)$/iu.test(file)) return 'json';
  throw new TicketscanError(
    'usage',
    `The file "${file}" cannot be read as a list: its name must end in .csv, .xlsx, .json or .jsonl.`,
  );
}
