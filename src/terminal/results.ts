import stringWidth from 'string-width';
import { isSameName } from '../core/folded-text.ts';
import { folded, longestWord, padded } from '../kit/display-width.ts';
import { sanitizeForTerminal } from '../kit/text.ts';
import { type CliIo, note } from './io.ts';

/** `--json` of a command. */
interface Format {
  readonly json?: boolean | undefined;
}

/** Shows a result: with `--json` as indented JSON, otherwise as these lines, sanitized for terminals. */
export function showResult(
  io: CliIo,
  { json }: Format,
  value: unknown,
  lines: string | readonly string[],
): void {
  if (json) io.out(JSON.stringify(value, null, 2));
  else for (const line of [lines].flat()) io.out(sanitizeForTerminal(line));
}

/** How a list is shown to people. */
interface ListView<T> {
  readonly heads: readonly string[];
  readonly row: (record: T) => readonly string[];
  /** Its JSON, where that is not the record itself. */
  readonly json?: (record: T) => unknown;
  /** The message instead of an empty table. */
  readonly empty: string;
}

/** Shows a list: with `--json` as a JSON array, otherwise as a table. */
export function showRecords<T>(
  io: CliIo,
  { json }: Format,
  records: readonly T[],
  { heads, row, empty, json: jsonOf = (record) => record }: ListView<T>,
): void {
  if (json) {
    io.out(JSON.stringify(records.map(jsonOf), null, 2));
    return;
  }
  if (records.length === 0) note(io, empty);
  showTable(io, heads, records.map(row));
}

const GAP = '  ';

/**
 * Lines of text in aligned columns, the first row being the heads (none when all are empty). Empty when there are no other rows.
 * @param columnsMax the terminal's width. A wider table loses its empty columns, then cells are folded between words, and
 *   as the last resort each row becomes a few lines of its own. No word is cut: ids stay whole
 */
export function table(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  columnsMax = Number.POSITIVE_INFINITY,
): string[] {
  if (rows.length === 0) return [];
  const all = [heads, ...rows].map((row) => row.map(sanitizeForTerminal));
  const widths = widthsOf(all, stringWidth);
  if (total(widths) <= columnsMax) return linesOf(all, widths);
  const filled = withoutEmptyColumns(all);
  const shrunk = shrink(widthsOf(filled, stringWidth), widthsOf(filled, longestWord), columnsMax);
  return shrunk
    ? linesOf(filled, shrunk)
    : filled.slice(1).flatMap((row) => recordLines(filled[0] ?? [], row, columnsMax));
}

/** Prints a table that fits the terminal; in a pipe or file it is as wide as its texts. */
export function showTable(
  io: CliIo,
  heads: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  for (const line of table(heads, rows, terminalColumns(io))) io.out(line);
}

/** The width of the terminal; infinite where there is none. */
export function terminalColumns({ stdout, stdoutIsTty }: CliIo): number {
  const columns = stdoutIsTty ? (stdout as NodeJS.WriteStream).columns : undefined;
  return columns || Number.POSITIVE_INFINITY;
}

type Cells = readonly string[];

function widthsOf(rows: readonly Cells[], measure: (cell: string) => number): number[] {
  const [heads = []] = rows;
  return heads.map((_, column) =>
    rows.reduce((widest, row) => Math.max(widest, measure(row[column] ?? '')), 0),
  );
}

function total(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1));
}

function withoutEmptyColumns([heads = [], ...rows]: readonly Cells[]): Cells[] {
  const isFilled = heads.map((_, column) => rows.some((row) => (row[column] ?? '') !== ''));
  return [heads, ...rows].map((row) => row.filter((_, column) => isFilled[column]));
}

/** Takes from the widest column until all fit; undefined when words would have to be cut. */
function shrink(
  widths: readonly number[],
  minima: readonly number[],
  columnsMax: number,
): number[] | undefined {
  if (total(minima) > columnsMax) return undefined;
  const shrunk = [...widths];
  for (let over = total(shrunk) - columnsMax; over > 0; over -= 1) {
    const spare = shrunk.map((width, column) => (width > (minima[column] ?? 0) ? width : 0));
    const widest = spare.indexOf(Math.max(...spare));
    shrunk[widest] = (shrunk[widest] ?? 0) - 1;
  }
  return shrunk;
}

/** Heads without a text have no line. */
function linesOf([heads = [], ...rows]: readonly Cells[], widths: readonly number[]): string[] {
  const shown = heads.some((head) => head !== '') ? [heads, ...rows] : rows;
  return shown.flatMap((row) => rowLines(row, widths));
}

/** One line, or several where a cell is folded. */
function rowLines(row: Cells, widths: readonly number[]): string[] {
  const cells = row.map((cell, column) => folded(cell, widths[column] ?? 0));
  const height = cells.reduce((most, lines) => Math.max(most, lines.length), 1);
  return Array.from({ length: height }, (_, line) =>
    cells
      .map((lines, column) => padded(lines[line] ?? '', widths[column] ?? 0))
      .join(GAP)
      .trimEnd(),
  );
}

/** `HEAD value` one after another, with the lines behind the first indented. Empty values are left out. */
function recordLines(heads: Cells, row: Cells, columnsMax: number): string[] {
  const lines: string[] = [];
  let line = '';
  row.forEach((cell, column) => {
    const value = cell.trim();
    if (value === '') return;
    const item = `${heads[column]} ${value}`.trimStart();
    if (line !== '' && stringWidth(line + GAP + item) > columnsMax) {
      lines.push(...folded(line, columnsMax));
      line = '';
    }
    const indent = lines.length > 0 ? GAP : '';
    line = line === '' ? indent + item : line + GAP + item;
  });
  return [...lines, ...folded(line, columnsMax)];
}

/** The names of records by their ids. */
export type Names = ReadonlyMap<string, string>;

export function namesOf(records: readonly { readonly id: string; readonly name: string }[]): Names {
  return new Map(records.map(({ id, name }) => [id, name]));
}

/** The name with the id, or the id alone: what was deleted has no name. */
export function withName(id: string, names: Names): string {
  const name = names.get(id);
  return name === undefined ? id : `${sanitizeForTerminal(name)} (${id})`;
}

interface Named {
  readonly id: string;
  readonly name: string;
}

/** Says that another one has the name of a new one: commands then need the id. @param what such as `key` */
export function warnDuplicateName(
  io: CliIo,
  what: string,
  made: Named,
  all: readonly Named[],
): void {
  const other = all.find(({ id, name }) => id !== made.id && isSameName(name, made.name));
  if (!other) return;
  const name = sanitizeForTerminal(made.name);
  note(
    io,
    `Another ${what} (${other.id}) is named "${name}" too: in commands, give the id, or rename one with --name.`,
  );
}
