import * as z from 'zod';
import { TicketscanError } from '../../../core/errors.ts';
import type { TicketView } from '../../../core/records.ts';
import { logEntryFromView, logEntryToJson, TicketJson } from '../../../core/records.ts';
import { fieldsThat, TICKET_FIELDS } from '../../../core/ticket-fields.ts';
import { eventOfTicketId } from '../../../core/ticket-id.ts';
import { inZone, shownTime } from '../../../core/time-zone.ts';
import { undoable } from '../../../core/undo.ts';
import { counted, sanitizeForTerminal } from '../../../kit/text.ts';
import { type CommonOptions, commandGroup } from '../../../terminal/command.ts';
import { type CliIo, note } from '../../../terminal/io.ts';
import { COUNT_MAX, wholeNumberFor } from '../../../terminal/options.ts';
import { confirm } from '../../../terminal/prompts.ts';
import { namesOf, showResult, showTable } from '../../../terminal/results.ts';
import type { DataAccess } from '../../data-access.ts';
import { dataCommand } from '../../data-command.ts';
import { namesOfDevices } from '../../devices/device-names.ts';
import { logCells, logHeads } from '../../log/commands/log-text.ts';
import { pagesOf, readEntries } from '../../log/commands/read-log.ts';
import { undoUse } from '../../log/operations.ts';
import { allSites } from '../../sites/commands.ts';
import { zoneOf } from '../../time-zone.ts';
import { getTicket } from '../operations.ts';
import { linksOfTicket, type TicketLinks } from '../rules.ts';
import { editCommand } from './edit.ts';
import { exportCommand, revokeListCommand } from './export.ts';
import {
  addFilterOptions,
  type FilterOptions,
  filteredTickets,
  givenTicketId,
  requireTickets,
  TICKET,
  ticketIdFrom,
} from './find-tickets.ts';
import { importCommand } from './import.ts';
import { cancelCommand, deleteCommand, reinstateCommand, replaceCommand } from './many.ts';
import { showTickets } from './show-tickets.ts';

const EXAMPLES = `
Examples:
  ticketscan tickets list --event "Summer pool" --state valid
  ticketscan tickets show tkt_ab12cd_0123456789abcdefghij
  ticketscan tickets cancel tkt_ab12cd_0123456789abcdefghij
  ticketscan tickets undo 4711 --reason "the gate did not turn"

Name a ticket by its id or its complete code. Every running server applies a cancellation from the next request on.`;

const PAGE = 100;

/** `ticketscan tickets`: what has been sold, and what became of it. */
export function command(io: CliIo) {
  return commandGroup(io, 'tickets', {
    summary:
      'List, show, cancel, replace, edit, delete, import and export tickets; take back uses.',
    help: EXAMPLES,
    commands: [
      listCommand,
      showCommand,
      cancelCommand,
      reinstateCommand,
      replaceCommand,
      editCommand,
      undoCommand,
      deleteCommand,
      importCommand,
      exportCommand,
      revokeListCommand,
    ],
  });
}

const listCommand = dataCommand({
  name: 'list',
  summary: 'List tickets, oldest first.',
  options: (command) =>
    addFilterOptions(command)
      .option('--limit <number>', 'maximum number', wholeNumberFor('--limit', 1, COUNT_MAX), PAGE)
      .option('--after <ticket>', 'only tickets after this one, the last of the previous page'),
  json: 'a JSON array',
  run: async (access, options) => {
    const { io } = access;
    const { limit } = options;
    const after =
      options.after === undefined ? undefined : givenTicketId(options.after, '--after', io);
    const tickets: TicketView[] = [];
    for await (const one of filteredTickets(access, options, { after, limit })) tickets.push(one);
    if (options.json)
      return io.out(JSON.stringify(z.encode(z.array(TicketJson), tickets), null, 2));
    if (tickets.length === 0) note(io, noTickets(options));
    const zone = await zoneOf(access, { event: options.event });
    showTickets(io, tickets, { events: namesOf(await access.list('event')), zone });
    const last = tickets.length === limit ? tickets.at(-1) : undefined;
    if (last) note(io, `There may be more: --after ${last.ticketId}`);
  },
});

function noTickets({
  event,
  state,
  search,
  batch,
  reference,
  after,
}: FilterOptions & { readonly after?: string }): string {
  const isAny = [event, state, search, batch, reference, after].every((one) => one === undefined);
  return isAny ? 'No tickets yet. Create some: ticketscan mint --help' : 'No tickets match.';
}

