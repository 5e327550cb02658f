import { Command } from 'commander';
import { TicketscanError } from '../../core/errors.ts';
import type { EventRecord } from '../../core/records.ts';
import type { Ticket } from '../../core/ticket.ts';
import { checkTimeZone } from '../../mint/rows/moment.ts';
import { readCsv } from '../../mint/rows/read-csv.ts';
import { formatOf, readJson } from '../../mint/rows/read-json.ts';
import type { RowFault } from '../../mint/rows/row-fault.ts';
import { RECORD_COLUMNS, recordFromRow, type TicketRecord } from '../../mint/rows/ticket-record.ts';
import { actOf, COMMAND_LINE } from '../../scan/actor.ts';
import { DATA_SETTINGS, withData } from '../data-access.ts';
import type { DataAccess } from '../data-types.ts';
import type { CliIo } from '../io.ts';
import { reportSkipped } from '../mint/report-run.ts';
import { refuseFaults } from '../mint/ticket-specs.ts';
import { Progress } from '../progress.ts';
import { addSettings } from '../setting-options.ts';

const BATCH_TICKETS = 5000;

interface ImportOptions {
  readonly createEvents?: boolean;
  readonly organisation?: string;
  readonly skipBad?: boolean;
  readonly skipExisting?: boolean;
  readonly ignoreColumns?: string;
  readonly timeZone: string;
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  ticketscan tickets export --out tickets.csv
  ticketscan tickets import tickets.csv --store sqlite:./other.db --create-events

Their codes are genuine where the keyring that signed them is. Nothing is stored unless every row is good;
after a crash, run it again with --skip-existing.`;

/** `ticketscan tickets import`: tickets that exist already, with their uses. */
export function importCommand(io: CliIo): Command {
  const command = new Command('import')
    .description('Store tickets of a list (CSV, JSON, JSON Lines) with their ids and uses.')
    .argument('<file>', 'as tickets export or mint --format csv wrote it')
    .option('--create-events', 'create events that the list names and the store lacks')
    .option('--organisation <name>', 'to which such events belong')
    .option('--skip-existing', 'leave tickets alone that the store has already')
    .option('--skip-bad', 'store the good rows and report the bad ones')
    .option('--ignore-columns <names>', 'columns of the list to leave out')
    .option(
      '--time-zone <name>',
      'of times without one',
      Intl.DateTimeFormat().resolvedOptions().timeZone,
    )
    .option('--json', 'a JSON object with what was done')
    .addHelpText('after', EXAMPLES)
    .action(async (file: string, options: ImportOptions) => {
      await withData(io, { ...options }, (access) => importTickets(io, access, file, options));
    });
  return addSettings(command, DATA_SETTINGS);
}

async function importTickets(
  io: CliIo,
  access: DataAccess,
  file: string,
  options: ImportOptions,
): Promise<void> {
  const { records, faults } = await readRecords(access, file, options);
  const lacking = await lackingEvents(access, records);
  const known = options.createEvents
    ? records
    : records.filter(({ ticket }) => !lacking.has(ticket.eventId));
  if (!options.createEvents) faults.push(...eventFaults(records, lacking));
  const fresh = await withoutExisting(access, known, options.skipExisting === true, faults);
  faults.sort((a, b) => a.line - b.line);
  refuseFaults(file, faults, options.skipBad === true && fresh.length > 0);
  reportSkipped(io, faults);
  const tickets = fresh.map(({ ticket }) => ticket);
  if (options.createEvents) await createEvents(access, lacking, options.organisation);
  await storeAll(io, access, tickets);
  const existing = known.length - fresh.length;
  if (options.json) {
    io.out(JSON.stringify({ imported: tickets.length, existing, skippedFaults: faults.length }));
  } else {
    io.err(`${tickets.length} tickets imported, ${existing} were there already.`);
  }
}

async function readRecords(
  access: DataAccess,
  file: string,
  { ignoreColumns = '', timeZone }: ImportOptions,
): Promise<{ records: TicketRecord[]; faults: RowFault[] }> {
  const table = { columns: RECORD_COLUMNS, ignored: ignoreColumns.split(',') };
  const rows = formatOf(file) === 'csv' ? readCsv(file, table) : readJson(file, table);
  const zone = checkTimeZone(timeZone);
  const now = access.clock.now();
  const lines = new Map<string, number>();
  const records: TicketRecord[] = [];
  const faults: RowFault[] = [];
  for await (const one of rows) {
    if ('fault' in one) {
      faults.push(one.fault);
      continue;
    }
    const made = recordFromRow(one.row, zone, now);
    if ('faults' in made) {
      faults.push(...made.faults);
      continue;
    }
    const { line, ticket } = made.record;
    const earlier = lines.get(ticket.id);
    lines.set(ticket.id, earlier ?? line);
    if (earlier === undefined) records.push(made.record);
    else
      faults.push({ line, column: 'ticketId', message: `this ticket is on line ${earlier} too` });
  }
  return { records, faults };
}

/** Events that the records name and the store does not have, by id, with the name that the list gives them. */
async function lackingEvents(
  { store }: DataAccess,
  records: readonly TicketRecord[],
): Promise<Map<string, string>> {
  const known = new Set((await store.listEvents()).map(({ id }) => id));
  const lacking = new Map<string, string>();
  for (const { ticket, eventName } of records) {
    if (!known.has(ticket.eventId)) lacking.set(ticket.eventId, eventName || ticket.eventId);
  }
  return lacking;
}

/** One fault for each event: that all its rows lack it goes without saying. */
function eventFaults(
  records: readonly TicketRecord[],
  lacking: ReadonlyMap<string, string>,
): RowFault[] {
  return [...lacking.keys()].map((eventId) => {
    const rows = records.filter(({ ticket }) => ticket.eventId === eventId);
    const many = rows.length > 1 ? ` (here and in ${rows.length - 1} more rows)` : '';
    return {
      line: rows[0]?.line ?? 1,
      column: 'event',
      message: `the store has no event ${eventId}${many}; --create-events makes it`,
    };
  });
}

/** The records that the store does not have yet; the others are faults unless they may be skipped. */
async function withoutExisting(
  { store }: DataAccess,
  records: readonly TicketRecord[],
  maySkip: boolean,
  faults: RowFault[],
): Promise<TicketRecord[]> {
  const fresh: TicketRecord[] = [];
  for (const record of records) {
    const exists = (await store.findTicket(record.ticket.id)) !== undefined;
    if (!exists) fresh.push(record);
    else if (!maySkip) {
      const message = 'the store has this ticket already; --skip-existing leaves it alone';
      faults.push({ line: record.line, column: 'ticketId', message });
    }
  }
  return fresh;
}

async function createEvents(
  { store, administration, clock }: DataAccess,
  lacking: ReadonlyMap<string, string>,
  organisation: string | undefined,
): Promise<void> {
  if (lacking.size === 0) return;
  const isFirst = (await store.listOrganisations()).length === 0;
  const owner = isFirst
    ? await administration.createOrganisation(organisation ?? 'Default')
    : await administration.findOrganisation(organisation);
  for (const [id, name] of lacking) {
    const event = { id, organisationId: owner.id, name, createdAt: clock.now() };
    const act = { act: 'event.create', subject: id, organisationId: owner.id, details: { name } };
    await store.createEvent(event, actOf(COMMAND_LINE, clock, act));
  }
}

async function storeAll(
  io: CliIo,
  { store, tickets: administration, clock }: DataAccess,
  tickets: readonly Ticket[],
): Promise<void> {
  const progress = new Progress(io, clock.monotonicMs);
  const stop = io.stopSignal();
  progress.begin('storing', tickets.length);
  const events = await store.listEvents();
  for (let start = 0; start < tickets.length; start += BATCH_TICKETS) {
    if (stop.aborted) {
      progress.clear();
      throw new TicketscanError(
        'conflict',
        `Stopped: ${start} of ${tickets.length} tickets are stored. Run it again with --skip-existing.`,
      );
    }
    const batch = tickets.slice(start, start + BATCH_TICKETS);
    await administration.import(ownerOf(batch, events), batch);
    progress.update(start);
  }
  progress.clear();
}

/** Whose they are; null when they belong to several organisations. */
function ownerOf(tickets: readonly Ticket[], events: readonly EventRecord[]): string | null {
  const byId = new Map(events.map(({ id, organisationId }) => [id, organisationId]));
  const [owner, ...others] = new Set(tickets.map(({ eventId }) => byId.get(eventId)));
  return others.length === 0 ? (owner ?? null) : null;
}
