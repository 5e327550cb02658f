import { isAhead, isoTime } from '../../core/clock.ts';
import { parseDateTime } from '../../core/date-time.ts';
import { refuse } from '../../core/errors.ts';
import { foldedText, isSameName } from '../../core/folded-text.ts';
import { USES_PERMANENT } from '../../core/limits.ts';
import type { Ticket, TicketKind, TicketTerms, ValidityWindow } from '../../core/ticket.ts';
import {
  checkWindow,
  holderFrom,
  TICKET_KINDS,
  typeOfKind,
  usesAllowedFor,
} from '../../core/ticket.ts';
import { splitTicketCode } from '../../core/ticket-code.ts';
import { fieldFromText, withoutEmptyFields } from '../../core/ticket-field-values.ts';
import { ofEachField } from '../../core/ticket-fields.ts';
import { eventOfTicketId, isBatchId } from '../../core/ticket-id.ts';
import { GERMAN_TICKET_HEADINGS as GERMAN } from '../../core/ticket-members.ts';
import { checkTimeZone } from '../../core/time-zone.ts';
import { type CellReader, type ReadList, type ReadOptions, readList } from './read-list.ts';
import type { ByteSource } from './read-text.ts';
import { SPEC_COLUMNS } from './spec-columns.ts';

/** The columns of a list of tickets to make for one event, which a row may name. */
export const NEW_TICKET_COLUMNS = {
  ...SPEC_COLUMNS,
  event: ['eventName', GERMAN.eventName],
} as const;

/** The history of a ticket: the last columns of an export. */
const HISTORY_COLUMNS = {
  createdAt: [GERMAN.createdAt],
  lastConsumedAt: [GERMAN.lastConsumedAt],
  cancelledAt: [GERMAN.cancelledAt],
  /** `Charge` is what older German lists call it. */
  batch: [GERMAN.batch, 'Charge'],
} as const;

/** The columns of a list of tickets that exist already, as an export writes it. */
export const RECORD_COLUMNS = {
  ticketId: ['id', GERMAN.ticketId, 'Ticketnummer'],
  code: ['Ticketcode'],
  event: [GERMAN.event],
  eventName: [GERMAN.eventName],
  ...SPEC_COLUMNS,
  usesConsumed: [GERMAN.usesConsumed],
  /** Follows from the rest and the time: an export writes it, and nobody reads it. */
  state: [GERMAN.state],
  ...HISTORY_COLUMNS,
  /** The zone of the times in this row that name none. */
  timeZone: [GERMAN.timeZone],
} as const;

const { type: _, uses: __, name: ___, ...PLAIN_COLUMNS } = SPEC_COLUMNS;

/** Everything there is of a ticket, under the names that an import reads; it ignores the state. */
export const EXPORT_COLUMNS: readonly string[] = [
  'ticketId',
  'event',
  'eventName',
  'ticketType',
  'usesAllowed',
  'usesConsumed',
  'state',
  ...Object.keys({ ...PLAIN_COLUMNS, ...HISTORY_COLUMNS }),
];

export interface SpecDefaults {
  /** The type of rows that name none. */
  readonly kind: TicketKind;
  /** The window of rows whose cells are empty. */
  readonly window: ValidityWindow;
  /** The uses of multi-use cards whose cell is empty. */
  readonly uses: number | undefined;
  readonly timeZone: string;
}

/** Reads the reference of a row that must have one of its own. */
class OwnReferences {
  readonly #lines = new Map<string, number>();

  check(cells: CellReader): void {
    const { line } = cells.row;
    cells.read('reference', (text) => {
      const reference = fieldFromText('reference', text);
      if (typeof reference !== 'string') throw refuse('row_reference_missing');
      const earlier = this.#lines.get(reference);
      if (earlier !== undefined) throw refuse('row_reference_twice', { line: earlier });
      this.#lines.set(reference, line);
    });
  }
}

/** Whether each row must have a reference, which no other row has. */
interface UniqueReferences {
  readonly uniqueReference?: boolean | undefined;
}

interface NewTicketContext extends UniqueReferences {
  readonly defaults: SpecDefaults;
  /** The event of the tickets. */
  readonly event: { readonly id: string; readonly name: string };
}

/** A ticket that a row asks for, and the cells of its kept headings. */
interface TicketSpec {
  readonly line: number;
  readonly terms: TicketTerms;
  readonly kept: readonly string[];
}

/** A row that says of itself that it was cancelled. It asks for no ticket. */
interface CancelledRow {
  readonly line: number;
  /** Undefined where the row has none: nobody can tell whose ticket it was. */
  readonly reference: string | undefined;
}

/** The tickets that a list asks for, and the rows of it that were cancelled. */
export interface SpecList extends ReadList<TicketSpec> {
  readonly cancelled: readonly CancelledRow[];
}

