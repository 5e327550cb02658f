import { csvWriter, NO_EVENT, NO_TICKET, type SheetWords } from '../sheet-words.ts';
import {
  CLOSING_FIGURES,
  CLOSING_PARTS,
  type ClosingFigures,
  type ClosingRow,
  type ScanClosing,
} from './closing.ts';

/** What each part of a closing is about, also as the column of its subject. */
const SUBJECT_OF = {
  totals: 'total',
  byDay: 'day',
  byEvent: 'eventName',
  byGate: 'gate',
  byType: 'type',
  byHour: 'hour',
} as const;

const OTHER = 'other ';
const DIFFERENCE = 'difference ';
const DENIED = 'denied ';

/** The names of parts and of figures beside each other. */
const GERMAN = { [OTHER]: 'Daneben: ', [DIFFERENCE]: 'Unterschied: ', [DENIED]: 'Abgewiesen: ' };

/**
 * A closing as one table of CSV: each row says of which part it is, and what it is about.
 * @param words writes it for Excel
 */
export function* closingCsv(closing: ScanClosing, words?: SheetWords): Generator<string> {
  const parts = ['totals' as const, ...CLOSING_PARTS];
  const rows = parts.flatMap((part) =>
    [closing[part]].flat().map((row) => ({ part: SUBJECT_OF[part], row })),
  );
  const reasons = new Set(
    rows.flatMap(({ row }) => [...row.reasons, ...(row.other?.reasons ?? [])].map(reasonOf)),
  );
  const figures = [...CLOSING_FIGURES, ...[...reasons].map((reason) => DENIED + reason)];
  const beside = closing.other === null ? [] : [...figures, 'mostInside'];
  const columns = [
    'part',
    'subject',
    'id',
    ...figures,
    'mostInside',
    'mostInsideAt',
    ...(closing.other === null ? [] : [`${OTHER}day`]),
    ...beside.flatMap((name) => [OTHER + name, DIFFERENCE + name]),
    ...(closing.other === null ? [] : [`${OTHER}mostInsideAt`]),
  ];
  const { head, line } = csvWriter(columns, words && headed(words));
  yield head;
  for (const { part, row } of rows) yield line(cellsOf(part, row, words));
}

function reasonOf({ reason }: { readonly reason: string }): string {
  return reason;
}

/** Headings are made of two: which figures, and which of them. */
function headed(words: SheetWords): SheetWords {
  const isGerman = words.heading('day') !== 'day';
  const heading = (column: string): string => {
    for (const [prefix, german] of Object.entries(GERMAN)) {
      if (!column.startsWith(prefix)) continue;
      const rest = column.slice(prefix.length);
      const named = prefix === DENIED ? words.cell('reason', rest) : heading(rest);
      return isGerman ? german + named : prefix + named;
    }
    return words.heading(column);
  };
  const cell = <Cell>(column: string, value: Cell) => words.cell(column.replace(OTHER, ''), value);
  return { ...words, heading, cell };
}

type Cells = Record<string, string | number | null>;

function cellsOf(part: string, row: ClosingRow, words: SheetWords | undefined): Cells {
  const { other } = row;
  const own = figuresOf(row);
  const cells: Cells = { part, ...subjectOf(part, row, words), ...own };
  if (!other) return cells;
  const theirs = figuresOf(other);
  for (const name of new Set([...Object.keys(own), ...Object.keys(theirs)])) {
    const [one = null, beside = null] = [own[name], theirs[name]];
    cells[OTHER + name] = beside ?? (name.startsWith(DENIED) ? 0 : null);
    if (name === 'mostInsideAt') continue;
    cells[DIFFERENCE + name] = Number(one ?? 0) - Number(beside ?? 0);
  }
  cells[`${OTHER}day`] = other.day ?? null;
  return cells;
}

type Counted = ClosingFigures & Pick<ClosingRow, 'reasons' | 'mostInside'>;

function figuresOf(row: Counted): Cells {
  const { reasons, mostInside } = row;
  return {
    ...Object.fromEntries(CLOSING_FIGURES.map((name) => [name, row[name]])),
    ...Object.fromEntries(reasons.map(({ reason, count }) => [DENIED + reason, count])),
    mostInside: mostInside?.people ?? null,
    mostInsideAt: mostInside === null ? null : new Date(mostInside.at).toISOString(),
  };
}

/** What a row is about, in a file for people in their words. */
function subjectOf(part: string, row: ClosingRow, words: SheetWords | undefined): Cells {
  const { day, event, eventName, gate, keyId, type, hour } = row;
  const id = event ?? keyId ?? null;
  if (part === 'total') return { subject: null, id };
  const subject =
    day ?? hour ?? gate ?? (event === undefined ? (type ?? NO_TICKET) : (eventName ?? event));
  // An hour has no day: it is the same in every zone.
  const isHour = part === 'hour';
  const text = subject ?? NO_EVENT;
  return { subject: words && !isHour ? words.cell(part, text) : text, id };
}
