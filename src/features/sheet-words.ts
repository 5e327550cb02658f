import type { SheetLanguage } from '../core/records.ts';
import {
  CLOSING_WORDS,
  germanOf,
  LATE_WORDS,
  OTHER_FIGURE_WORDS,
  OUTCOME_WORDS,
} from '../core/scan-words.ts';
import { ofEachField } from '../core/ticket-fields.ts';
import { GERMAN_TICKET_HEADINGS } from '../core/ticket-members.ts';
import { csvLine, EXCEL_CSV, SHEET_CSV } from '../kit/csv.ts';
import { sanitizeForTerminal } from '../kit/text.ts';

/** The options of a file for a spreadsheet. */
export interface SheetWriting {
  readonly language: SheetLanguage;
  readonly timeZone: string;
}

/** The names of columns and values in a file for people. */
export interface SheetWords {
  /** The zone of the times, which do not name it. */
  readonly timeZone: string;
  readonly heading: (column: string) => string;
  readonly cell: <Cell>(column: string, value: Cell) => Cell | string;
}

const GERMAN_HEADINGS: Readonly<Record<string, string>> = {
  ...GERMAN_TICKET_HEADINGS,
  code: 'Ticketcode',
  day: 'Tag',
  hour: 'Stunde',
  gate: 'Tor',
  keyId: 'Schlüssel',
  serial: 'Seriennummer',
  type: GERMAN_TICKET_HEADINGS.ticketType,
  ...germanOf(CLOSING_WORDS),
  ...germanOf(OTHER_FIGURE_WORDS),
  mostInsideAt: `${OTHER_FIGURE_WORDS.mostInside[1]} um`,
  part: 'Teil',
  subject: 'Gezählt',
  id: 'Kennung',
  sequence: 'Nummer',
  at: 'Zeit',
  operation: 'Vorgang',
  outcome: 'Ergebnis',
  reason: 'Grund',
  reader: 'Leser',
  excerpt: 'Anfang des Codes',
  replayed: 'Wiederholt',
  undoneBy: 'Zurückgegeben durch',
  undoes: 'Gibt zurück',
  undoBy: 'Zurückgegeben von',
  undoReason: 'Grund der Rückgabe',
  direction: 'Richtung',
  done: 'Ausgeführt',
  site: 'Standort',
  late: 'Verspätet',
};

/** The name of a row without a ticket, or without an event of the organisation. */
export const NO_TICKET = '(no ticket)';
export const NO_EVENT = '(no event, or an unknown one)';

/** What a row says of a scan that a site sent after its event had been freed. */
export const LATE = LATE_WORDS[0];

const KINDS = { single: 'Einzelticket', multi: 'Mehrfachkarte', permanent: 'Dauerkarte' };
const OPERATIONS = {
  validate: 'Prüfen',
  consume: 'Einlassen',
  open: 'Öffnen',
  undo: 'Zurückgeben',
};
const ANSWERS = germanOf(OUTCOME_WORDS);
const GERMAN_VALUES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  type: { ...KINDS, [NO_TICKET]: '(kein Ticket)' },
  eventName: { [NO_EVENT]: '(keine oder unbekannte Veranstaltung)' },
  ticketType: KINDS,
  part: {
    total: 'Gesamt',
    day: 'Tag',
    eventName: 'Veranstaltung',
    gate: 'Tor',
    type: 'Ticketart',
    hour: 'Stunde',
  },
  operation: OPERATIONS,
  done: OPERATIONS,
  outcome: ANSWERS,
  reason: ANSWERS,
  direction: { in: 'Eingang', out: 'Ausgang' },
  state: { ...ANSWERS, cancelled: 'Storniert', valid: 'Gültig' },
  ...ofEachField(({ kind }) => (kind === 'flag' ? { true: 'ja' } : {})),
  replayed: { true: 'ja', false: 'nein' },
  byHand: { true: 'ja' },
  late: { [LATE]: LATE_WORDS[1] },
};

const TIME_COLUMN = /^at$|At$|^valid(?:From|Until)$/u;

/** Times are those of the zone, as a spreadsheet of the language reads them. */
export function sheetWords({ language, timeZone }: SheetWriting): SheetWords {
  const isGerman = language === 'de';
  const day = (iso: string) => (isGerman ? iso.split('-').reverse().join('.') : iso);
  const time = (iso: string) => {
    const [date = '', clock = ''] = new Date(iso).toLocaleString('sv-SE', { timeZone }).split(' ');
    return `${day(date)} ${clock}`;
  };
  return {
    timeZone,
    heading: (column) => (isGerman ? (GERMAN_HEADINGS[column] ?? column) : column),
    cell: (column, value) => {
      if (typeof value !== 'string') return value;
      if (column === 'day') return day(value);
      if (column === 'hour') return `${day(value.slice(0, 10))} ${value.slice(11, 16)}`;
      if (TIME_COLUMN.test(column)) return time(value);
      return (isGerman && GERMAN_VALUES[column]?.[value]) || value;
    },
  };
}

type Cell = string | number | boolean | null;

/** Writes rows for people as lines of CSV. @param words of a file for Excel */
export function csvWriter<Column extends string>(columns: readonly Column[], words?: SheetWords) {
  const dialect = words ? EXCEL_CSV : SHEET_CSV;
  const { heading = String, cell = <Cell>(_: string, value: Cell) => value } = words ?? {};
  return {
    head: (dialect.mark ? '\ufeff' : '') + csvLine(columns.map(heading), dialect),
    line: (row: { readonly [Name in Column]?: Cell | undefined }) =>
      csvLine(
        columns.map((name) => cell(name, cellOf(row[name] ?? null))),
        dialect,
      ),
  };
}

/** Serials, readers and the beginnings of forged codes come from anybody. */
function cellOf(value: Cell): string | number | null {
  if (typeof value === 'string') return sanitizeForTerminal(value);
  return typeof value === 'boolean' ? String(value) : value;
}
