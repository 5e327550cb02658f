import { csvRecords } from '../../kit/csv/records.ts';
import { shownText } from '../../kit/csv/text.ts';
import { keptIndexes, matchColumns, missingHeadings, type TableOptions } from './columns.ts';
import { type ByteSource, type Encoding, readLines } from './read-text.ts';
import type { RowOrFault } from './row-issue.ts';

/**
 * Reads a CSV file with headings, row by row. Comma, semicolon or tab, whichever the headings use; with or without a
 * byte-order mark. A wrong row is an issue, and reading continues after it.
 * @param encoding of its bytes
 * @throws TicketscanError when the file cannot be read or is not in that encoding
 */
export async function* readCsv(
  source: string | ByteSource,
  options: TableOptions,
  encoding: Encoding = 'utf-8',
): AsyncGenerator<RowOrFault> {
  const table = new Table(options);
  for await (const record of csvRecords(readLines(source, encoding))) {
    if ('message' in record) yield { fault: { ...record, column: null } };
    else yield* table.add(record.cells, record.line);
  }
  if (!table.hasHeadings) {
    const message = 'the file is empty; it needs headings';
    yield { fault: { line: 1, column: null, message, reason: 'list_empty' } };
  }
}

/** Turns records into rows by the headings, which are the first record. */
class Table {
  readonly #options: TableOptions;
  #columns: (string | null)[] | undefined;
  #kept: readonly number[] = [];
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
      this.#kept = keptIndexes(record, this.#options);
      const { required } = this.#options;
      const issues =
        required === undefined || matched.columns.includes(required)
          ? [...matched.faults, ...missingHeadings(record, this.#options, line)]
          : [
              {
                line,
                column: null,
                message: `there is no column ${required}`,
                reason: 'list_no_ids',
              } as const,
            ];
      this.#usable = issues.length === 0;
      yield* issues.map((issue) => ({ fault: issue }));
    } else if (record.length !== this.#columns.length) {
      const message = `this row has ${record.length} cells, but there are ${this.#columns.length} headings`;
      const values = { cells: record.length, headings: this.#columns.length };
      yield { fault: { line, column: null, message, reason: 'row_cells', values } };
    } else if (this.#usable) {
      const kept = this.#kept.map((index) => shownText(record[index] ?? ''));
      yield { row: { line, cells: cellsOf(record, this.#columns), kept } };
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
