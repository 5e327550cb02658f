import { csvRecords } from '../../kit/csv.ts';

/** A list in two, each as a list of its own: the rows that can be stored, and the others, as they were written. */
export interface PartedList {
  readonly good: string;
  readonly bad: string;
}

/**
 * Takes the rows with a fault out of a list. In CSV both parts begin with the headings; a row keeps its lines as they are, with the
 * breaks that a quoted cell may have.
 * @param badLines the lines where those rows begin, as an editor counts
 */
export async function partedList(
  text: string,
  badLines: readonly number[],
  isCsv: boolean,
): Promise<PartedList> {
  const isBad = new Set(badLines);
  const lineEnd = text.includes('\n') ? '\n' : '\r';
  const lines = text.replace(/^\ufeff/u, '').split(lineEnd);
  const starts = isCsv ? await rowStarts(lines) : lines.map((_, index) => index + 1);
  // A row reaches to the next one; what comes before the first are the headings.
  const rows = starts.map((start, index) => ({
    start,
    lines: lines.slice(start - 1, (starts[index + 1] ?? lines.length + 1) - 1),
  }));
  const head = lines.slice(0, (starts[0] ?? 1) - 1);
  const listOf = (wanted: boolean) => {
    const taken = rows.filter(({ start }) => isBad.has(start) === wanted);
    return [...head, ...taken.flatMap((row) => row.lines), ''].join(lineEnd);
  };
  return { good: listOf(false), bad: listOf(true) };
}

/** The lines where the rows below the headings begin. */
async function rowStarts(lines: readonly string[]): Promise<number[]> {
  const starts: number[] = [];
  for await (const record of csvRecords(each(lines))) {
    const isBlank = 'cells' in record && record.cells.every((cell) => cell.trim() === '');
    if (!isBlank) starts.push(record.line);
  }
  return starts.slice(1);
}

async function* each(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}
