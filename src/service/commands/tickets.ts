import { Command } from 'commander';
import { logEntryToJson } from '../../core/codecs/log-entry.ts';
import { ticketToJson } from '../../core/codecs/ticket.ts';
import type { LogEntry } from '../../core/records.ts';
import type { Ticket } from '../../core/ticket.ts';
import { logCells, logHeads } from '../../features/log/log-text.ts';
import { type Names, namesOf } from '../../operations/names.ts';
import { zoneOf } from '../../operations/zone.ts';
import type { CliIo } from '../../terminal/io.ts';
import { note } from '../../terminal/messages.ts';
import { COUNT_MAX, wholeNumberFor } from '../../terminal/option-values.ts';
import { addSettings } from '../../terminal/setting-options.ts';
import { showTable } from '../../terminal/table.ts';
import { DATA_SETTINGS, withData } from './access/data-access.ts';
import { cancelCommand, reinstateCommand } from './tickets/cancel-command.ts';
import { deleteCommand } from './tickets/delete-command.ts';
import { editCommand } from './tickets/edit-command.ts';
import { exportCommand } from './tickets/export-command.ts';
import { importCommand } from './tickets/import-command.ts';
import { unknownTicket } from './tickets/named-tickets.ts';
import { revokeListCommand } from './tickets/revoke-list-command.ts';
import { addFilterOptions, type FilterOptions, filterFrom } from './tickets/ticket-filter.ts';
import { givenTicketId, ticketIdFrom } from './tickets/ticket-id-from.ts';
import { endWarnings, type TicketView, ticketCells, ticketHeads } from './tickets/ticket-view.ts';
import { undoCommand } from './tickets/undo-command.ts';

const EXAMPLES = `
Examples:
  ticketscan tickets list --event "Summer pool" --state valid
  ticketscan tickets show tkt_ab12cd_0123456789abcdefghij
  ticketscan tickets cancel tkt_ab12cd_0123456789abcdefghij
  ticketscan tickets undo 4711 --reason "the gate did not turn"

Name a ticket by its id or its complete code. Every running server applies a cancellation from the next request on.`;

const PAGE = 100;

interface ListOptions extends FilterOptions {
  readonly limit: number;
  readonly after?: string;
  readonly json?: boolean;
}

/** `ticketscan tickets`: what has been sold, and what became of it. */
export function command(io: CliIo): Command {
  return new Command('tickets')
    .description('List, show, cancel, edit, delete, import and export tickets; take back uses.')
    .addHelpText('after', EXAMPLES)
    .addCommand(listCommand(io))
    .addCommand(showCommand(io))
    .addCommand(cancelCommand(io))
    .addCommand(reinstateCommand(io))
    .addCommand(editCommand(io))
    .addCommand(undoCommand(io))
    .addCommand(deleteCommand(io))
    .addCommand(importCommand(io))
    .addCommand(exportCommand(io))
    .addCommand(revokeListCommand(io));
}

function listCommand(io: CliIo): Command {
  const list = addFilterOptions(
    new Command('list').description('List tickets in the order of their ids.'),
  )
    .option('--limit <number>', 'maximum number', wholeNumberFor('--limit', 1, COUNT_MAX), PAGE)
    .option('--after <ticket>', 'only those after this one: the last of the previous page')
    .option('--json', 'a JSON array')
    .action(async (options: ListOptions) => {
      await withData(io, { ...options }, async (access) => {
        const { limit, after } = options;
        const zone = await zoneOf(access.store, { event: options.event });
        const filter = await filterFrom(access, options);
        const now = filter.state?.now ?? access.clock.now();
        const tickets = await access.store.listTickets({
          ...filter,
          limit,
          ...(after !== undefined && { afterId: givenTicketId(after, '--after', io) }),
        });
        if (options.json)
          io.out(
            JSON.stringify(
              tickets.map((ticket) => ticketToJson(ticket, now)),
              null,
              2,
            ),
          );
        else {
          const events = namesOf(await access.store.list('event'));
          showTickets(io, tickets, { events, now, zone }, options);
        }
      });
    });
  return addSettings(list, DATA_SETTINGS);
}

function showTickets(
  io: CliIo,
  tickets: readonly Ticket[],
  view: TicketView,
  options: ListOptions,
): void {
  if (tickets.length === 0) note(io, noTickets(options));
  showTable(
    io,
    ticketHeads(view.zone),
    tickets.map((ticket) => ticketCells(ticket, view)),
  );
  for (const warning of endWarnings(tickets)) io.err(warning);
  const last = tickets.at(-1);
  if (last && tickets.length === options.limit) note(io, `There may be more: --after ${last.id}`);
}

function noTickets({ event, state, search, batch, after }: ListOptions): string {
  const isAny = [event, state, search, batch, after].every((one) => one === undefined);
  return isAny ? 'No tickets yet. Create some: ticketscan mint --help' : 'No tickets match.';
}

function showCommand(io: CliIo): Command {
  const show = new Command('show')
    .description('Show a ticket and its latest scans.')
    .argument('<ticket>', 'code, or id as it is printed')
    .option('--json', 'a JSON object')
    .action(async (ticket: string, options: { json?: boolean }) => {
      await withData(io, options, async ({ store, clock }) => {
        const id = ticketIdFrom(ticket, io);
        const found = await store.findTicket(id);
        if (!found) throw unknownTicket(id);
        const scans = await store.readLog({ ticketId: id, limit: PAGE });
        if (options.json) {
          const json = ticketToJson(found, clock.now());
          io.out(JSON.stringify({ ...json, scans: scans.map(logEntryToJson) }, null, 2));
        } else {
          const keys = namesOf(await store.list('key'));
          const events = namesOf(await store.list('event'));
          const zone = await zoneOf(store, { event: found.eventId });
          showHistory(io, found, scans, { keys, events, now: clock.now(), zone });
        }
      });
    });
  return addSettings(show, DATA_SETTINGS);
}

function showHistory(
  io: CliIo,
  ticket: Ticket,
  scans: readonly LogEntry[],
  { keys, ...view }: TicketView & { readonly keys: Names },
): void {
  showTable(io, ticketHeads(view.zone), [ticketCells(ticket, view)]);
  for (const warning of endWarnings([ticket])) io.err(warning);
  io.out(scans.length === 0 ? 'Not scanned yet.' : '');
  showTable(
    io,
    logHeads(),
    scans.map((scan) => logCells(scan, keys, view.zone)),
  );
}
