import { randomBytes } from 'node:crypto';
import { type Command, Option } from '@commander-js/extra-typings';
import { TicketscanError } from '../../../core/errors.ts';
import { USES_MULTI_MAX, USES_MULTI_MIN } from '../../../core/limits.ts';
import type { EventRecord } from '../../../core/records.ts';
import { hasEnded, type SkippedTickets, TICKET_KINDS, type Ticket } from '../../../core/ticket.ts';
import { makeBatchId } from '../../../core/ticket-id.ts';
import { defined } from '../../../kit/defined.ts';
import { counted, sanitizeForTerminal } from '../../../kit/text.ts';
import type { Change, InsertOptions } from '../../../stores/record-store.ts';
import { type OptionsOf, withOptions } from '../../../terminal/command.ts';
import { type CliIo, Interrupted, note } from '../../../terminal/io.ts';
import { wholeNumberFor } from '../../../terminal/options.ts';
import { Progress } from '../../../terminal/progress.ts';
import { namesOf } from '../../../terminal/results.ts';
import { headingList } from '../../../tickets/lists/named-parts.ts';
import type { ReadList } from '../../../tickets/lists/read-list.ts';
import { formatOf } from '../../../tickets/lists/read-rows.ts';
import type { RowIssue } from '../../../tickets/lists/row-issues.ts';
import {
  RECORD_COLUMNS,
  readTicketList,
  type TicketRecord,
} from '../../../tickets/lists/ticket-list.ts';
import { exportLine } from '../../../tickets/lists/write-lists.ts';
import {
  type ImportedTicket,
  ofUnknownEvents,
  type Stored,
  storableRecords,
  storeImported,
  type TicketFinder,
} from '../../../tickets/making/import-tickets.ts';
import { COMMAND_LINE } from '../../actor.ts';
import type { DataAccess } from '../../data-access.ts';
import { dataCommand } from '../../data-command.ts';
import { ZONE_HELP, zoneOf } from '../../time-zone.ts';
import { plannedEvents, planOwners } from '../new-owners.ts';
import { Imported } from '../routes/import.ts';
import { TicketAdministration } from '../rules.ts';
import { findTickets } from './find-tickets.ts';
import { importNewTickets } from './import-new.ts';
import { tellImport } from './import-preview.ts';
import {
  addListOptions,
  addShopOptions,
  choicesFrom,
  mayHaveEnded,
  meaningsFrom,
  parseHeadings,
  refuseIssues,
  reportNotes,
  reportSkipped,
} from './list-options.ts';

const EXAMPLES = `
Examples:
  ticketscan tickets export --out tickets.csv
  ticketscan tickets import tickets.csv --store sqlite:./other.db --create-events
  ticketscan tickets import old.csv --columns eventName=Product,type=Kind --type-map Season=permanent
  ticketscan tickets import pretix.csv --event "Summer pool" --map pretix --type-map "Day ticket=single" --update --dry-run

Without --event, the list must have the ids of its tickets. With it, each row of a list without ids becomes a new ticket of that event,
for example the list of a shop. To get images or a sheet of the codes, see ticketscan mint --from-csv.
The codes of imported tickets stay genuine with the keyring that signed them. Nothing is stored unless every row is valid.
After a crash, run the command again with --skip-existing.`;

function importOptions(command: Command) {
  const listed = withOptions(
    command
      .option(
        '--event <event>',
        'make a new ticket of this event for each row of a list without ids',
      )
      .addOption(
        new Option('--type <type>', 'with --event: what rows without a type are').choices(
          TICKET_KINDS,
        ),
      )
      .option(
        '--uses <number>',
        'with --event: uses of multi-use cards without a number: 2 to 100',
        wholeNumberFor('--uses', USES_MULTI_MIN, USES_MULTI_MAX),
      )
      .option('--create-events', 'create the events of the list that the store lacks')
      .option('--organisation <name>', 'organisation of the created events')
      .option('--skip-existing', 'skip tickets that the store already has')
      .option('--skip-bad', 'store the valid rows and report the others')
      .option('--ignore-columns <names>', 'columns of the list to ignore')
      .option('--time-zone <name>', ZONE_HELP)
      .option(
        '--reference <text>',
        'column of the list that says the reference; with --event, several may have it together ("Order,Position")',
      ),
    addListOptions,
  );
  return withOptions(listed, addShopOptions);
}

/** `ticketscan tickets import`: tickets that exist already, with their uses. */
export const importCommand = dataCommand({
  name: 'import',
  summary: 'Store tickets of a list (CSV, JSON, JSON Lines) with their ids and uses.',
  argument: ['<file>', 'a list written by tickets export or mint --format csv'],
  options: importOptions,
  json: 'a JSON object with what was done',
  yes: true,
  help: EXAMPLES,
  mayMakeStore: true,
  check: refuseUnfit,
  run: (access, { event, ...options }, file) =>
    event === undefined
      ? importTickets(access, options, file)
      : importNewTickets(access, { ...options, event }, file),
});

