/** A cell of a sheet, as the library reads it. */
export type Cell = string | number | boolean | Date | null;

/** Cells that one cell covers, by their first and last row and column, from 0. */
interface MergedCells {
  /** Their name in a spreadsheet, such as `C2:C3`. */
  readonly cells: string;
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

const MERGED = /<(?:\w+:)?mergeCell\s[^>]*?\bref\s?=\s?(?:"([^"]*)"|'([^']*)')/gu;
const CELLS = /^\$?([A-Z]{1,3})\$?(\d{1,7}):\$?([A-Z]{1,3})\$?(\d{1,7})$/u;

function mergedCellsOf(sheet: string): MergedCells[] {
  return [...sheet.matchAll(MERGED)].flatMap(([, double, single]) => {
    const cells = double ?? single ?? '';
    const [, left, top, right, bottom] = CELLS.exec(cells) ?? [];
    if (left === undefined || right === undefined) return [];
    const columns = { left: columnOf(left) - 1, right: columnOf(right) - 1 };
    return [{ cells, ...columns, top: Number(top) - 1, bottom: Number(bottom) - 1 }];
  });
}

/** The number of a column by its letters, from 1. */
export function columnOf(letters: string): number {
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
}

/** What stands in a list where a merged cell covers others: whoever reads the column refuses it. */
const MARK = /^#MERGED (.*)!([A-Z]{1,3}\d{1,7}:[A-Z]{1,3}\d{1,7})$/u;

/** Which merged cells cover a cell of a list; undefined for any other cell. */
export function coveringCells(
  text: string,
): { readonly worksheet: string; readonly cells: string } | undefined {
  const [, worksheet, cells] = MARK.exec(text) ?? [];
  return worksheet === undefined || cells === undefined ? undefined : { worksheet, cells };
}

/**
 * The rows, where each cell that merged cells cover below the headings says so: a spreadsheet stores nothing there, and a ticket without
 * an end would never end. A title or note over the whole width of its row stays, and so do headings that are several rows high.
 * @param head the index of the row of headings
 */
export function withCoveredCells(
  rows: readonly (readonly Cell[])[],
  head: number,
  { sheet, worksheet }: { readonly sheet: string; readonly worksheet: string },
): Cell[][] {
  const marked = rows.map((row) => [...row]);
  const headed = (rows[head] ?? []).flatMap((cell, index) => (isFilled(cell) ? [index] : []));
  const isEmpty = (row: number) => !(rows[row] ?? []).some(isFilled);
  for (const merged of mergedCellsOf(sheet)) {
    if (isWholeRow(merged, headed)) continue;
    const mark = `#MERGED ${worksheet}!${merged.cells.replaceAll('$', '')}`;
    for (const [row, column] of coveredCells(merged, head, marked.length, headed)) {
      const isOfHead = merged.top <= head && isEmpty(row);
      if (!isOfHead) marked[row]?.splice(column, 1, mark);
    }
  }
  return marked;
}

function isWholeRow({ top, bottom, left, right }: MergedCells, headed: readonly number[]): boolean {
  return top === bottom && headed.every((column) => left <= column && column <= right);
}

/** All but the first, which has the value. */
function* coveredCells(
  { top, left, bottom, right }: MergedCells,
  head: number,
  rows: number,
  headed: readonly number[],
): Generator<[row: number, column: number]> {
  const columns = headed.filter((column) => left <= column && column <= right);
  for (let row = Math.max(top, head + 1); row <= Math.min(bottom, rows - 1); row += 1) {
    for (const column of columns) if (row !== top || column !== left) yield [row, column];
  }
}

const ROW = /<(?:\w+:)?row\s[^>]*>/gu;
const HIDDEN = /\shidden\s?=\s?["'](?:1|true)["']/u;
/** No height, or no width: a person sees as much of it as of what is hidden. */
const NO_HEIGHT = /\sht\s?=\s?["']0*(?:\.0*)?["']/u;
const NO_WIDTH = /\s(?:default)?(?:w|ColW)idth\s?=\s?["']0*(?:\.0*)?["']/u;
const NUMBER = /\sr\s?=\s?["'](\d{1,7})["']/u;

/** How many rows below the headings a filter, a group that is closed, or a person hid. @param head the index of the row of headings */
export function hiddenRowsOf(
  sheet: string,
  rows: readonly (readonly Cell[])[],
  head: number,
): number {
  let number = 0;
  let hidden = 0;
  for (const [tag] of sheet.matchAll(ROW)) {
    const [, given] = NUMBER.exec(tag) ?? [];
    // A row without a number follows the one before.
    number = given === undefined ? number + 1 : Number(given);
    const isRead = number - 1 > head && (rows[number - 1] ?? []).some(isFilled);
    if (isRead && (HIDDEN.test(tag) || NO_HEIGHT.test(tag))) hidden += 1;
  }
  return hidden;
}

const COLUMNS = /<(?:\w+:)?col\s[^>]*>/gu;
const [FIRST, LAST] = [/\smin\s?=\s?["'](\d{1,5})["']/u, /\smax\s?=\s?["'](\d{1,5})["']/u];
const FORMAT = /<(?:\w+:)?sheetFormatPr\s[^>]*>/u;

/** The headings of the columns that a sheet does not show. @param headings the row of them */
export function hiddenColumnsOf(sheet: string, headings: readonly Cell[]): string[] {
  const isHidden = headings.map(() => NO_WIDTH.test(FORMAT.exec(sheet)?.[0] ?? ''));
  for (const [tag] of sheet.matchAll(COLUMNS)) {
    const [, first] = FIRST.exec(tag) ?? [];
    const [, last] = LAST.exec(tag) ?? [];
    const state = HIDDEN.test(tag) || NO_WIDTH.test(tag);
    isHidden.fill(state, Number(first ?? 1) - 1, Number(last ?? first ?? 1));
  }
  return headings.flatMap((cell, index) =>
    isHidden[index] && isFilled(cell) ? [String(cell).replace(/\s+/gu, ' ').trim()] : [],
  );
}

export function isFilled(cell: Cell): boolean {
  return cell !== null && cell !== '';
}
