import { TicketscanError } from '../../core/errors.ts';
import type { RawRow } from './row-issue.ts';

/** What the texts of one column mean here; texts are compared without case and outer blanks. */
type ValueMap = ReadonlyMap<string, string>;

/** By the name of a column. */
export type ValueMaps = Readonly<Record<string, ValueMap>>;

/**
 * Reads `VIP=Summer pool,Day=Winter pool`: a text of the list, and what it is here.
 * @param option as it is typed, for the message
 * @throws TicketscanError `usage` for another form, and for a text that is named twice
 */
export function parseValueMap(text: string, option: string): Map<string, string> {
  const map = new Map<string, string>();
  for (const pair of text.split(',')) {
    const at = pair.indexOf('=');
    const [from, to] = [formOf(pair.slice(0, Math.max(at, 0))), pair.slice(at + 1).trim()];
    if (from === '' || to === '') {
      throw new TicketscanError(
        'usage',
        `${option}: "${pair}" is not a pair. Write TEXT=MEANING, separated by commas, such as VIP=permanent.`,
      );
    }
    if (map.has(from)) {
      throw new TicketscanError('usage', `${option} names "${from}" twice: once is enough.`);
    }
    map.set(from, to);
  }
  return map;
}

/** The row with what its texts mean. */
export function withMeanings(row: RawRow, maps: ValueMaps): RawRow {
  const entries = Object.entries(maps);
  if (entries.length === 0) return row;
  const cells = new Map(row.cells);
  for (const [column, map] of entries) {
    const meaning = map.get(formOf(cells.get(column) ?? ''));
    if (meaning !== undefined) cells.set(column, meaning);
  }
  return { ...row, cells };
}

function formOf(text: string): string {
  return text.trim().toLowerCase();
}
