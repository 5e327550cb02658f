import type { ByteSource } from '../../../tickets/lists/read-text.ts';
import { type RowIssue, shortened } from '../../../tickets/lists/row-issue.ts';
import {
  alreadyThere,
  ofUnknownEvents,
  readTicketList,
  storeImported,
} from '../../../tickets/making/import-tickets.ts';
import type { TicketAdministration } from '../../manage/ticket-administration.ts';
import type { AdminContext } from '../admin-app.ts';
import type { OrganisationScope } from '../organisation-scope.ts';
import { IMPORT_TICKETS_MAX } from '../wire/tickets.ts';

const FAULTS_SHOWN = 100;
const BOUNDS = { faultsMax: FAULTS_SHOWN, ticketsMax: IMPORT_TICKETS_MAX };

export interface ImportOptions {
  readonly format: 'csv' | 'json';
  readonly skipExisting: boolean;
  readonly timeZone: string;
}

export type ImportResult =
  | { readonly kind: 'imported'; readonly imported: number; readonly existing: number }
  /** Nothing was stored. */
  | { readonly kind: 'refused'; readonly faults: readonly RowIssue[] };

/** What is wrong with a row, as an answer says it. */
export function issueToJson({ reason, values, ...issue }: RowIssue) {
  return { ...issue, ...(reason && { code: reason }), ...(values && { values }) };
}

/** Stores the tickets of a list with their ids and uses, once every row of it is known to be good. */
export async function importTickets(
  scope: OrganisationScope,
  administration: TicketAdministration,
  source: ByteSource,
  { skipExisting, ...request }: ImportOptions,
  { store, clock }: AdminContext,
): Promise<ImportResult> {
  const options = { ...request, ignored: [], now: clock.now(), bounds: BOUNDS };
  const { records, faults } = await readTicketList(source, options);
  for (const [eventId, rows] of ofUnknownEvents(records, await scope.events())) {
    const message = `unknown event ${eventId}`;
    const explanation = { reason: 'row_unknown_event', values: { event: eventId } } as const;
    for (const { line } of rows) faults.push({ line, column: 'event', message, ...explanation });
  }
  if (faults.length === 0 && !skipExisting) {
    const message = 'this ticket already exists';
    for (const { line } of await alreadyThere(store, records))
      faults.push({ line, column: 'ticketId', message, reason: 'row_existing' });
  }
  if (faults.length > 0) return refused(faults);
  const existing = skipExisting ? 'skip' : 'refuse';
  const stored = await storeImported(records, (tickets) =>
    administration.import(scope.organisationId, tickets, { existing }),
  );
  return { kind: 'imported', ...stored };
}

function refused(faults: readonly RowIssue[]): ImportResult {
  const sorted = [...faults].sort((a, b) => a.line - b.line);
  return { kind: 'refused', faults: sorted.slice(0, FAULTS_SHOWN).map(shortened) };
}
