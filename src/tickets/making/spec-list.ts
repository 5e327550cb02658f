import type { TicketTerms } from '../../core/ticket.ts';
import { readCsv } from '../lists/read-csv.ts';
import { readJson } from '../lists/read-json.ts';
import type { ByteSource } from '../lists/read-text.ts';
import type { RawRow, RowIssue } from '../lists/row-issue.ts';
import { SPEC_COLUMNS, type SpecDefaults, specFromRow } from '../lists/ticket-spec.ts';
import { withMeanings } from '../lists/value-map.ts';
import type { ListOptions } from './import-tickets.ts';

/** The columns of a list of tickets to make for one event, which a row may name. */
export const NEW_TICKET_COLUMNS = {
  ...SPEC_COLUMNS,
  event: ['eventName', 'Veranstaltung'],
} as const;

export interface SpecListOptions extends Omit<ListOptions, 'timeZone' | 'now' | 'eventNames'> {
  readonly defaults: SpecDefaults;
  /** Whose tickets they become. */
  readonly event: { readonly id: string; readonly name: string };
}

/** What tickets a list asks for, and everything that is wrong with its rows. @throws TicketscanError `usage` */
export async function readSpecList(
  source: string | ByteSource,
  { defaults, event, bounds, meanings = {}, ...list }: SpecListOptions,
): Promise<{ specs: TicketTerms[]; faults: RowIssue[] }> {
  const { format, ignored, headings, encoding } = list;
  const table = { columns: NEW_TICKET_COLUMNS, ignored, headings };
  const rows = format === 'csv' ? readCsv(source, table, encoding) : readJson(source, table);
  const specs: TicketTerms[] = [];
  const faults: RowIssue[] = [];
  const { faultsMax, ticketsMax } = bounds ?? UNBOUNDED;
  for await (const one of rows) {
    const made =
      'fault' in one
        ? { faults: [one.fault] }
        : termsFrom(withMeanings(one.row, meanings), defaults, event);
    if ('faults' in made) faults.push(...made.faults);
    else specs.push(made.spec);
    if (specs.length > ticketsMax) faults.push(tooManyRows(ticketsMax));
    if (faults.length >= faultsMax || specs.length > ticketsMax) break;
  }
  return { specs, faults };
}

const UNBOUNDED = { faultsMax: Number.POSITIVE_INFINITY, ticketsMax: Number.POSITIVE_INFINITY };

function termsFrom(
  row: RawRow,
  defaults: SpecDefaults,
  event: SpecListOptions['event'],
): ReturnType<typeof specFromRow> {
  const made = specFromRow(row, defaults);
  const others = otherEvent(row, event);
  if (others.length === 0) return made;
  return { faults: 'faults' in made ? [...made.faults, ...others] : others };
}

function otherEvent({ line, cells }: RawRow, { id, name }: SpecListOptions['event']): RowIssue[] {
  const named = cells.get('event')?.trim() ?? '';
  if (named === '' || named === id || named === name) return [];
  const message = `this row is for "${named}", but the list is for "${name}"`;
  const values = { named, chosen: name };
  return [{ line, column: 'event', message, reason: 'row_other_event', values }];
}

function tooManyRows(ticketsMax: number): RowIssue {
  const message = `one list has at most ${ticketsMax} tickets; send it in parts`;
  const values = { max: ticketsMax };
  return { line: ticketsMax + 1, column: null, message, reason: 'rows_max', values };
}
