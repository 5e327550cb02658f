import { Command } from 'commander';
import { TicketscanError } from '../../../core/errors.ts';
import type { Ticket } from '../../../core/ticket.ts';
import { eventOfTicketId } from '../../../core/ticket-id.ts';
import { counted } from '../../../kit/counted.ts';
import { sanitizeForTerminal } from '../../../kit/safe-text.ts';
import type { CliIo } from '../../../terminal/io.ts';
import { withElapsed } from '../../../terminal/progress.ts';
import { confirm } from '../../../terminal/prompts.ts';
import { addSettings } from '../../../terminal/setting-options.ts';
import { DATA_SETTINGS, withData } from '../access/data-access.ts';
import type { DataAccess } from '../access/data-types.ts';
import { NOTHING_CHANGED, unknownTicket } from '../tickets/named-tickets.ts';
import { ticketIdFrom } from '../tickets/ticket-id-from.ts';

const HELP = `
Examples:
  ticketscan privacy erase tkt_ab12cd_0123456789abcdefghij
  ticketscan privacy erase --name "Ada Lovelace"

It removes the name from the ticket, from answers that are stored for repeated requests, and from the audit log, the reasons of its uses that were taken back,
and writes the files of a SQLite
or JSON store anew. The ticket, its uses and the audit entries stay. --name finds holders that tickets have now; a
name that a ticket had before it was edited is erased by the id of the ticket. It cannot change backups, exported lists and printed tickets, nor the
files and backups of a PostgreSQL database: there, run VACUUM FULL. A large SQLite store that a server has open is written anew when it
is erased from, or "privacy clean" is run, with the server stopped.`;

const NAMED_MAX = 100;

interface EraseOptions {
  readonly name?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** `ticketscan privacy erase`: forgets who a guest is. */
export function eraseCommand(io: CliIo): Command {
  const erase = new Command('erase')
    .description('Erase the name of a guest from tickets and from what is stored about them.')
    .argument('[tickets...]', 'codes, or ids as they are printed; also of deleted tickets')
    .option('--name <text>', 'tickets whose holder has this text in the name')
    .option('--yes', 'erase without a question; needed where no terminal can ask')
    .option('--json', '{"tickets", "erased", "purged"}')
    .addHelpText('after', HELP)
    .action(async (ids: string[], options: EraseOptions) => {
      await withData(io, { ...options }, (access) => eraseFrom(io, access, ids, options));
    });
  return addSettings(erase, DATA_SETTINGS);
}

/** `ticketscan privacy clean`: overwrites what erased names left in the files. */
export function cleanCommand(io: CliIo): Command {
  const clean = new Command('clean')
    .description("Write a store's files anew, without what was erased from it.")
    .option('--json', '{"purged"}')
    .action(async (options: { json?: boolean }) => {
      await withData(io, { ...options }, async ({ purgeErased }) => {
        const purged = await withElapsed(io, 'cleaning the files', purgeErased);
        tellPurged(io, purged, options.json ? {} : undefined);
      });
    });
  return addSettings(clean, DATA_SETTINGS);
}

async function eraseFrom(
  io: CliIo,
  access: DataAccess,
  ids: readonly string[],
  options: EraseOptions,
): Promise<void> {
  const asked = ids.map((id) => ticketIdFrom(id, io));
  const { tickets, gone } = await ticketsToErase(access, asked, options.name);
  const consequence = consequenceOf(tickets, gone);
  if (!(await confirm(io, { ...options, consequence, needsYes: true }))) return;
  const found = [...tickets.map(({ id }) => id), ...gone];
  const organisationId = await ownerOf(access, found);
  const erased = await access.tickets.eraseHolders(organisationId, found);
  const isPurged = await withElapsed(io, 'cleaning the files', access.purgeErased);
  if (!options.json)
    io.out(`Names, and reasons of undone uses, are erased from ${counted(erased, 'ticket')}.`);
  tellPurged(io, isPurged, options.json ? { tickets: found, erased } : undefined);
}

interface ToErase {
  readonly tickets: readonly Ticket[];
  /** Ids of tickets that are not in the store: the audit log may still name their holders. */
  readonly gone: readonly string[];
}

/** @throws TicketscanError `usage`, `not_found` */
async function ticketsToErase(
  { store, url }: DataAccess,
  ids: readonly string[],
  name: string | undefined,
): Promise<ToErase> {
  if ((ids.length === 0) === (name === undefined))
    throw new TicketscanError('usage', 'Name the tickets by their ids, or a holder with --name.');
  if (name === undefined) {
    const tickets = await store.findTickets(ids);
    const gone = ids.filter((id) => !tickets.some((ticket) => ticket.id === id));
    // A server answers for tickets that it has.
    const unknown = gone.find((id) => url !== undefined || eventOfTicketId(id) === undefined);
    if (unknown === undefined) return { tickets, gone };
    throw unknownTicket(unknown, NOTHING_CHANGED);
  }
  const found = await store.listTickets({ search: name, limit: NAMED_MAX + 1 });
  const named = found.filter(({ holder }) => holder !== null);
  if (named.length === 0)
    throw new TicketscanError('not_found', `No ticket has a holder with "${name}" in the name.`);
  if (found.length > NAMED_MAX)
    throw new TicketscanError(
      'usage',
      `More than ${NAMED_MAX} tickets match. Give more of the name.`,
    );
  return { tickets: named, gone: [] };
}

function consequenceOf(tickets: readonly Ticket[], gone: readonly string[]): string {
  const names = tickets.map(({ id, holder }) => {
    return `  ${id}  ${holder ? `${holder.firstName} ${holder.lastName}` : 'no holder'}`;
  });
  const others = gone.map((id) => `  ${id}  is not in the store; names in its audit entries`);
  const lines = [...names, ...others].map(sanitizeForTerminal);
  return ['These names are erased permanently, except in backups and on paper:', ...lines, ''].join(
    '\n',
  );
}

/** Null when the tickets belong to several organisations. */
async function ownerOf({ store }: DataAccess, ids: readonly string[]): Promise<string | null> {
  const eventIds = new Set(ids.map(eventOfTicketId));
  const events = (await store.list('event')).filter(({ id }) => eventIds.has(id));
  const [owner, ...others] = new Set(events.map(({ organisationId }) => organisationId));
  return others.length === 0 ? (owner ?? null) : null;
}

function tellPurged(io: CliIo, purged: boolean, json: object | undefined): void {
  if (json) io.out(JSON.stringify({ ...json, purged }));
  else if (purged) io.out('The files of the store are written anew, without them.');
  else
    io.err(
      'Bytes of the names may still be in free space of the files. SQLite: stop the server and run ticketscan privacy clean. ' +
        'PostgreSQL: VACUUM FULL.',
    );
}
