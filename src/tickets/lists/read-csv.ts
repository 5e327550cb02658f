import { matchColumns, type TableOptions } from './columns.ts';
import { csvRecords } from './csv-records.ts';
import { shownText } from './csv-text.ts';
import { type ByteSource, readLines } from './read-text.ts';
import type { RowOrFault } from './row-issue.ts';

/** Excel writes this before the headings to name its separator. */
const EXCEL_SEPARATOR = /^sep=(.)\r?$/i;
const DELIMITERS = [',', ';', '\t'] as const;

/**
 * Reads a CSV file with headings, row by row. Comma, semicolon or tab, whichever the headings use; with or without a
 * byte-order mark. A wrong row is a fault, and reading goes on after it.
 * @throws TicketscanError when the file cannot be read or is not UTF-8
 */
export async function* readCsv(
  source: string | ByteSource,
  options: TableOptions,
): AsyncGenerator<RowOrFault> {
  const lines = readLines(source);
  const first = await lines.next();
  const start = first.done ? '' : first.value;
  const excel = EXCEL_SEPARATOR.exec(start);
  const table = new Table(options);
  const body = excel ? lines : startingWith(start, lines);
  for await (const record of csvRecords(body, excel?.[1] ?? delimiterOf(start), excel ? 2 : 1)) {
    if ('message' in record) yield { fault: { ...record, column: null } };
    else yield* table.add(record.cells, record.line);
  }
  if (!table.hasHeadings) {
    yield { fault: { line: 1, column: null, message: 'the file is empty; it needs headings' } };
  }
}

/** Turns records into rows by the headings, which are the first record. */
class Table {
  readonly #options: TableOptions;
  #columns: (string | null)[] | undefined;
  #usable = true;

  constructor(options: TableOptions) {
    this.#options = options;
  }

  get hasHeadings(): boolean {
    return this.#columns !== undefined;
  }

  *add(record: readonly string[], line: number): Generator<RowOrFault> {
    if (!this.#columns) {
      const matched = matchColumns(record, this.#options, line);
      this.#columns = matched.columns;
      this.#usable = matched.faults.length === 0;
      yield* matched.faults.map((issue) => ({ fault: issue }));
    } else if (record.length !== this.#columns.length) {
      const message = `this row has ${record.length} cells, but there are ${this.#columns.length} headings`;
      yield { fault: { line, column: null, message } };
    } else if (this.#usable) {
      yield { row: { line, cells: cellsOf(record, this.#columns) } };
    }
  }
}

function cellsOf(
  record: readonly string[],
  columns: readonly (string | null)[],
): Map<string, string> {
  const cells = new Map<string, string>();
  for (const [index, column] of columns.entries()) {
    if (column !== null) cells.set(column, shownText(record[index] ?? ''));
  }
  return cells;
}

/** The one that stands most often in the headings outside quotes. */
function delimiterOf(headings: string): string {
  const outside = headings.replace(/"[^"]*"/gu, '');
  const counts = DELIMITERS.map((delimiter) => outside.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

async function* startingWith(first: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield first;
  yield* rest;
}