type ImportOptions = OptionsOf<typeof importOptions>;

/** @throws TicketscanError `usage` for options that would have no effect, which nobody would notice */
function refuseUnfit(options: ImportOptions): void {
  if (options.reference?.trim() === '')
    throw new TicketscanError('usage', '--reference is empty. Give the heading of its column.');
  const { event, type, uses, map, cancelled, update } = options;
  const { createEvents, organisation, skipExisting } = options;
  const unfit =
    event === undefined
      ? {
          '--type': type,
          '--uses': uses,
          '--map': map,
          '--cancelled': cancelled,
          '--update': update,
        }
      : {
          '--create-events': createEvents,
          '--organisation': organisation,
          '--skip-existing': skipExisting,
        };
  const given = Object.entries(unfit).find(([, value]) => value !== undefined);
  if (!given) return;
  const why =
    event === undefined
      ? 'is about a list without ids: add --event EVENT.'
      : 'is about a list with ids of tickets: leave out this option or --event.';
  throw new TicketscanError('usage', `${given[0]} ${why}`);
}

async function readList(
  access: DataAccess,
  file: string,
  options: ImportOptions,
  events: readonly EventRecord[],
): ReturnType<typeof readTicketList> {
  return readInZone(access, options, events, {
    file,
    format: formatOf(file),
    ignored: headingList(options.ignoreColumns ?? ''),
    headings: {
      ...(options.columns && parseHeadings(options.columns, Object.keys(RECORD_COLUMNS))),
      ...defined({ reference: options.reference }),
    },
    uniqueReference: options.uniqueReference,
    encoding: options.encoding,
    worksheet: options.worksheet,
    only: choicesFrom(options.only),
    quantity: options.quantity,
    meanings: await meaningsFrom(options, async (event) => (await access.findEvent(event)).id),
    eventNames: namesOf(events),
    now: access.clock.now(),
  });
}

async function importTickets(
  access: DataAccess,
  options: ImportOptions,
  file: string,
): Promise<void> {
  const { io } = access;
  const events = await access.list('event');
  const list = await readList(access, file, options, events);
  const lacking = ofUnknownEvents(list.items, events);
  const records = await storableRecords(
    list,
    options.createEvents ? new Map() : lacking,
    options.skipExisting ? undefined : finderOf(access),
    options.uniqueReference ? 'unique' : undefined,
  );
  refuseOrSkip(io, file, list, { skipBad: options.skipBad, valid: records.length });
  reportNotes(io, list.notes);
  if (options.dryRun) {
    await tellImport(access, {
      records,
      events,
      finder: options.skipExisting ? finderOf(access) : undefined,
      isUnique: options.uniqueReference === true,
      skippedFaults: list.issues.length,
      json: options.json,
    });
    return;
  }
  const ended = records.filter(({ ticket }) => hasEnded(ticket, access.clock.now())).length;
  if (!(await mayHaveEnded(io, { ...options, ended, total: records.length }))) return;
  const owners = options.createEvents
    ? await plannedOwners(access, lacking, options.organisation)
    : undefined;
  const stored = await storeAll(access, records, {
    existing: options.skipExisting ? 'skip' : 'refuse',
    ...defined({ owners, references: options.uniqueReference ? ('unique' as const) : undefined }),
  });
  report(io, stored, list.issues, options);
}

function report(
  io: CliIo,
  { batch, imported, existing: skipped, known }: Stored,
  issues: readonly RowIssue[],
  { json }: ImportOptions,
): void {
  const existing = skipped + issues.filter(({ reason }) => reason === 'row_existing').length;
  if (json) {
    io.out(JSON.stringify({ imported, existing, known, skippedFaults: issues.length, batch }));
    return;
  }
  note(io, `${counted(imported, 'ticket')} imported, ${existing} already existed.`);
  if (known > 0) note(io, `${counted(known, 'row')} skipped: the reference is known already.`);
  if (batch !== undefined) note(io, `Batch: ${batch}`);
}

function refuseOrSkip(
  io: CliIo,
  file: string,
  { items, issues }: ReadList<TicketRecord>,
  skipping: Parameters<typeof refuseIssues>[3],
): void {
  issues.sort((a, b) => a.line - b.line);
  if (items.length === 0) refuseListWithoutIds(file, issues);
  refuseIssues(file, issues, Object.keys(RECORD_COLUMNS), skipping);
  reportSkipped(io, issues);
}

const NO_IDS: ReadonlySet<string> = new Set(['list_no_ids', 'row_ticket_id']);

/** @throws TicketscanError `usage` for the list of another shop */
function refuseListWithoutIds(file: string, issues: readonly RowIssue[]): void {
  if (!issues.some(({ reason = '' }) => NO_IDS.has(reason))) return;
  const from = formatOf(file) === 'csv' ? '--from-csv' : '--from-json';
  throw new TicketscanError(
    'usage',
    `${file} has no ids of tickets that ticketscan made; nothing was stored. Create a new ticket for each row: add --event EVENT, or for files with the codes: ticketscan mint --event EVENT ${from} ${file} --out FOLDER --format csv --keep-columns NAMES`,
  );
}