/** Reads the tickets that a list asks for. @throws TicketscanError `usage` */
export async function readSpecList(
  source: string | ByteSource,
  { defaults, event, uniqueReference, ...options }: ReadOptions & NewTicketContext,
): Promise<SpecList> {
  const references = new OwnReferences();
  const cancelled: CancelledRow[] = [];
  const columns = NEW_TICKET_COLUMNS;
  const list = await readList(source, { columns }, options, (cells, isCancelled) => {
    const { line, kept = [] } = cells.row;
    // What else is in a row that was cancelled may be empty by now.
    const terms = isCancelled ? undefined : readTerms(cells, defaults);
    cells.read('event', (text) => checkChosenEvent(text.trim(), event));
    if (uniqueReference) references.check(cells);
    if (isCancelled) cancelled.push({ line, reference: referenceOf(cells) });
    return terms && { line, terms, kept: kept.map((text) => text ?? '') };
  });
  return { ...list, cancelled };
}

function referenceOf(cells: CellReader): string | undefined {
  const reference = cells.read('reference', (text) => fieldFromText('reference', text));
  return typeof reference === 'string' ? reference : undefined;
}

/** A ticket of a list, with the name of its event where the list has it. */
export interface TicketRecord {
  readonly line: number;
  readonly ticket: Ticket;
  readonly eventName: string;
}

export interface RecordContext extends UniqueReferences {
  /** The zone of times without one. */
  readonly timeZone: string;
  /** Milliseconds since 1970 UTC; the time of creation for rows that do not say it. */
  readonly now: number;
  /** The names of events by their ids: a row may name its event by either. */
  readonly eventNames?: ReadonlyMap<string, string> | undefined;
}

/** The tickets of a list that exist already. @throws TicketscanError `usage` */
export function readTicketList(
  source: string | ByteSource,
  { timeZone, now, eventNames, uniqueReference, ...options }: ReadOptions & RecordContext,
): Promise<ReadList<TicketRecord>> {
  const context = { timeZone: checkTimeZone(timeZone), now, eventNames };
  const lines = new Map<string, number>();
  const references = new OwnReferences();
  const table = { columns: RECORD_COLUMNS, required: 'ticketId', hasIds: true };
  return readList(source, table, options, (cells) => {
    const record = recordFrom(cells, context);
    if (record) cells.read('ticketId', () => checkOnlyOnce(record, lines));
    if (uniqueReference) references.check(cells);
    return record;
  });
}

function checkOnlyOnce({ ticket: { id }, line }: TicketRecord, lines: Map<string, number>): void {
  const earlier = lines.get(id);
  if (earlier === undefined) lines.set(id, line);
  else throw refuse('row_twice', { line: earlier });
}

/** The ticket that a row describes; undefined when it has issues. */
function recordFrom(
  cells: CellReader,
  { timeZone: usual, now, eventNames = new Map() }: RecordContext,
): TicketRecord | undefined {
  const read = <Value>(column: string, convert: (text: string) => Value) =>
    cells.read(column, (text) => convert(text.trim()));
  const timeZone = read('timeZone', (text) => (text ? checkTimeZone(text) : usual));
  if (timeZone === undefined) return undefined;
  const terms = readTerms(cells, { ...NO_DEFAULTS, timeZone });
  const dateTime = (text: string) => (text === '' ? null : pastDateTime(text, timeZone, now));
  const id = read('ticketId', ticketIdFrom) ?? '';
  read('event', (text) => checkEventOf(id, text, eventNames));
  read('code', (text) => checkCode(text, id));
  const createdAt = read('createdAt', dateTime) ?? now;
  const lastConsumedAt = read('lastConsumedAt', dateTime) ?? null;
  const cancelledAt = read('cancelledAt', dateTime) ?? null;
  const batch = read('batch', batchFrom);
  const allowed = terms?.usesAllowed ?? Number.MAX_SAFE_INTEGER;
  const usesConsumed = read('usesConsumed', (text) => countFrom(text, allowed)) ?? 0;
  if (!terms || cells.issues.length > 0) return undefined;
  const { line, cells: texts } = cells.row;
  const eventId = eventOfTicketId(id) ?? '';
  const history = { createdAt, usesConsumed, lastConsumedAt, cancelledAt };
  const ticket = { id, eventId, ...terms, ...history, ...(batch && { batch }) };
  return { line, ticket, eventName: texts.get('eventName') ?? '' };
}

const NO_DEFAULTS: Omit<SpecDefaults, 'timeZone'> = {
  kind: 'single',
  uses: undefined,
  window: { validFrom: null, validUntil: null },
};

/** Reads kind, uses, holder, window and fields of a ticket; undefined if a cell is wrong. */
function readTerms(cells: CellReader, defaults: SpecDefaults): TicketTerms | undefined {
  const issuesBefore = cells.issues.length;
  const uses = cells.read('uses', usesFrom);
  const type = cells.read('type', (text) => kindFrom(text, uses, defaults));
  const usesAllowed =
    type && cells.read('uses', () => usesAllowedFor(type.kind, uses ?? type.uses));
  const firstName = cells.read('firstName', nameFrom);
  const lastName = cells.read('lastName', nameFrom);
  const whole = cells.read('name', nameFrom)?.trim();
  const bound = (name: keyof ValidityWindow) => (text: string) => boundFrom(text, name, defaults);
  const validFrom = cells.read('validFrom', bound('validFrom'));
  const validUntil = cells.read('validUntil', bound('validUntil'));
  if (validFrom !== undefined && validUntil !== undefined) {
    cells.read('validUntil', () => checkWindow({ validFrom, validUntil }));
  }
  const fields = ofEachField((_, name) => cells.read(name, (text) => fieldFromText(name, text)));
  if (cells.issues.length > issuesBefore || !type || !usesAllowed) return undefined;
  return withoutEmptyFields({
    ticketType: typeOfKind(type.kind),
    usesAllowed,
    holder: whole ? holderFrom('', whole) : holderFrom(firstName, lastName),
    validFrom: validFrom ?? null,
    validUntil: validUntil ?? null,
    ...fields,
  });
}

