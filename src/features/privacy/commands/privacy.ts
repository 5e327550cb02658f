import { TicketscanError } from '../../../core/errors.ts';
import type { TicketView } from '../../../core/records.ts';
import { fieldsThat } from '../../../core/ticket-fields.ts';
import { eventOfTicketId } from '../../../core/ticket-id.ts';
import { counted, sanitizeForTerminal } from '../../../kit/text.ts';
import { commandGroup, plainCommand } from '../../../terminal/command.ts';
import { type CliIo, note } from '../../../terminal/io.ts';
import { readSettings } from '../../../terminal/options.ts';
import { withElapsed } from '../../../terminal/progress.ts';
import { confirm } from '../../../terminal/prompts.ts';
import type { DataAccess } from '../../data-access.ts';
import { withStore } from '../../data-access.ts';
import { dataCommand } from '../../data-command.ts';
import { requireExistingStore, STORE_SETTINGS } from '../../store/opening.ts';
import {
  findTickets,
  NOTHING_CHANGED,
  TICKETS_HELP,
  ticketIdFrom,
  unknownTicket,
} from '../../tickets/commands/find-tickets.ts';
import { eraseHolders } from '../../tickets/operations.ts';
import { ERASED_AT_ONCE_MAX } from '../../tickets/rules.ts';
import { applyRetention, RETENTION_SETTINGS } from '../rules.ts';
import { ticketsNamed } from './guests.ts';
import { reportCommand } from './report.ts';

const EXAMPLES = `
Examples:
  ticketscan privacy report --name "Ada Lovelace"
  ticketscan privacy erase tkt_ab12cd_0123456789abcdefghij
  ticketscan privacy erase --name "Ada Lovelace"`;

/** `ticketscan privacy`: tells what is stored about guests, and forgets them. */
export function command(io: CliIo) {
  return commandGroup(io, 'privacy', {
    summary: 'Tell and erase what is stored about guests, and remove what is kept no longer.',
    help: EXAMPLES,
    commands: [reportCommand, eraseCommand, cleanCommand, applyCommand],
  });
}

const ERASE_HELP = `
Examples:
  ticketscan privacy erase tkt_ab12cd_0123456789abcdefghij
  ticketscan privacy erase --name "Ada Lovelace"

It removes the name, the reference, the note and the mark from the ticket, from answers that are stored for repeated requests, and from
the audit log. It removes the reasons of uses that were taken back, and rewrites the files of a SQLite or JSON store. The ticket, its uses and the audit entries
stay. A replacement for the same holder is erased with it. --name finds the current holders of tickets. To erase a name that a ticket
had before an edit, give the id of the ticket.
It cannot change backups, exported lists and printed tickets, nor the files and backups of a PostgreSQL database: there, run
VACUUM FULL. It does not rewrite a large SQLite store that a server has open: stop the server, and run "privacy clean".`;

/** `ticketscan privacy erase`: forgets who a guest is. */
const eraseCommand = dataCommand({
  name: 'erase',
  summary: 'Erase the name of a guest from tickets and from what is stored about them.',
  argument: ['[tickets...]', `${TICKETS_HELP}; also of deleted tickets`],
  options: (one) => one.option('--name <text>', 'tickets whose holder has this text in the name'),
  yes: 'erase without a question; needed where no terminal can ask',
  json: '{"tickets", "erased", "purged"}',
  help: ERASE_HELP,
  run: async (access, options, given) => {
    const { io } = access;
    const asked = given.map((id) => ticketIdFrom(id, io));
    const { tickets, gone } = await ticketsToErase(access, asked, options.name);
    const consequence = consequenceOf(tickets, gone);
    if (!(await confirm(io, { ...options, consequence, needsYes: true }))) return;
    const ids = [...tickets.map(({ ticketId }) => ticketId), ...gone];
    const { erased, isPurged } = await withElapsed(io, 'erasing, and cleaning the files', () =>
      access.call(eraseHolders, { ids }),
    );
    if (!options.json)
      io.out(
        `Erased from ${counted(erased, 'ticket')}: the holder's name, ${personalFields()}, and the reasons of undone uses.`,
      );
    tellPurged(io, isPurged, options.json ? { tickets: ids, erased } : undefined);
  },
});

/** The fields of a ticket that tell of a guest, such as `reference, note`. */
const personalFields = () => fieldsThat(({ isPersonal }) => isPersonal).join(', ');

