import type { TicketTerms } from '../../core/ticket.ts';
import { readCsv } from '../lists/read-csv.ts';
import { readJson } from '../lists/read-json.ts';
import type { ByteSource } from '../lists/read-text.ts';
import type { RawRow, RowIssue } from '../lists/row-issue.ts';
import { SPEC_COLUMNS, type SpecDefaults, specFromRow } from '../lists/ticket-spec.ts';
import type { ListOptions } from './import-tickets.ts';

/** The columns of a list of tickets to make for one event, which a row may name. */
export const NEW_TICKET_COLUMNS = {
  ...SPEC_COLUMNS,
  event: ['eventName', 'Veranstaltung'],
} as const;

export interface SpecListOptions extends Omit<ListOptions, 'timeZone' | 'now'> {
  readonly defaults: SpecDefaults;
  /** Whose tickets they become. */
  readonly event: { readonly id: string; readonly name: string };
}

/** What tickets a list asks for, and everything that is wrong with its rows. @throws TicketscanError `usage` */
export async function readSpecList(
  source: string | ByteSource,
  { format, ignored, headings, encoding, defaults, event, bounds }: SpecListOptions,
): Promise<{ specs: TicketTerms[]; faults: RowIssue[] }> {
  const table = { columns: NEW_TICKET_COLUMNS, ignored, headings };
  const rows = format === 'csv' ? readCsv(source, table, encoding) : readJson(source, table);
  const specs: TicketTerms[] = [];
  const faults: RowIssue[] = [];
  for await (const one of rows) {
    if ('fault' in one) {
      faults.push(one.fault);
    } else {
      const made = specFromRow(one.row, defaults);
      const issues = [...('faults' in made ? made.faults : []), ...otherEvent(one.row, event)];
      faults.push(...issues);
      if (issues.length === 0 && 'spec' in made) specs.push(made.spec);
    }
    if (bounds && faults.length >= bounds.faultsMax) break;
    if (bounds && specs.length > bounds.ticketsMax) {
      faults.push(tooManyRows(bounds.ticketsMax));
      break;
    }
  }
  return { specs, faults };
}

function otherEvent({ line, cells }: RawRow, { id, name }: SpecListOptions['event']): RowIssue[] {
  const named = cells.get('event')?.trim() ?? '';
  if (named === '' || named === id || named === name) return [];
  const message = `this row is for "${named}", but the list is for "${name}"`;
  return [{ line, column: 'event', message }];
}

function tooManyRows(ticketsMax: number): RowIssue {
  const message = `one list has at most ${ticketsMax} tickets; send it in parts`;
  return { line: ticketsMax + 1, column: null, message };
}