/** Matches the dates that tills write for a ticket without an end. A time with an offset means that moment. */
const WITHOUT_END = /^(?:9999-12-31|31\.12\.9999)(?:$|[T\s][\d:.]*Z?$)/u;

function boundFrom(
  text: string,
  name: keyof ValidityWindow,
  { window, timeZone }: SpecDefaults,
): number | null {
  if (text.trim() === '') return window[name];
  if (name === 'validUntil' && WITHOUT_END.test(text.trim())) return null;
  return boundIn(timeZone)(text, name);
}

/** Reads a bound of a window: a day without a time is the whole day. */
export function boundIn(timeZone: string) {
  return (text: string, name: keyof ValidityWindow) =>
    parseDateTime(text, name === 'validFrom' ? 'from' : 'until', timeZone);
}

const GERMAN_KINDS: Readonly<Record<string, TicketKind>> = {
  einzelticket: 'single',
  einzelkarte: 'single',
  tageskarte: 'single',
  mehrfachkarte: 'multi',
  mehrfachticket: 'multi',
  zehnerkarte: 'multi',
  dauerkarte: 'permanent',
  dauerticket: 'permanent',
  saisonkarte: 'permanent',
  jahreskarte: 'permanent',
};
/** The uses that the name of a type alone says, for rows without a number. */
const USES_BY_NAME: Readonly<Record<string, number>> = { zehnerkarte: 10 };

/** The kind that a row means: on the wire a permanent card is a `multi` with 9999 uses, and lists that a program wrote say so too. */
function kindFrom(
  text: string,
  uses: number | undefined,
  defaults: SpecDefaults,
): { readonly kind: TicketKind; readonly uses: number | undefined } {
  const name = foldedText(text);
  const kind =
    name === '' ? defaults.kind : (TICKET_KINDS.find((one) => one === name) ?? GERMAN_KINDS[name]);
  if (name !== '' && kind === 'multi' && uses === USES_PERMANENT)
    return { kind: 'permanent', uses };
  if (kind)
    return { kind, uses: kind === 'multi' ? (USES_BY_NAME[name] ?? defaults.uses) : undefined };
  throw refuse('kind_unknown', { text });
}

function usesFrom(text: string): number | undefined {
  const digits = text.trim();
  if (digits === '') return undefined;
  if (/^\d{1,6}$/.test(digits)) return Number(digits);
  throw refuse('uses_number', { text });
}

/** The rule for a name is core's; asked for each alone, so that the right column is named. */
function nameFrom(text: string): string {
  holderFrom(text, undefined);
  return text;
}

function checkChosenEvent(named: string, { id, name }: NewTicketContext['event']): void {
  if (named === '' || named === id || isSameName(named, name)) return;
  throw refuse('row_other_event', { named, chosen: name });
}

/** Reads a time in the past: after a time in the future, later uses would be in the future too. */
function pastDateTime(text: string, timeZone: string, now: number): number {
  const dateTime = parseDateTime(text, 'from', timeZone);
  if (!isAhead(dateTime, now)) return dateTime;
  throw refuse('row_future', { text }, { detail: `It is ${isoTime(now)} now.` });
}

function ticketIdFrom(text: string): string {
  if (eventOfTicketId(text) !== undefined) return text;
  throw refuse('row_ticket_id', { text });
}

function batchFrom(text: string): string {
  if (text === '' || isBatchId(text)) return text;
  throw refuse('row_batch', { text });
}

function checkEventOf(
  ticketId: string,
  named: string,
  eventNames: ReadonlyMap<string, string>,
): void {
  const eventId = eventOfTicketId(ticketId);
  if (named === '' || eventId === undefined || eventId === named) return;
  if (isSameName(eventNames.get(eventId) ?? '', named)) return;
  throw refuse('row_other_event', { named });
}

function checkCode(text: string, ticketId: string): void {
  if (text === '' || ticketId === '' || splitTicketCode(text)?.ticketId === ticketId) return;
  throw refuse('row_code');
}

function countFrom(text: string, allowed: number): number {
  // `1.000` may be a thousand: only one or two zeros are surely behind a decimal sign.
  const digits = text === '' ? '0' : /^(\d{1,6})(?:[.,]0{1,2})?$/u.exec(text)?.[1];
  if (digits !== undefined && Number(digits) <= allowed) return Number(digits);
  throw refuse('row_consumed', { text, max: allowed });
}
