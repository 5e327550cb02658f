import { Command, Option } from 'commander';
import { logEntryToJson } from '../../core/codecs/records.ts';
import { ticketToJson } from '../../core/codecs/ticket.ts';
import { TicketscanError } from '../../core/errors.ts';
import type { LogEntry } from '../../core/records.ts';
import type { Ticket } from '../../core/ticket.ts';
import { splitTicketCode } from '../../core/ticket-code.ts';
import { eventOfTicketId, ticketIdIn } from '../../core/ticket-id.ts';
import type { CliIo } from '../../terminal/io.ts';
import { readSecretValue } from '../../terminal/secret-value.ts';
import { addSettings } from '../../terminal/setting-options.ts';
import { table } from '../../terminal/table.ts';
import type { TicketFilter } from '../stores/store.ts';
import { DATA_SETTINGS, withData } from './access/data-access.ts';
import type { DataAccess } from './access/data-types.ts';
import { type KeyNames, keyNames, LOG_HEADS, logCells } from './log/log-view.ts';
import { exportCommand } from './tickets/export-command.ts';
import { importCommand } from './tickets/import-command.ts';
import { revokeListCommand } from './tickets/revoke-list-command.ts';
import { endWarnings, TICKET_HEADS, ticketCells } from './tickets/ticket-view.ts';

const EXAMPLES = `
Examples:
  ticketscan tickets list --event "Summer pool" --state valid
  ticketscan tickets show tkt_ab12cd_0123456789abcdefghij
  ticketscan tickets cancel tkt_ab12cd_0123456789abcdefghij

Name a ticket by its id or its complete code. Every running server applies a cancellation from the next request on.`;

const PAGE = 100;

interface ListOptions {
  readonly event?: string;
  readonly state?: NonNullable<TicketFilter['state']>;
  readonly search?: string;
  readonly limit: number;
  readonly after?: string;
  readonly json?: boolean;
}

/** `ticketscan tickets`: what has been sold, and what became of it. */
export function command(io: CliIo): Command {
  return new Command('tickets')
    .description('List, show, cancel, reinstate, import and export tickets.')
    .addHelpText('after', EXAMPLES)
    .addCommand(listCommand(io))
    .addCommand(showCommand(io))
    .addCommand(changeCommand(io, 'cancel'))
    .addCommand(changeCommand(io, 'reinstate'))
    .addCommand(importCommand(io))
    .addCommand(exportCommand(io))
    .addCommand(revokeListCommand(io));
}

function listCommand(io: CliIo): Command {
  const list = new Command('list')
    .description('List tickets in the order of their creation.')
    .option('--event <event>', 'only of this event (id or name)')
    .addOption(new Option('--state <state>', 'only these').choices(['valid', 'cancelled', 'used']))
    .option('--search <text>', 'only with this text in the id or the holder')
    .option('--limit <number>', 'maximum number', parseLimit, PAGE)
    .option('--after <ticket>', 'only those after this one: the last of the previous page')
    .option('--json', 'a JSON array')
    .action(async (options: ListOptions) => {
      await withData(io, { ...options }, async (access) => {
        const tickets = await access.store.listTickets(await filterFrom(io, access, options));
        if (options.json) io.out(JSON.stringify(tickets.map(ticketToJson), null, 2));
        else showTickets(io, tickets, options.limit);
      });
    });
  return addSettings(list, DATA_SETTINGS);
}

async function filterFrom(
  io: CliIo,
  { administration }: DataAccess,
  { event, state, search, limit, after }: ListOptions,
): Promise<TicketFilter> {
  return {
    limit,
    ...(event !== undefined && { eventId: (await administration.findEvent(event)).id }),
    ...(state && { state }),
    ...(search !== undefined && { search }),
    ...(after !== undefined && { afterId: ticketIdFrom(after, io) }),
  };
}