/** A list of one organisation's tickets is read in its zone, as `mint` does; which one it is, its ids say. */
async function readInZone(
  access: DataAccess,
  { timeZone: asked, organisation }: ImportOptions,
  events: readonly EventRecord[],
  { file, ...list }: Omit<Parameters<typeof readTicketList>[1], 'timeZone'> & { file: string },
): ReturnType<typeof readTicketList> {
  const timeZone = await zoneOf(access, { asked, organisation });
  const read = await readTicketList(file, { ...list, timeZone });
  const owner = ownerOf(
    read.items.map(({ ticket }) => ticket),
    events,
  );
  const own = owner === null ? timeZone : await zoneOf(access, { asked, organisation: owner });
  return own === timeZone ? read : readTicketList(file, { ...list, timeZone: own });
}

/** The events that the store lacks, as they are to be created with the first tickets. @throws TicketscanError `usage` */
async function plannedOwners(
  { io, local }: DataAccess,
  lacking: ReadonlyMap<string, readonly TicketRecord[]>,
  organisation: string | undefined,
): Promise<Change | undefined> {
  if (lacking.size === 0) return undefined;
  if (!local) {
    throw new TicketscanError(
      'usage',
      '--create-events works on a store only: a server chooses the ids of new events.',
    );
  }
  const wanted = new Map([...lacking].map(([id, rows]) => [id, rows.at(-1)?.eventName || id]));
  const planned = await planOwners(local, wanted, organisation);
  for (const { id, name } of plannedEvents(planned)) {
    if (name !== wanted.get(id)) {
      note(io, `Event ${id} is created as "${sanitizeForTerminal(name)}": its name is taken.`);
    }
  }
  return planned;
}

async function storeAll(
  access: DataAccess,
  records: readonly TicketRecord[],
  { owners, ...others }: InsertOptions,
): Promise<Stored> {
  const { io } = access;
  const progress = new Progress(io, access.clock.monotonicMs);
  const stop = io.stopSignal();
  progress.begin('storing', records.length);
  const store = inserterOf(access);
  let options: InsertOptions = { ...others, ...defined({ owners }) };
  const insert = async (tickets: readonly ImportedTicket[]) => {
    const skipped = await store(tickets, options);
    // The first tickets brought them.
    options = others;
    return skipped;
  };
  let stored = 0;
  const onBatch = (count: number) => {
    stored = count;
    progress.update(count);
    if (stop.aborted) throw new Interrupted(`Stopped: ${partOf(count, records.length)}`);
  };
  try {
    return await storeImported(records, makeBatchId(randomBytes), insert, onBatch);
  } catch (error) {
    if (stored === 0 || !(error instanceof TicketscanError)) throw error;
    // Another program has stored a ticket of the list meanwhile, or the disk is full.
    const message = `${error.message} ${partOf(stored, records.length)}`;
    throw new TicketscanError(error.code, message, { cause: error });
  } finally {
    progress.clear();
  }
}

/** Stores some tickets at once, and says which it skipped. */
type Inserter = (
  tickets: readonly ImportedTicket[],
  options: InsertOptions,
) => Promise<SkippedTickets>;

function inserterOf({ local, client }: DataAccess): Inserter {
  if (local) {
    const { store, clock } = local;
    const administration = new TicketAdministration(store, clock, randomBytes, COMMAND_LINE);
    return (tickets, options) => administration.import(tickets, options);
  }
  if (!client) throw new Error('neither a store nor a server');
  return async (tickets, { existing, references }) => {
    const lines = tickets.map((ticket) =>
      exportLine({ ticket, eventName: '', now: ticket.createdAt }),
    );
    const path = `/tickets/import?format=jsonl&skipExisting=${existing === 'skip'}&uniqueReference=${references === 'unique'}`;
    return client.postLines(path, Imported, lines.join(''));
  };
}

/** A store finds many tickets at once. */
function finderOf(access: DataAccess): TicketFinder {
  if (access.local) return access.local.store;
  return {
    findTickets: async (ids) =>
      (await findTickets(access, ids)).map(({ ticketId: id, reference }) => ({
        id,
        reference: reference ?? undefined,
      })),
  };
}

function partOf(count: number, total: number): string {
  return `${count} of ${total} tickets are stored. Run it again with --skip-existing.`;
}

/** The organisation of the tickets; null if they belong to several. */
function ownerOf(tickets: readonly Ticket[], events: readonly EventRecord[]): string | null {
  const byId = new Map(events.map(({ id, organisationId }) => [id, organisationId]));
  const [owner, ...others] = new Set(tickets.map(({ eventId }) => byId.get(eventId)));
  return others.length === 0 ? (owner ?? null) : null;
}
