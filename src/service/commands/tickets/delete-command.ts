import { Command } from 'commander';
import type { CliIo } from '../../../terminal/io.ts';
import { confirm } from '../../../terminal/prompts.ts';
import { addSettings } from '../../../terminal/setting-options.ts';
import { DATA_SETTINGS, withData } from '../access/data-access.ts';
import type { DataAccess } from '../access/data-types.ts';
import { addManyOptions, changeMany, type ManyOptions, meansMany } from './many-options.ts';
import { forEachTicket, requireTickets } from './named-tickets.ts';
import { ticketIdFrom } from './ticket-id-from.ts';

const EXAMPLES = `
Examples:
  ticketscan tickets delete tkt_ab12cd_0123456789abcdefghij --yes
  ticketscan tickets delete --batch bat_0123456789 --yes

A ticket that was used, or that the scan log names, is kept: cancel it instead.`;

const MANY = {
  consequence: 'that was never used or scanned is deleted; nothing brings it back',
  doing: 'deleting',
};

/** `ticketscan tickets delete`: tickets that were never used, for good. */
export function deleteCommand(io: CliIo): Command {
  const command = addManyOptions(
    new Command('delete').description('Delete tickets that were never used or scanned.'),
  )
    .option('--json', 'a JSON object')
    .addHelpText('after', EXAMPLES)
    .action(async (given: string[], options: ManyOptions) => {
      const isMany = meansMany(given, options);
      await withData(io, { ...options }, async (access) => {
        const done = isMany
          ? await changeMany(io, access, 'delete', options, MANY)
          : await deleteNamed(io, access, given, options);
        if (!done) return;
        const { changed: deleted, kept } = done;
        if (options.json) io.out(JSON.stringify({ deleted, kept }));
        else
          io.out(`Deleted tickets: ${deleted}. Kept, because they were used or scanned: ${kept}.`);
      });
    });
  return addSettings(command, DATA_SETTINGS);
}

/** @throws TicketscanError `conflict` for the first ticket that cannot be deleted */
async function deleteNamed(
  io: CliIo,
  access: DataAccess,
  given: readonly string[],
  options: ManyOptions,
): Promise<{ changed: number; kept: number } | undefined> {
  const ids = given.map((ticket) => ticketIdFrom(ticket, io));
  await requireTickets(access, ids);
  const consequence = `Deleted permanently: ${ids.join(', ')}.`;
  if (!(await confirm(io, { ...options, consequence, needsYes: true }))) return undefined;
  let deleted = 0;
  await forEachTicket(access, ids, async (owner, id) => {
    try {
      await access.tickets.deleteOne(owner, id);
      deleted += 1;
    } catch (error) {
      if (deleted > 0)
        io.err(`Deleted before it: ${ids.slice(0, deleted).join(', ')}. The others stay.`);
      throw error;
    }
  });
  return { changed: ids.length, kept: 0 };
}
