import { refuse, TicketscanError } from '../../core/errors.ts';
import { foldedWithTwoLetters } from '../../core/folded-text.ts';
import { asNamed, asQuoted, betweenCommas, namedPart, pastable } from './named-parts.ts';

/** A choice of rows: only rows whose column has one of the values count. */
export interface RowChoice {
  readonly heading: string;
  readonly values: readonly string[];
  /** What several of the values are when the comma between them belongs to the text. */
  readonly joined?: readonly JoinedValue[];
}

/** A text with commas that a column may have as one value, and the values that it is otherwise. */
interface JoinedValue {
  readonly text: string;
  readonly parts: readonly string[];
}

/** No more commas are in a value that people choose by. */
const PARTS_JOINED_MAX = 8;

/** Every text that neighbours in a list of values can be together. What is quoted is a value of its own. */
export function joinedValues(list: string): JoinedValue[] {
  const pieces = betweenCommas(list);
  return pieces.flatMap((_, from) =>
    pieces.slice(from + 1, from + PARTS_JOINED_MAX).flatMap((__, index): JoinedValue[] => {
      const joined = pieces.slice(from, from + index + 2);
      if (joined.some((piece) => piece === '' || namedPart(piece).isQuoted)) return [];
      return [{ text: joined.join(', '), parts: joined }];
    }),
  );
}

/** A key that is equal for texts with the same meaning: `Ermäßigt` and `ERMAESSIGT` have the same. */
export function meaningKey(text: string): string {
  return foldedWithTwoLetters(text) || text.trim();
}

const VALUES_SHOWN = 20;

/** A value of a column, and the rows that have it. */
interface SeenValue {
  readonly text: string;
  readonly isTaken: boolean;
  count: number;
}

/** Chooses rows by one column, and counts what the others have there. */
export class ChosenRows {
  readonly #choice: RowChoice;
  readonly #wanted: ReadonlySet<string>;
  readonly #joined: ReadonlySet<string>;
  readonly #rows = new Map<string, SeenValue>();

  constructor(choice: RowChoice) {
    this.#choice = choice;
    this.#wanted = new Set(choice.values.map(meaningKey));
    this.#joined = new Set((choice.joined ?? []).map(({ text }) => joinedKey(text)));
  }

  /** Whether a row with that cell counts. */
  take(cell: string): boolean {
    const key = joinedKey(cell);
    const isTaken = this.#wanted.has(meaningKey(cell)) || this.#joined.has(key);
    const seen = this.#rows.get(key);
    if (seen) seen.count += 1;
    else this.#rows.set(key, { text: cell.trim(), isTaken, count: 1 });
    return isTaken;
  }

  /** The values that no row had. */
  unseen(): string[] {
    const { values, joined = [] } = this.#choice;
    const seen = new Set([...this.#rows.values()].map(({ text }) => meaningKey(text)));
    const isPart = (value: string) =>
      joined.some(({ text, parts }) => parts.includes(value) && this.#rows.has(joinedKey(text)));
    return values.filter((value) => !seen.has(meaningKey(value)) && !isPart(value));
  }

  /** Says which values the rows had that were left out, and how many; nothing when none were. */
  leftOut(): string[] {
    const others = [...this.#rows.values()].filter(({ isTaken }) => !isTaken);
    if (others.length === 0) return [];
    return [`Rows left out by ${this.#choice.heading}: ${this.#shown(others)}.`];
  }

  /**
   * @param mayBeNone whether other rows count in another way
   * @throws TicketscanError `usage` when rows were read and none of them counts: a value is mistyped; or when a text may be one value or several
   */
  check(mayBeNone: boolean): void {
    this.#checkJoined();
    const values = [...this.#rows.values()];
    if (mayBeNone || values.length === 0 || values.some(({ isTaken }) => isTaken)) return;
    throw refuse('rows_none_chosen', {
      heading: this.#choice.heading,
      wanted: this.#choice.values.map(asNamed).join(', '),
      values: this.#shown(values),
    });
  }

  /** @throws TicketscanError `usage` where the column has a text with commas, and also another value that this text names */
  #checkJoined(): void {
    const { heading, joined = [] } = this.#choice;
    const seen = joined.filter(({ text }) => this.#rows.has(joinedKey(text)));
    for (const { text, parts } of seen) {
      const overlapping = seen.filter((one) => sharesPart(one.parts, parts)).map(textOf);
      const others = [...parts, ...overlapping].map(joinedKey).filter((key) => this.#rows.has(key));
      const [whole, other] = [joinedKey(text), others.find((key) => key !== joinedKey(text))];
      if (other === undefined) continue;
      const [one, another] = [whole, other].map((key) => this.#rows.get(key)?.text);
      const [together, apart] = [asQuoted(text), parts.map(asQuoted).join(',')].map((values) =>
        pastable(`${asNamed(heading)}=${values}`),
      );
      throw new TicketscanError(
        'usage',
        `--only: ${text} may be one value of ${heading} or several: the column has both "${one}" and "${another}". For the one value write --only ${together}, for each of them --only ${apart}.`,
      );
    }
  }

  #shown(values: readonly SeenValue[]): string {
    const shown = values
      .slice(0, VALUES_SHOWN)
      .map(({ text, count }) => `${asNamed(text)} (${count})`);
    return [...shown, ...(values.length > VALUES_SHOWN ? ['…'] : [])].join(', ');
  }
}

/** Folds a text as `meaningKey` does, but keeps commas: `paid, free` is not `paid free`. */
function joinedKey(text: string): string {
  return text.split(',').map(meaningKey).join();
}

function textOf({ text }: JoinedValue): string {
  return text;
}

function sharesPart(some: readonly string[], others: readonly string[]): boolean {
  return some.some((part) => others.includes(part));
}

/** `1.000` is a thousand in one country and one in another. */
const THOUSANDS = /^\d{1,3}(?:[.,'’\s]\d{3})+$/u;
const THOUSANDS_ADVICE =
  'It may have a sign between thousands. Write digits alone: 1000 for a thousand, 1 for one.';

function mayBeThousands(text: string): boolean {
  return THOUSANDS.test(text.trim());
}

const QUANTITY_MAX = 1000;

/** Reads how many tickets a row with an id asks for. @throws TicketscanError `usage` for another number than one */
export function oneTicketFrom(text: string): number {
  const count = quantityFrom(text);
  if (count === 1) return 1;
  throw refuse('row_one_ticket', { count });
}

const NONE = /^0{1,4}(?:[.,]0+)?$/u;

/** Whether a row says that no ticket of it is left: all of them were refunded. */
export function isNone(text: string): boolean {
  return NONE.test(text.trim());
}

/** How many tickets a row asks for; 0 where all of them were refunded. @throws TicketscanError `usage` */
export function quantityFrom(text: string): number {
  if (isNone(text)) return 0;
  const digits = /^(\d{1,4})(?:[.,]0+)?$/u.exec(text.trim())?.[1];
  const count = Number(digits ?? Number.NaN);
  const isThousands = mayBeThousands(text);
  if (count <= QUANTITY_MAX && !isThousands) return count;
  const detail = isThousands ? THOUSANDS_ADVICE : undefined;
  throw refuse('row_quantity', { text, max: QUANTITY_MAX }, { ...(detail && { detail }) });
}
