import stringWidth from 'string-width';
import { padded } from '../kit/display-width.ts';
import { sanitizeForTerminal } from '../kit/safe-text.ts';

/** Lines of text in aligned columns, the first row being the heads. Empty when there are no other rows. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  const all = [heads, ...rows].map((row) => row.map(sanitizeForTerminal));
  const widths = heads.map((_, column) =>
    all.reduce((widest, row) => Math.max(widest, stringWidth(row[column] ?? '')), 0),
  );
  return all.map((row) =>
    row
      .map((cell, column) => padded(cell, widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
