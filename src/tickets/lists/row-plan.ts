import { type CancelledColumn, CountingValues, cancelledColumnNotes } from './cancelled-column.ts';
import { ChosenRows, isNone, type RowChoice } from './chosen-rows.ts';
import { formOf } from './headings.ts';
import type { TableOptions } from './match-columns.ts';
import type { RawRow } from './read-rows.ts';

/** What columns say of rows besides their tickets: which count, how often, which were cancelled, and what names them. */
export interface RowOptions extends Pick<TableOptions, 'map'> {
  /** The choices of rows. Only rows that pass all of them count. */
  readonly only?: readonly RowChoice[] | undefined;
  /** Rows that pass one of them were cancelled, whatever `only` says of them. */
  readonly cancelled?: readonly RowChoice[] | undefined;
  /** The heading of the column that says how many tickets a row asks for. */
  readonly quantity?: string | undefined;
  /** The headings of several columns that together are the reference. */
  readonly reference?: readonly string[] | undefined;
}

interface ReadRow {
  /** The row with the cells that the caller keeps, and its reference. */
  readonly row: RawRow & { readonly kept: readonly string[] };
  /** False for a row that does not count. */
  readonly isTaken: boolean;
  readonly isCancelled: boolean;
  /** How many tickets it stands for, as the list says it; undefined where no column does, and of a row that was cancelled. */
  readonly quantity: { readonly heading: string; readonly text: string } | undefined;
}

interface PlanOptions extends RowOptions, Pick<TableOptions, 'kept' | 'headings'> {
  /** Whether a row with the quantity 0 is one that was cancelled. */
  readonly mayBeNone: boolean;
}

/** The columns of a list that are read besides those of tickets: those that somebody names must be there, those of a map may be missing. */
export class RowPlan {
  readonly headings: readonly string[];
  readonly optional: readonly string[];
  readonly #keptCount: number;
  readonly #places: ReadonlyMap<string, number>;
  readonly #only: readonly Choice[];
  readonly #cancelled: readonly Choice[];
  /** The columns of `cancelled` that somebody named. */
  readonly #named: readonly NamedColumn[];
  readonly #quantities: readonly string[];
  readonly #mayBeNone: boolean;
  readonly #references: readonly (readonly string[])[];
  #hasCancelled = false;

  /** What somebody names takes the place of what the map says of the same column. */
  constructor({
    kept = [],
    headings,
    map,
    only = [],
    cancelled = [],
    quantity,
    mayBeNone,
    reference,
  }: PlanOptions) {
    this.#mayBeNone = mayBeNone;
    const hasReference = reference !== undefined || headings?.['reference'] !== undefined;
    this.#only = choicesOf(together(only, map?.only));
    this.#cancelled = choicesOf(together(cancelled, map?.cancelled));
    const chosen = new Set(this.#only.map(({ heading }) => formOf(heading)));
    this.#named = this.#cancelled.slice(0, cancelled.length).map((choice) => ({
      ...choice,
      values: new CountingValues(),
      isChosen: chosen.has(formOf(choice.heading)),
    }));
    this.#quantities = quantity === undefined ? (map?.quantity ?? []) : [quantity];
    this.#references = reference ? [reference] : hasReference ? [] : (map?.reference ?? []);
    const named = [...only, ...cancelled].map(({ heading }) => heading);
    const own = quantity === undefined ? [] : [quantity];
    this.headings = [...kept, ...named, ...own, ...(reference ?? [])];
    const all = [...this.#only, ...this.#cancelled].map(({ heading }) => heading);
    const known = new Set(this.headings);
    const more = [...all, ...this.#quantities, ...this.#references.flat()];
    this.optional = [...new Set(more)].filter((heading) => !known.has(heading));
    this.#keptCount = kept.length;
    const places = [...this.headings, ...this.optional].map(
      (heading, at) => [heading, at] as const,
    );
    this.#places = new Map(places);
  }

  /** Each choice counts its own values, also of rows that another leaves out. */
  read({ kept = [], ...raw }: RawRow): ReadRow {
    const cell = (heading: string) => kept[this.#places.get(heading) ?? -1];
    const passes = ({ heading, rows }: Choice) => {
      const text = cell(heading);
      return text === undefined ? undefined : rows.take(text);
    };
    const saysCancelled = this.#cancelled.map(passes).includes(true);
    this.#hasCancelled ||= saysCancelled;
    const isTaken = saysCancelled || !this.#only.map(passes).includes(false);
    const quantity = this.#quantityOf(cell);
    const isCancelled = saysCancelled || (this.#mayBeNone && isNone(quantity?.text ?? ''));
    if (isTaken && !isCancelled) this.#count(cell);
    const parts = this.#references
      .map((all) => all.map(cell))
      .find((all) => !all.includes(undefined));
    const reference = parts && joinedReference(parts);
    const cells =
      reference === undefined ? raw.cells : new Map([...raw.cells, ['reference', reference]]);
    const own = kept.slice(0, this.#keptCount).map((text) => text ?? '');
    return {
      row: { ...raw, cells, kept: own },
      isTaken,
      isCancelled,
      quantity: isCancelled ? undefined : quantity,
    };
  }

  #quantityOf(cell: CellOf): ReadRow['quantity'] {
    const heading = this.#quantities.find((one) => cell(one) !== undefined);
    return heading === undefined ? undefined : { heading, text: cell(heading) ?? '' };
  }

  /** Counts what a row that counts has where others were cancelled. */
  #count(cell: CellOf): void {
    for (const { heading, values, isChosen } of this.#named)
      if (!isChosen) values.add(cell(heading) ?? '');
  }

  /** Says what was left out. @throws TicketscanError `usage` if no row was chosen, and none was cancelled */
  end(): string[] {
    const leftOut = this.#only.flatMap(({ rows }) => {
      rows.check(this.#hasCancelled);
      return [...rows.leftOut()];
    });
    return [...leftOut, ...this.cancelledColumns().flatMap(cancelledColumnNotes)];
  }

  /** What the columns that somebody named for cancelled rows have besides. */
  cancelledColumns(): CancelledColumn[] {
    return this.#named.map(({ values, heading, rows }) => values.columnOf(heading, rows));
  }
}

/** Finds the cell of a heading in a row. */
type CellOf = (heading: string) => string | undefined;

/** A column that somebody named for cancelled rows. */
interface NamedColumn extends Choice {
  readonly values: CountingValues;
  /** Whether somebody also named the values of rows that count: no other has any effect. */
  readonly isChosen: boolean;
}

interface Choice {
  readonly heading: string;
  readonly rows: ChosenRows;
}

function choicesOf(choices: readonly RowChoice[]): Choice[] {
  return choices.map((choice) => ({ heading: choice.heading, rows: new ChosenRows(choice) }));
}

/** The choices of somebody, and those of a map for other columns. */
function together(
  own: readonly RowChoice[],
  ofMap: Readonly<Record<string, readonly string[]>> = {},
): RowChoice[] {
  const named = new Set(own.map(({ heading }) => formOf(heading)));
  const others = Object.entries(ofMap).filter(([heading]) => !named.has(formOf(heading)));
  return [...own, ...others.map(([heading, values]) => ({ heading, values }))];
}

/** `A-7` and `2` are `A-7-2`; nothing where a part is empty, because another row could have the same then. */
function joinedReference(parts: readonly (string | undefined)[]): string {
  const texts = parts.map((part = '') => part.trim());
  return texts.includes('') ? '' : texts.join('-');
}
