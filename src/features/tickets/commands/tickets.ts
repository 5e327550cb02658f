import type { Command } from '@commander-js/extra-typings';
import * as z from 'zod';
import { TicketscanError } from '../../../core/errors.ts';
import { isNearItsEnd } from '../../../core/limits.ts';
import type { TicketView } from '../../../core/records.ts';
import { logEntryFromView, logEntryToJson, TicketJson } from '../../../core/records.ts';
import { boundsFrom, type GivenWindow, holderFrom } from '../../../core/ticket.ts';
import { fieldsThat, TICKET_FIELDS } from '../../../core/ticket-fields.ts';
import { eventOfTicketId } from '../../../core/ticket-id.ts';
import { inZone, shownTime } from '../../../core/time-zone.ts';
import { undoable } from '../../../core/undo.ts';
import { counted, sanitizeForTerminal } from '../../../kit/text.ts';
import { type CommonOptions, commandGroup, withOptions } from '../../../terminal/command.ts';
import { type CliIo, note } from '../../../terminal/io.ts';
import { COUNT_MAX, forOption, wholeNumberFor } from '../../../terminal/options.ts';
import { confirm } from '../../../terminal/prompts.ts';
import { type Names, namesOf, showResult, showTable } from '../../../terminal/results.ts';
import {
  addFieldOptions,
  fieldsGiven,
  TERMS_OPTIONS,
  termsOption,
} from '../../../terminal/ticket-field-options.ts';
import { boundIn } from '../../../tickets/lists/ticket-list.ts';
import type { DataAccess } from '../../data-access.ts';
import { dataCommand } from '../../data-command.ts';
import { logCells, logHeads } from '../../log/commands/log-text.ts';
import { pagesOf, readEntries } from '../../log/commands/read-log.ts';
import { undoUse } from '../../log/operations.ts';
import { ZONE_HELP, zoneOf } from '../../time-zone.ts';
import { editTicket, getTicket } from '../operations.ts';
import { linksOfTicket, type TicketLinks } from '../rules.ts';
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
    const keys = namesOf(await access.list('key'));
    const zone = await zoneOf(access, { event: ticket.event });
    showTickets(io, tickets, { events: namesOf(await access.list('event')), zone });
    for (const line of fieldLines(ticket)) io.out(line);
    if (links.replaces !== null) io.out(`It replaces ${links.replaces}, which was lost.`);
    if (links.replacedBy !== null) io.out(`It was replaced by ${links.replacedBy}.`);
    io.out(scans.length === 0 ? 'Not scanned yet.' : '');
    const rows = scans.map((scan) => logCells(scan, keys, zone));
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

const EDIT_HELP = `
Examples:
  ticketscan tickets edit tkt_ab12cd_0123456789abcdefghij --valid-until 2027-12-31
  ticketscan tickets edit tkt_ab12cd_0123456789abcdefghij --first-name "" --last-name "" --valid-from none

Options that you do not give change nothing. Printed tickets do not change, but scans use the data in the store.`;

/** `ticketscan tickets edit`: what was sold wrongly, or is to hold longer. */
const editCommand = dataCommand({
  name: 'edit',
  summary: 'Change the holder, the validity or the uses of a ticket, or what is written on it.',
  argument: TICKET,
  options: (command) =>
    withOptions(command, addFieldEdits)
      .option(TERMS_OPTIONS.firstName[0], `${TERMS_OPTIONS.firstName[1]}; "" removes it`)
      .option(TERMS_OPTIONS.lastName[0], `${TERMS_OPTIONS.lastName[1]}; "" removes it`)
      .option(TERMS_OPTIONS.validFrom[0], `${TERMS_OPTIONS.validFrom[1]}; none removes it`)
      .option(TERMS_OPTIONS.validUntil[0], `${TERMS_OPTIONS.validUntil[1]}; none removes it`)
      .option(TERMS_OPTIONS.uses[0], `${TERMS_OPTIONS.uses[1]}, not below those consumed`)
      .option('--time-zone <name>', ZONE_HELP),
  json: 'a JSON object',
  help: EDIT_HELP,
  mustChange: true,
  run: async (access, options, given) => {
    const { io } = access;
    const id = ticketIdFrom(given, io);
    const zone = await zoneOf(access, { asked: options.timeZone, event: eventOfTicketId(id) });
    const [ticket] = await requireTickets(access, [id]);
    const { firstName, lastName, uses } = options;
    const fields = fieldsGiven(options);
    const holder = ticket?.holder;
    const edited = await access.call(editTicket, {
      id,
      holder:
        (firstName ?? lastName) === undefined
          ? undefined
          : holderFrom(firstName ?? holder?.firstName, lastName ?? holder?.lastName),
      ...windowFrom(options, zone),
      uses: uses === undefined ? undefined : usesFrom(uses),
      ...fields,
    });
    if (options.json) return io.out(JSON.stringify(z.encode(TicketJson, edited), null, 2));
    showTickets(io, [edited], { events: namesOf(await access.list('event')), zone });
  },
});

function addFieldEdits(command: Command) {
  return addFieldOptions(command, ({ kind }) => (kind === 'text' ? '; "" removes it' : ''));
}

/** The bounds that are given; `none` removes one. @throws TicketscanError `usage` */
function windowFrom(options: GivenWindow<string>, zone: string) {
  const bound = boundIn(zone);
  return boundsFrom(options, (text, name) =>
    text === 'none' ? null : forOption(termsOption(name), () => bound(text, name)),
  );
}

function usesFrom(text: string): number {
  if (/^\d{1,4}$/.test(text)) return Number(text);
  throw new TicketscanError('usage', `--uses must be a whole number, not "${text}".`);
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

const HEADS = ['ID', 'EVENT', 'TYPE', 'USES', 'STATE', 'HOLDER'];

/** Shows tickets to people, with their events by name and times in a zone, and warns of permanent cards near their end. */
function showTickets(
  io: CliIo,
  tickets: readonly TicketView[],
  { events, zone }: { readonly events: Names; readonly zone: string },
): void {
  const listed = fieldsThat(({ isListed }) => isListed).filter((name) =>
    tickets.some((ticket) => ticket[name]),
  );
  const rows = tickets.map((ticket) => [
    ticket.ticketId,
    sanitizeForTerminal(events.get(ticket.event) ?? ''),
    ticket.kind,
    `${ticket.usesConsumed}/${ticket.usesAllowed}`,
    ticket.state,
    holderText(ticket),
    shownTime(ticket.validFrom, zone) ?? '',
    shownTime(ticket.validUntil, zone) ?? '',
    ...listed.map((name) => sanitizeForTerminal(String(ticket[name] || ''))),
  ]);
  const more = listed.map((name) => TICKET_FIELDS[name].label[0].toUpperCase());
  showTable(io, [...HEADS, inZone('VALID FROM', zone), 'VALID UNTIL', ...more], rows);
  for (const warning of endWarnings(tickets)) io.err(warning);
}

/** A warning for each permanent card that will soon be exhausted. */
function endWarnings(tickets: readonly TicketView[]): string[] {
  return tickets
    .filter((ticket) => isNearItsEnd(ticket))
    .map(({ ticketId, usesRemaining }) => {
      if (usesRemaining === 0) {
        return `The permanent card ${ticketId} is exhausted. Give its holder a new one.`;
      }
      const uses = counted(usesRemaining, 'use');
      return `The permanent card ${ticketId} has ${uses} left. Give its holder a new one in time.`;
    });
}

function holderText({ holder }: Pick<TicketView, 'holder'>): string {
  return sanitizeForTerminal(holder ? `${holder.firstName} ${holder.lastName}`.trim() : '');
}
