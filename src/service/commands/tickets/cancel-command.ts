import { Command } from 'commander';
import { ticketToJson } from '../../../core/codecs/ticket.ts';
import type { CliIo } from '../../../terminal/io.ts';
import { showResult } from '../../../terminal/results.ts';
import { addSettings } from '../../../terminal/setting-options.ts';
import { DATA_SETTINGS, withData } from '../access/data-access.ts';
import type { DataAccess } from '../access/data-types.ts';
import { addManyOptions, changeMany, type ManyOptions, meansMany } from './many-options.ts';
import { forEachTicket } from './named-tickets.ts';
import { ticketIdFrom } from './ticket-id-from.ts';

const EXAMPLES = `
Examples:
  ticketscan tickets cancel tkt_ab12cd_0123456789abcdefghij
  ticketscan tickets cancel --event "Summer pool" --yes`;

const MANY = { consequence: 'is refused from now on', doing: 'cancelling' };

/** `ticketscan tickets cancel`: some tickets, or all of an event or a batch. */
export function cancelCommand(io: CliIo): Command {
  const command = addManyOptions(
    new Command('cancel').description('Cancel tickets: from now on their scans are rejected.'),
  )
    .option('--json', 'a JSON array; of many tickets, an object with their number')
    .addHelpText('after', EXAMPLES)
    .action(async (given: string[], options: ManyOptions) => {
      const isMany = meansMany(given, options);
      await withData(io, { ...options }, async (access) => {
        if (!isMany) return change(io, access, 'cancel', given, options);
        const done = await changeMany(io, access, 'cancel', options, MANY);
        if (!done) return;
        const { changed: cancelled, kept } = done;
        if (options.json) io.out(JSON.stringify({ cancelled, kept }));
        else io.out(`Cancelled tickets: ${cancelled}. Cancelled before: ${kept}.`);
      });
    });
  return addSettings(command, DATA_SETTINGS);
}

/** `ticketscan tickets reinstate` */
export function reinstateCommand(io: CliIo): Command {
  const command = new Command('reinstate')
    .description('Reinstate cancelled tickets, with the uses that they had.')
    .argument('<ticket...>', 'codes, or ids as they are printed')
    .option('--json', 'a JSON array')
    .action(async (given: string[], options: { json?: boolean }) => {
      await withData(io, options, (access) => change(io, access, 'reinstate', given, options));
    });
  return addSettings(command, DATA_SETTINGS);
}

async function change(
  io: CliIo,
  access: DataAccess,
  name: 'cancel' | 'reinstate',
  given: readonly string[],
  options: { json?: boolean },
): Promise<void> {
  const ids = given.map((ticket) => ticketIdFrom(ticket, io));
  const changed = await forEachTicket(access, ids, (owner, id) => access.tickets[name](owner, id));
  const state = name === 'cancel' ? 'cancelled' : 'reinstated';
  const lines = changed.map(({ id }) => `Ticket ${id} is ${state}.`);
  const now = access.clock.now();
  showResult(
    io,
    options,
    changed.map((ticket) => ticketToJson(ticket, now)),
    lines,
  );
}
