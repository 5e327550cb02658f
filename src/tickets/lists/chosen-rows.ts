import { refuse } from '../../core/errors.ts';
import { foldedWithTwoLetters } from '../../core/folded-text.ts';

/** A choice of rows: only rows whose column has one of the values count. */
export interface RowChoice {
  readonly heading: string;
  readonly values: readonly string[];
}

/** A key that is equal for texts with the same meaning: `Ermäßigt` and `ERMAESSIGT` have the same. */
export function meaningKey(text: string): string {
  return foldedWithTwoLetters(text) || text.trim();
}

const VALUES_SHOWN = 20;

/** Chooses rows by one column, and counts what the others have there. */
export class ChosenRows {
  readonly #choice: RowChoice;
  readonly #wanted: ReadonlySet<string>;
  /** How many rows have each value. */
  readonly #rows = new Map<string, { readonly text: string; count: number }>();

  constructor(choice: RowChoice) {
    this.#choice = choice;
    this.#wanted = new Set(choice.values.map(meaningKey));
  }

  /** Whether a row with that cell counts. */
  take(cell: string): boolean {
    const key = meaningKey(cell);
    const seen = this.#rows.get(key);
    if (seen) seen.count += 1;
    else this.#rows.set(key, { text: cell.trim(), count: 1 });
    return this.#wanted.has(key);
  }

  /** Says which values the rows had that were left out, and how many; nothing when none were. */
  leftOut(): string[] {
    const others = [...this.#rows].filter(([key]) => !this.#wanted.has(key));
    if (others.length === 0) return [];
    return [`Rows left out by ${this.#choice.heading}: ${this.#shown(others)}.`];
  }

  /** @throws TicketscanError `usage` when rows were read and none of them counts: a value is mistyped */
  check(): void {
    const values = [...this.#rows];
    if (values.length === 0 || values.some(([key]) => this.#wanted.has(key))) return;
    const wanted = this.#choice.values.map((value) => value || '""').join(', ');
    throw refuse('rows_none_chosen', {
      heading: this.#choice.heading,
      wanted,
      values: this.#shown(values),
    });
  }

  #shown(
    values: readonly (readonly [string, { readonly text: string; readonly count: number }])[],
  ) {
    const shown = values.slice(0, VALUES_SHOWN).map(([, { text, count }]) => {
      return `${text === '' ? '""' : text} (${count})`;
    });
    return [...shown, ...(values.length > VALUES_SHOWN ? ['…'] : [])].join(', ');
  }
}

const QUANTITY_MAX = 1000;

/** Reads how many tickets a row with an id asks for. @throws TicketscanError `usage` for another number than one */
export function oneTicketFrom(text: string): number {
  const count = quantityFrom(text);
  if (count === 1) return 1;
  throw refuse('row_one_ticket', { count });
}

/** How many tickets a row asks for. @throws TicketscanError `usage` */
export function quantityFrom(text: string): number {
  const digits = /^(\d{1,4})(?:[.,]0+)?$/u.exec(text.trim())?.[1];
  const count = Number(digits ?? 0);
  if (count >= 1 && count <= QUANTITY_MAX) return count;
  throw refuse('row_quantity', { text, max: QUANTITY_MAX });
}
