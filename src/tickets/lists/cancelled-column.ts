import { type ChosenRows, meaningKey } from './chosen-rows.ts';
import { asNamed } from './named-parts.ts';

/** A column that says which rows were cancelled, and what it has besides. */
export interface CancelledColumn {
  readonly heading: string;
  /** The first of the values of rows that count, and how many rows have each. */
  readonly counting: readonly { readonly text: string; readonly count: number }[];
  /** How many more values such rows have. */
  readonly more: number;
  /** Values that were to mean cancelled, and that no row has. */
  readonly unseen: readonly string[];
}

const VALUES_SHOWN = 20;

/** Counts what rows that count have in a column that says what was cancelled: a word that nobody named makes tickets. */
export class CountingValues {
  readonly #rows = new Map<string, { readonly text: string; count: number }>();

  add(cell: string): void {
    const text = cell.trim();
    const seen = this.#rows.get(meaningKey(text));
    if (seen) seen.count += 1;
    else this.#rows.set(meaningKey(text), { text, count: 1 });
  }

  columnOf(heading: string, rows: ChosenRows): CancelledColumn {
    const values = [...this.#rows.values()];
    const counting = values.slice(0, VALUES_SHOWN);
    return { heading, counting, more: values.length - counting.length, unseen: rows.unseen() };
  }
}

/** What a person should know of such a column. */
export function cancelledColumnNotes({
  heading,
  counting,
  more,
  unseen,
}: CancelledColumn): string[] {
  const named = counting.map(({ text, count }) => `${asNamed(text)} (${count})`);
  if (more > 0) named.push('…');
  return [
    ...(named.length > 0 ? [`Rows that count as valid by ${heading}: ${named.join(', ')}.`] : []),
    ...(unseen.length > 0
      ? [`No row has ${unseen.map(asNamed).join(', ')} in the column ${heading}.`]
      : []),
  ];
}
