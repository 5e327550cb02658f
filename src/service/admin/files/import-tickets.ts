import { makeBatchId } from '../../../core/ticket-id.ts';
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
  | {
      readonly kind: 'imported';
      readonly imported: number;
      readonly existing: number;
      /** Of the tickets whose row names none; absent when there are none. */
      readonly batch?: string;
    }
  /** Nothing was stored. */
  | { readonly kind: 'refused'; readonly faults: readonly RowIssue[] };

/** Stores the tickets of a list with their ids and uses, once every row of it is known to be good. */
export async function importTickets(
  scope: OrganisationScope,
  administration: TicketAdministration,
  source: ByteSource,
  { skipExisting, ...request }: ImportOptions,
  { store, clock, random }: AdminContext,
): Promise<ImportResult> {
  const options = { ...request, ignored: [], now: clock.now(), bounds: BOUNDS };
  const { records, faults } = await readTicketList(source, options);
  for (const [eventId, rows] of ofUnknownEvents(records, await scope.events())) {
    const message = `unknown event ${eventId}`;
    for (const { line } of rows) faults.push({ line, column: 'event', message });
  }
  if (faults.length === 0 && !skipExisting) {
    const message = 'this ticket already exists';
    for (const { line } of await alreadyThere(store, records))
      faults.push({ line, column: 'ticketId', message });
  }
  if (faults.length > 0) return refused(faults);
  const existing = skipExisting ? 'skip' : 'refuse';
  const batch = makeBatchId(random);
  const stored = await storeImported(records, (tickets) => {
    const named = tickets.map((ticket) => ({ batch, ...ticket }));
    return administration.import(scope.organisationId, named, { existing });
  });
  const isNamed = stored.imported > 0 && records.some(({ ticket }) => ticket.batch === undefined);
  return { kind: 'imported', ...stored, ...(isNamed && { batch }) };
}

function refused(faults: readonly RowIssue[]): ImportResult {
  const sorted = [...faults].sort((a, b) => a.line - b.line);
  return { kind: 'refused', faults: sorted.slice(0, FAULTS_SHOWN).map(shortened) };
}