interface ToErase {
  readonly tickets: readonly TicketView[];
  /** Ids of tickets that are not in the store: the audit log may still name their holders. */
  readonly gone: readonly string[];
}

/** @throws TicketscanError `usage`, `not_found` */
async function ticketsToErase(
  access: DataAccess,
  ids: readonly string[],
  name: string | undefined,
): Promise<ToErase> {
  if ((ids.length === 0) === (name === undefined))
    throw new TicketscanError('usage', 'Name the tickets by their ids, or a holder with --name.');
  if (ids.length > ERASED_AT_ONCE_MAX)
    throw new TicketscanError(
      'usage',
      `At most ${ERASED_AT_ONCE_MAX} tickets are erased at once.${NOTHING_CHANGED}`,
    );
  if (name === undefined) {
    const tickets = await findTickets(access, ids);
    const gone = ids.filter((id) => !tickets.some(({ ticketId }) => ticketId === id));
    // A server erases only tickets that it has. On a store, a deleted ticket can be named too.
    const unknown = gone.find((id) => !access.local || eventOfTicketId(id) === undefined);
    if (unknown === undefined) return { tickets, gone };
    throw unknownTicket(unknown, NOTHING_CHANGED);
  }
  return { tickets: await ticketsNamed(access, name, NOTHING_CHANGED), gone: [] };
}

function consequenceOf(tickets: readonly TicketView[], gone: readonly string[]): string {
  const names = tickets.map(({ ticketId, holder }) => {
    return `  ${ticketId}  ${holder ? `${holder.firstName} ${holder.lastName}` : 'no holder'}`;
  });
  const others = gone.map((id) => `  ${id}  is not in the store; names in its audit entries`);
  const lines = [...names, ...others].map(sanitizeForTerminal);
  return ['These names are erased permanently, except in backups and on paper:', ...lines, ''].join(
    '\n',
  );
}

/** `ticketscan privacy clean`: overwrites what erased names left in the files. A server does that with each erasure. */
const cleanCommand = dataCommand({
  name: 'clean',
  summary: "Rewrite a store's files, so that nothing erased is left in them.",
  json: '{"purged"}',
  run: async ({ io, local }, options) => {
    const purge = async () => (local ? local.store.purgeErased(true) : false);
    const isPurged = await withElapsed(io, 'cleaning the files', purge);
    tellPurged(io, isPurged, options.json ? {} : undefined);
  },
});

function tellPurged(io: CliIo, purged: boolean, json: object | undefined): void {
  if (json) io.out(JSON.stringify({ ...json, purged }));
  else if (purged) io.out('The files of the store are written anew, without them.');
  else
    io.err(
      'Bytes of the names may still be in free space of the files. SQLite: stop the server and run ticketscan privacy clean. ' +
        'PostgreSQL: VACUUM FULL.',
    );
}

const APPLY_HELP = `
Example:
  ticketscan privacy apply --keep-log-days 365 --keep-holders-days 30 --yes

A server with the same settings does this once a day. Counters, tickets and the audit log stay. The days of a holder begin when the ticket
is used up, is cancelled or is no longer valid. Nothing is removed from a store that does not pass its audit.`;

/** `ticketscan privacy apply`: removes data whose time has passed. */
const applyCommand = plainCommand({
  name: 'apply',
  summary: 'Remove log entries and holders that are older than the given days.',
  yes: true,
  json: '{"entries", "holders", "purged"}',
  help: APPLY_HELP,
  settings: [...STORE_SETTINGS, ...RETENTION_SETTINGS],
  run: async (io, options) => {
    const { store: url } = readSettings(STORE_SETTINGS, options, io);
    const retention = readSettings(RETENTION_SETTINGS, options, io);
    if (retention.keepLogDays === undefined && retention.keepHoldersDays === undefined)
      throw new TicketscanError('usage', 'Say how long: --keep-log-days N, --keep-holders-days N.');
    requireExistingStore(url);
    const consequence = 'Everything older is removed permanently.';
    if (!(await confirm(io, { ...options, consequence, needsYes: false }))) return;
    await withStore(io, options, async ({ local: { store, clock } }) => {
      const done = await withElapsed(io, 'auditing and removing', () =>
        applyRetention(store, clock, retention, true),
      );
      const line = `Removed ${done.entries} log entries and the holders of ${done.holders} tickets.`;
      io.out(options.json ? JSON.stringify(done) : line);
      if (!done.purged)
        note(io, 'Bytes of them may still be in the files: see ticketscan privacy clean --help.');
    });
  },
});
