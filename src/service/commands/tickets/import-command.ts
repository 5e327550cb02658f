import { Command } from 'commander';
import { TicketscanError } from '../../../core/errors.ts';
import type { EventRecord } from '../../../core/records.ts';
import type { Ticket } from '../../../core/ticket.ts';
import type { CliIo } from '../../../terminal/io.ts';
import { Progress } from '../../../terminal/progress.ts';
import { addSettings } from '../../../terminal/setting-options.ts';
import { addListOptions, type ListReadOptions } from '../../../tickets/commands/list-options.ts';
import { reportSkipped } from '../../../tickets/commands/mint/report-run.ts';
import { refuseFaults } from '../../../tickets/commands/mint/ticket-specs.ts';
import { parseHeadings } from '../../../tickets/lists/columns.ts';
import { formatOf } from '../../../tickets/lists/read-json.ts';
import type { RowIssue } from '../../../tickets/lists/row-issue.ts';
import { RECORD_COLUMNS, type TicketRecord } from '../../../tickets/lists/ticket-record.ts';
import {
  alreadyThere,
  ofUnknownEvents,
  readTicketList,
  storeImported,
} from '../../../tickets/making/import-tickets.ts';
import { auditEntryOf, COMMAND_LINE } from '../../manage/actor.ts';
import type { InsertOptions } from '../../stores/store.ts';
import { DATA_SETTINGS, withData } from '../access/data-access.ts';
import type { DataAccess } from '../access/data-types.ts';

interface ImportOptions extends ListReadOptions {
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

Their codes stay genuine with the keyring that signed them. Nothing is stored unless every row is valid;
after a crash, run it again with --skip-existing.`;

/** `ticketscan tickets import`: tickets that exist already, with their uses. */
export function importCommand(io: CliIo): Command {
  const command = new Command('import')
    .description('Store tickets of a list (CSV, JSON, JSON Lines) with their ids and uses.')
    .argument('<file>', 'a list written by tickets export or mint --format csv')
    .option('--create-events', 'create the events of the list that the store lacks')
    .option('--organisation <name>', 'organisation of the created events')
    .option('--skip-existing', 'skip tickets that the store already has')
    .option('--skip-bad', 'store the valid rows and report the others')
    .option('--ignore-columns <names>', 'columns of the list to ignore')
    .option(
      '--time-zone <name>',
      'time zone of times without one',
      Intl.DateTimeFormat().resolvedOptions().timeZone,
    )
    .option('--json', 'a JSON object with what was done')
    .addHelpText('after', EXAMPLES)
    .action(async (file: string, options: ImportOptions) => {
      await withData(io, { ...options }, (access) => importTickets(io, access, file, options));
    });
  return addSettings(addListOptions(command), DATA_SETTINGS);
}

async function importTickets(
  io: CliIo,
  access: DataAccess,
  file: string,
  options: ImportOptions,
): Promise<void> {
  const { records, faults } = await readTicketList(file, {
    format: formatOf(file),
    ignored: (options.ignoreColumns ?? '').split(','),
    headings: options.columns ? parseHeadings(options.columns, Object.keys(RECORD_COLUMNS)) : {},
    encoding: options.encoding,
    timeZone: options.timeZone,
    now: access.clock.now(),
  });
  const lacking = ofUnknownEvents(records, await access.store.listEvents());
  const unknown = options.createEvents ? new Map<string, TicketRecord[]>() : lacking;
  for (const [eventId, rows] of unknown) faults.push(lackingEvent(eventId, rows));
  const known = records.filter(({ ticket }) => !unknown.has(ticket.eventId));
  const there = options.skipExisting
    ? new Set<TicketRecord>()
    : await alreadyThere(access.store, known);
  const message = 'the store already has this ticket; --skip-existing skips it';
  for (const { line } of there) faults.push({ line, column: 'ticketId', message });
  const fresh = known.filter((record) => !there.has(record));
  faults.sort((a, b) => a.line - b.line);
  refuseFaults(file, faults, options.skipBad === true && fresh.length > 0);
  reportSkipped(io, faults);
  if (options.createEvents) await createEvents(access, lacking, options.organisation);
  const stored = await storeAll(io, access, fresh, options.skipExisting ? 'skip' : 'refuse');
  const { imported } = stored;
  const existing = there.size + stored.existing;
  if (options.json) {
    io.out(JSON.stringify({ imported, existing, skippedFaults: faults.length }));
  } else {
    io.err(`${imported} tickets imported, ${existing} already existed.`);
  }
}

/** One fault for each event, however many rows name it. */
function lackingEvent(eventId: string, [first, ...others]: readonly TicketRecord[]): RowIssue {
  const many = others.length > 0 ? ` (here and in ${others.length} more rows)` : '';
  const message = `the store has no event ${eventId}${many}; --create-events creates it`;
  return { line: first?.line ?? 1, column: 'event', message };
}

async function createEvents(
  { store, administration, clock }: DataAccess,
  lacking: ReadonlyMap<string, readonly TicketRecord[]>,
  organisation: string | undefined,
): Promise<void> {
  if (lacking.size === 0) return;
  const isFirst = (await store.listOrganisations()).length === 0;
  const owner = isFirst
    ? await administration.createOrganisation(organisation ?? 'Default')
    : await administration.findOrganisation(organisation);
  for (const [id, rows] of lacking) {
    const name = rows.at(-1)?.eventName || id;
    const event = { id, organisationId: owner.id, name, createdAt: clock.now() };
    const change = {
      act: 'event.create',
      subject: id,
      organisationId: owner.id,
      details: { name },
    };
    await store.createEvent(event, auditEntryOf(COMMAND_LINE, clock, change));
  }
}

async function storeAll(
  io: CliIo,
  { store, tickets: administration, clock }: DataAccess,
  records: readonly TicketRecord[],
  existing: InsertOptions['existing'],
): Promise<{ imported: number; existing: number }> {
  const progress = new Progress(io, clock.monotonicMs);
  const stop = io.stopSignal();
  progress.begin('storing', records.length);
  const events = await store.listEvents();
  const insert = (tickets: readonly Ticket[]) =>
    administration.import(ownerOf(tickets, events), tickets, { existing });
  const onBatch = (count: number) => {
    progress.update(count);
    if (stop.aborted) throw stopped(count, records.length);
  };
  try {
    return await storeImported(records, insert, onBatch);
  } finally {
    progress.clear();
  }
}

function stopped(count: number, total: number): TicketscanError {
  const message = `Stopped: ${count} of ${total} tickets are stored. Run it again with --skip-existing.`;
  return new TicketscanError('conflict', message);
}

/** Whose they are; null when they belong to several organisations. */
function ownerOf(tickets: readonly Ticket[], events: readonly EventRecord[]): string | null {
  const byId = new Map(events.map(({ id, organisationId }) => [id, organisationId]));
  const [owner, ...others] = new Set(tickets.map(({ eventId }) => byId.get(eventId)));
  return others.length === 0 ? (owner ?? null) : null;
}
