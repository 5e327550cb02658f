import { checkTimeZone } from '../../mint/rows/moment.ts';
import { readCsv } from '../../mint/rows/read-csv.ts';
import { readJson } from '../../mint/rows/read-json.ts';
import type { ByteSource } from '../../mint/rows/read-text.ts';
import { type RowFault, shortened } from '../../mint/rows/row-fault.ts';
import { RECORD_COLUMNS, recordFromRow, type TicketRecord } from '../../mint/rows/ticket-record.ts';
import type { TicketAdministration } from '../../scan/ticket-administration.ts';
import type { AdminContext } from '../admin-app.ts';
import type { Own } from '../own.ts';
import { IMPORT_TICKETS_MAX } from '../wire/tickets.ts';

const FAULTS_SHOWN = 100;
/** A batch takes some 50 ms of the store's only writer; scans at the gates wait no longer than that. */
const BATCH_TICKETS = 5000;

export interface ImportWish {
  readonly format: 'csv' | 'jsonl';
  readonly skipExisting: boolean;
  readonly timeZone: string;
}

export type ImportResult =
  | { readonly kind: 'imported'; readonly imported: number; readonly existing: number }
  /** Nothing was stored. */
  | { readonly kind: 'refused'; readonly faults: readonly RowFault[] };

/** Stores the tickets of a list with their ids and uses, once every row of it is known to be good. */
export async function importTickets(
  own: Own,
  administration: TicketAdministration,
  source: ByteSource,
  wish: ImportWish,
  { store, clock }: AdminContext,
): Promise<ImportResult> {
  const { records, faults } = await readRecords(source, wish, clock.now());
  const events = new Set((await own.events()).map(({ id }) => id));
  for (const { line, ticket } of records) {
    if (!events.has(ticket.eventId))
      faults.push({ line, column: 'event', message: `there is no event ${ticket.eventId}` });
  }
  if (faults.length > 0) return refused(faults);
  const fresh: TicketRecord[] = [];
  for (const record of records) {
    if (!(await store.findTicket(record.ticket.id))) fresh.push(record);
    else if (!wish.skipExisting) faults.push(existing(record));
  }
  if (faults.length > 0) return refused(faults);
  for (let start = 0; start < fresh.length; start += BATCH_TICKETS) {
    const batch = fresh.slice(start, start + BATCH_TICKETS).map(({ ticket }) => ticket);
    await administration.import(own.organisationId, batch);
  }
  return {
    kind: 'imported',
    imported: fresh.length,
    existing: records.length - fresh.length,
  };
}

async function readRecords(
  source: ByteSource,
  { format, timeZone }: ImportWish,
  now: number,
): Promise<{ records: TicketRecord[]; faults: RowFault[] }> {
  const table = { columns: RECORD_COLUMNS, ignored: [] };
  const zone = checkTimeZone(timeZone);
  const records = new Map<string, TicketRecord>();
  const faults: RowFault[] = [];
  for await (const one of format === 'csv' ? readCsv(source, table) : readJson(source, table)) {
    const made = 'fault' in one ? { faults: [one.fault] } : recordFromRow(one.row, zone, now);
    faults.push(...('faults' in made ? made.faults : taken(made.record, records)));
    // The rest of the list would not change the answer.
    if (faults.length >= FAULTS_SHOWN || records.size > IMPORT_TICKETS_MAX) break;
  }
  return { records: [...records.values()], faults };
}

/** Takes a record, or tells why not. */
function taken(record: TicketRecord, records: Map<string, TicketRecord>): RowFault[] {
  const { line, ticket } = record;
  const earlier = records.get(ticket.id);
  if (earlier) return [repeated(line, earlier.line)];
  records.set(ticket.id, record);
  return records.size > IMPORT_TICKETS_MAX ? [tooMany(line)] : [];
}

function refused(faults: readonly RowFault[]): ImportResult {
  const sorted = [...faults].sort((a, b) => a.line - b.line);
  return { kind: 'refused', faults: sorted.slice(0, FAULTS_SHOWN).map(shortened) };
}

function repeated(line: number, earlier: number): RowFault {
  return { line, column: 'ticketId', message: `this ticket is on line ${earlier} too` };
}

function existing({ line }: TicketRecord): RowFault {
  return { line, column: 'ticketId', message: 'this ticket is there already' };
}

function tooMany(line: number): RowFault {
  const message = `one import has at most ${IMPORT_TICKETS_MAX} tickets; send the list in parts`;
  return { line, column: null, message };
}
