import { Command } from 'commander';
import { TicketscanError } from '../../../core/errors.ts';
import type { Ticket } from '../../../core/ticket.ts';
import { sanitizeForTerminal } from '../../../kit/safe-text.ts';
import { confirm } from '../../../terminal/confirm.ts';
import type { CliIo } from '../../../terminal/io.ts';
import { addSettings } from '../../../terminal/setting-options.ts';
import { DATA_SETTINGS, withData } from '../access/data-access.ts';
import type { DataAccess } from '../access/data-types.ts';

const HELP = `
Examples:
  ticketscan privacy erase tkt_ab12cd_0123456789abcdefghij
  ticketscan privacy erase --name "Ada Lovelace"

It removes the name from the ticket, from answers that are stored for repeated requests, and from the audit log, and writes the files of a SQLite
or JSON store anew. The ticket, its uses and the audit entries stay. It cannot change backups, exported lists and printed tickets, nor the
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
    .argument('[tickets...]', 'ids of tickets')
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
        tellPurged(io, await purgeErased(), options.json ? {} : undefined);
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
  const tickets = await ticketsToErase(access, ids, options.name);
  const consequence = consequenceOf(tickets);
  if (!(await confirm(io, { ...options, consequence, needsYes: true }))) return;
  const found = tickets.map(({ id }) => id);
  const organisationId = await ownerOf(access, tickets);
  const erased = await access.tickets.eraseHolders(organisationId, found);
  const isPurged = await access.purgeErased();
  if (!options.json) io.out(`The holders of ${erased} tickets are erased.`);
  tellPurged(io, isPurged, options.json ? { tickets: found, erased } : undefined);
}

/** @throws TicketscanError `usage`, `not_found` */
async function ticketsToErase(
  { store }: DataAccess,
  ids: readonly string[],
  name: string | undefined,
): Promise<Ticket[]> {
  if ((ids.length === 0) === (name === undefined))
    throw new TicketscanError('usage', 'Name the tickets by their ids, or a holder with --name.');
  if (name === undefined) {
    const tickets = await store.findTickets(ids);
    const missing = ids.find((id) => !tickets.some((ticket) => ticket.id === id));
    if (missing === undefined) return tickets;
    throw new TicketscanError('not_found', `Unknown ticket ${missing}.`);
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
  return named;
}

function consequenceOf(tickets: readonly Ticket[]): string {
  const names = tickets.map(({ id, holder }) => {
    return `\n  ${id}  ${holder ? `${holder.firstName} ${holder.lastName}` : 'no holder'}`;
  });
  return `${sanitizeForTerminal(`These names are erased for ever, except in backups and on paper:${names.join('')}`)}\n`;
}

/** Null when the tickets belong to several organisations. */
async function ownerOf({ store }: DataAccess, tickets: readonly Ticket[]): Promise<string | null> {
  const eventIds = new Set(tickets.map(({ eventId }) => eventId));
  const events = (await store.listEvents()).filter(({ id }) => eventIds.has(id));
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
