import { sanitizeForTerminal } from '../kit/safe-text.ts';

/** Lines of text in aligned columns, the first row being the heads. Empty when there are no other rows. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  const all = [heads, ...rows].map((row) => row.map(sanitizeForTerminal));
  const widths = heads.map((_, column) =>
    Math.max(...all.map((row) => (row[column] ?? '').length)),
  );
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