const showCommand = dataCommand({
  name: 'show',
  summary: 'Show a ticket and its latest scans.',
  argument: TICKET,
  json: 'a JSON object',
  run: async (access, options, given) => {
    const { io } = access;
    const tickets = await requireTickets(access, [ticketIdFrom(given, io)], '');
    const [ticket] = tickets;
    if (!ticket) return;
    const read = pagesOf(access.call, { ticket: ticket.ticketId });
    const { entries: scans } = await readEntries(read, {}, PAGE);
    const links = await linksFor(access, ticket.ticketId);
    if (options.json) {
      const json = z.encode(TicketJson, ticket);
      const entries = scans.map(logEntryToJson);
      io.out(JSON.stringify({ ...json, ...links, scans: entries }, null, 2));
      return;
    }
    const keys = namesOf([...(await access.list('key')), ...(await allSites(access))]);
    const zone = await zoneOf(access, { event: ticket.event });
    showTickets(io, tickets, { events: namesOf(await access.list('event')), zone });
    for (const line of fieldLines(ticket)) io.out(line);
    if (links.replaces !== null) io.out(`It replaces ${links.replaces}, which was lost.`);
    if (links.replacedBy !== null) io.out(`It was replaced by ${links.replacedBy}.`);
    io.out(scans.length === 0 ? 'Not scanned yet.' : '');
    const devices = await namesOfDevices(access);
    const rows = scans.map((scan) => logCells(scan, keys, zone, devices));
    showTable(io, logHeads(), rows);
  },
});

/** The fields of a ticket that no list shows, one on each line. */
function fieldLines(ticket: TicketView): string[] {
  return fieldsThat(({ isListed }) => !isListed).flatMap((name) => {
    const [label] = TICKET_FIELDS[name].label;
    const value = ticket[name];
    if (!value) return [];
    return value === true ? [label] : [`${label}: ${sanitizeForTerminal(value)}`];
  });
}

/** The links of a ticket. They are read separately, because the store of a command may lack the keyring that a whole answer needs. */
async function linksFor({ local, call }: DataAccess, ticketId: string): Promise<TicketLinks> {
  if (local) return linksOfTicket(local.store, ticketId);
  const { replaces, replacedBy } = await call(getTicket, { id: ticketId });
  return { replaces, replacedBy };
}

const UNDO_HELP = `
Examples:
  ticketscan tickets show tkt_ab12cd_0123456789abcdefghij    its scans, each with a number
  ticketscan tickets undo 4711 --reason "the gate did not turn"

The ticket gets one use back. The log keeps the use and says who took it back, and why. Each use can be taken back once.`;

/** `ticketscan tickets undo`: a use that was taken by mistake. */
const undoCommand = dataCommand({
  name: 'undo',
  summary: 'Take back the use of one log entry.',
  argument: ['<entry>', 'number of the log entry that took the use'],
  options: (command) =>
    command.requiredOption('--reason <text>', 'why, in one line; the log keeps it'),
  yes: 'do not ask',
  json: 'a JSON object',
  help: UNDO_HELP,
  check: (_, text) => void sequenceFrom(text),
  run: (access, options, text) => takeBack(access, sequenceFrom(text), options),
});

async function takeBack(
  access: DataAccess,
  sequence: number,
  { reason, ...options }: CommonOptions & { readonly reason: string },
): Promise<void> {
  const { io } = access;
  const read = pagesOf(access.call, {});
  const { entries } = await readEntries(read, { afterSequence: sequence - 1 }, 1);
  const [next] = entries;
  const found = next?.sequence === sequence ? next : undefined;
  const entry = undoable(found, sequence, found?.undoneBy);
  const gate = entry.serial === null ? '' : ` at ${sanitizeForTerminal(entry.serial)}`;
  const zone = await zoneOf(access, { event: eventOfTicketId(entry.ticketId ?? '') });
  const when = inZone(shownTime(entry.at, zone), zone);
  const consequence = `The use of ticket ${entry.ticketId} on ${when}${gate} is taken back.`;
  if (!(await confirm(io, { ...options, consequence, needsYes: false }))) return;
  const undone = logEntryFromView(await access.call(undoUse, { sequence, reason }));
  const uses = counted(undone.usesConsumed ?? 0, 'use');
  const line = `Entry ${undone.sequence}: ticket ${entry.ticketId} now counts ${uses}.`;
  showResult(io, options, logEntryToJson(undone), line);
  const { replacedBy } = await linksFor(access, entry.ticketId ?? '');
  if (replacedBy !== null)
    note(
      io,
      `It was replaced by ${replacedBy}, which keeps its count: tickets edit ${replacedBy} --uses N gives the use to it.`,
    );
}

/** @throws TicketscanError `usage` */
function sequenceFrom(text: string): number {
  const sequence = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(sequence) && sequence >= 1) return sequence;
  throw new TicketscanError(
    'usage',
    `"${text}" is not a number of a log entry. Look it up: ticketscan log`,
  );
}
