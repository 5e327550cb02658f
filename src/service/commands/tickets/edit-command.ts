import { Command } from 'commander';
import { ticketToJson } from '../../../core/codecs/ticket.ts';
import { parseDateTime } from '../../../core/date-time.ts';
import { TicketscanError } from '../../../core/errors.ts';
import { boundsFrom, type GivenWindow, holderFrom, type Ticket } from '../../../core/ticket.ts';
import type { TicketEdits } from '../../../core/ticket-edit.ts';
import { eventOfTicketId } from '../../../core/ticket-id.ts';
import { namesOf } from '../../../operations/names.ts';
import { ZONE_HELP, zoneOf } from '../../../operations/zone.ts';
import type { CliIo } from '../../../terminal/io.ts';
import { forOption } from '../../../terminal/option-values.ts';
import { addSettings } from '../../../terminal/setting-options.ts';
import { showTable } from '../../../terminal/table.ts';
import { DATA_SETTINGS, withData } from '../access/data-access.ts';
import { forEachTicket } from './named-tickets.ts';
import { ticketIdFrom } from './ticket-id-from.ts';
import { ticketCells, ticketHeads } from './ticket-view.ts';

interface EditOptions extends GivenWindow<string> {
  readonly firstName?: string;
  readonly lastName?: string;
  readonly uses?: string;
  readonly timeZone?: string;
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  ticketscan tickets edit tkt_ab12cd_0123456789abcdefghij --valid-until 2027-12-31
  ticketscan tickets edit tkt_ab12cd_0123456789abcdefghij --first-name "" --last-name "" --valid-from none

What is not named stays. Printed tickets do not change: scans follow the store.`;

/** `ticketscan tickets edit`: what was sold wrongly, or is to hold longer. */
export function editCommand(io: CliIo): Command {
  const command = new Command('edit')
    .description('Change the holder, the validity or the uses of a ticket.')
    .argument('<ticket>', 'code, or id as it is printed')
    .option('--first-name <name>', 'first name of the holder; "" removes it')
    .option('--last-name <name>', 'last name of the holder; "" removes it')
    .option('--valid-from <time>', 'date or time (ISO 8601) from which it is valid, or none')
    .option('--valid-until <time>', 'date or time (ISO 8601) until which it is valid, or none')
    .option('--uses <number>', 'uses of a multi-use card: 2 to 100, not below those consumed')
    .option('--time-zone <name>', ZONE_HELP)
    .option('--json', 'a JSON object')
    .addHelpText('after', EXAMPLES)
    .action(async (ticket: string, options: EditOptions) => {
      const id = ticketIdFrom(ticket, io);
      await withData(io, { ...options }, async (access) => {
        const { store } = access;
        const zone = await zoneOf(store, { asked: options.timeZone, event: eventOfTicketId(id) });
        const [edited] = await forEachTicket(access, [id], async (owner) => {
          const edits = editsFrom(options, await store.findTicket(id), zone);
          return access.tickets.edit(owner, id, edits);
        });
        if (!edited) return;
        const events = namesOf(await access.store.list('event'));
        const now = access.clock.now();
        if (options.json) io.out(JSON.stringify(ticketToJson(edited, now), null, 2));
        else showTable(io, ticketHeads(zone), [ticketCells(edited, { events, now, zone })]);
      });
    });
  return addSettings(command, DATA_SETTINGS);
}

/** @throws TicketscanError `usage` */
function editsFrom(options: EditOptions, ticket: Ticket | undefined, zone: string): TicketEdits {
  const { firstName, lastName, uses } = options;
  const { holder } = ticket ?? {};
  const edits: TicketEdits = {
    ...((firstName ?? lastName) !== undefined && {
      holder: holderFrom(firstName ?? holder?.firstName, lastName ?? holder?.lastName),
    }),
    ...boundsFrom(options, (text, name) => {
      if (text === 'none') return null;
      const [option, bound] =
        name === 'validFrom'
          ? (['--valid-from', 'from'] as const)
          : (['--valid-until', 'until'] as const);
      return forOption(option, () => parseDateTime(text, bound, zone));
    }),
    ...(uses !== undefined && { usesAllowed: usesFrom(uses) }),
  };
  if (Object.keys(edits).length > 0) return edits;
  throw new TicketscanError(
    'usage',
    'What should change? Add --first-name, --last-name, --valid-from, --valid-until or --uses.',
  );
}

function usesFrom(text: string): number {
  if (/^\d{1,4}$/.test(text)) return Number(text);
  throw new TicketscanError('usage', `--uses must be a whole number, not "${text}".`);
}
