import type { TicketTerms } from '../../core/ticket.ts';
import { readCsv } from '../lists/read-csv.ts';
import { readJson } from '../lists/read-json.ts';
import type { ByteSource } from '../lists/read-text.ts';
import { IssueGroups, type RawRow, type RowIssue } from '../lists/row-issue.ts';
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
  /** Headings whose cells are handed on unread. */
  readonly kept?: readonly string[] | undefined;
}

export interface SpecList {
  readonly specs: TicketTerms[];
  /** For each spec the cells of the kept headings. */
  readonly kept: (readonly string[])[];
  readonly faults: RowIssue[];
}

/** What tickets a list asks for, and everything that is wrong with its rows. @throws TicketscanError `usage` */
export async function readSpecList(
  source: string | ByteSource,
  options: SpecListOptions,
): Promise<SpecList> {
  const { format, ignored, headings, encoding, kept, bounds = UNBOUNDED } = options;
  const table = { columns: NEW_TICKET_COLUMNS, ignored, headings, kept };
  const rows = format === 'csv' ? readCsv(source, table, encoding) : readJson(source, table);
  const specs: TicketTerms[] = [];
  const keptCells: (readonly string[])[] = [];
  const faults: RowIssue[] = [];
  const different = new IssueGroups();
  const { faultsMax, ticketsMax } = bounds;
  for await (const one of rows) {
    const made = 'fault' in one ? { faults: [one.fault] } : termsFrom(one.row, options);
    if ('spec' in made) {
      specs.push(made.spec);
      keptCells.push(made.kept);
    } else faults.push(...made.faults.map((fault) => different.add(fault)));
    if (different.size >= faultsMax || specs.length > ticketsMax) break;
  }
  if (specs.length > ticketsMax) faults.push(tooManyRows(ticketsMax));
  return { specs, kept: keptCells, faults };
}

const UNBOUNDED = { faultsMax: Number.POSITIVE_INFINITY, ticketsMax: Number.POSITIVE_INFINITY };

function termsFrom(
  given: RawRow,
  { defaults, event, meanings = {} }: SpecListOptions,
): { spec: TicketTerms; kept: readonly string[] } | { faults: RowIssue[] } {
  const row = withMeanings(given, meanings);
  const made = specFromRow(row, defaults);
  const others = otherEvent(row, event);
  if (others.length === 0) return { ...made, kept: row.kept ?? [] };
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