function showTickets(io: CliIo, tickets: readonly Ticket[], limit: number): void {
  if (tickets.length === 0) io.err('No matching tickets. Create some: ticketscan mint --help');
  for (const line of table(TICKET_HEADS, tickets.map(ticketCells))) io.out(line);
  for (const warning of endWarnings(tickets)) io.err(warning);
  const last = tickets.at(-1);
  if (last && tickets.length === limit) io.err(`There may be more: --after ${last.id}`);
}

function showCommand(io: CliIo): Command {
  const show = new Command('show')
    .description('Show a ticket and its latest scans.')
    .argument('<ticket>', 'code, or id as it is printed')
    .option('--json', 'a JSON object')
    .action(async (ticket: string, options: { json?: boolean }) => {
      await withData(io, options, async ({ store }) => {
        const id = ticketIdFrom(ticket, io);
        const found = await store.findTicket(id);
        if (!found) throw new TicketscanError('not_found', `Unknown ticket ${id}.`);
        const scans = await store.readLog({ ticketId: id, limit: PAGE });
        if (options.json) {
          io.out(
            JSON.stringify({ ...ticketToJson(found), scans: scans.map(logEntryToJson) }, null, 2),
          );
        } else {
          showHistory(io, found, scans, keyNames(await store.listKeys()));
        }
      });
    });
  return addSettings(show, DATA_SETTINGS);
}

function showHistory(io: CliIo, ticket: Ticket, scans: readonly LogEntry[], names: KeyNames): void {
  for (const line of table(TICKET_HEADS, [ticketCells(ticket)])) io.out(line);
  for (const warning of endWarnings([ticket])) io.err(warning);
  io.out(scans.length === 0 ? 'Not scanned yet.' : '');
  for (const line of table(
    LOG_HEADS,
    scans.map((scan) => logCells(scan, names)),
  ))
    io.out(line);
}

function changeCommand(io: CliIo, name: 'cancel' | 'reinstate'): Command {
  const isCancel = name === 'cancel';
  const command = new Command(name)
    .description(
      isCancel
        ? 'Cancel tickets: from now on their scans are rejected.'
        : 'Reinstate cancelled tickets, with the uses that they had.',
    )
    .argument('<ticket...>', 'codes, or ids as they are printed')
    .option('--json', 'a JSON array')
    .action(async (given: string[], options: { json?: boolean }) => {
      const changed = await withData(io, options, (access) => {
        return changeAll(
          access,
          name,
          given.map((ticket) => ticketIdFrom(ticket, io)),
        );
      });
      if (options.json) {
        io.out(JSON.stringify(changed.map(ticketToJson), null, 2));
        return;
      }
      for (const { id } of changed)
        io.out(`Ticket ${id} is ${isCancel ? 'cancelled' : 'reinstated'}.`);
    });
  return addSettings(command, DATA_SETTINGS);
}

async function changeAll(
  { store, tickets }: DataAccess,
  name: 'cancel' | 'reinstate',
  ids: readonly string[],
): Promise<Ticket[]> {
  await refuseUnknown(ids, (id) => store.findTicket(id));
  const owners = new Map((await store.listEvents()).map((one) => [one.id, one.organisationId]));
  const changed: Ticket[] = [];
  for (const id of ids) {
    changed.push(await tickets[name](owners.get(eventOfTicketId(id) ?? '') ?? null, id));
  }
  return changed;
}

/** Looks before it acts: a mistyped id among many must not leave half of them changed. */
async function refuseUnknown(
  ids: readonly string[],
  find: (id: string) => Promise<unknown>,
): Promise<void> {
  for (const id of ids) {
    if (!(await find(id))) {
      throw new TicketscanError('not_found', `Unknown ticket ${id}. Nothing was changed.`);
    }
  }
}

/** The id of a ticket named by its id or its code; the owner of the store needs no genuine code. */
export function ticketIdFrom(text: string, io: CliIo): string {
  const value = readSecretValue(text, io);
  return splitTicketCode(value)?.ticketId ?? ticketIdIn(value) ?? value;
}

/** @throws TicketscanError `usage` */
export function parseLimit(text: string): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1) return limit;
  throw new TicketscanError('usage', `--limit must be a whole number above 0, not "${text}".`);
}
