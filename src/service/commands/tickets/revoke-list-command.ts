import { Command } from 'commander';
import type { CliIo } from '../../../terminal/io.ts';
import { note } from '../../../terminal/messages.ts';
import { addSettings } from '../../../terminal/setting-options.ts';
import { writeAtomically } from '../../../tickets/files.ts';
import { makeRevokeList } from '../../../tickets/lists/revoke-list.ts';
import { STORE_SETTINGS, type StoreAccess, withStore } from '../access/store-access.ts';
import { allTickets, filterFrom } from './ticket-filter.ts';

interface RevokeListOptions {
  readonly event?: string;
  readonly out?: string;
}

/** `ticketscan tickets revoke-list`: the cancelled tickets, signed, for gates without a connection. */
export function revokeListCommand(io: CliIo): Command {
  const command = new Command('revoke-list')
    .description('Write a signed list of cancelled tickets, for gates that verify offline.')
    .option('--event <event>', 'only of this event (id or name)')
    .option('--out <file>', 'write there instead of to stdout')
    .action(async (options: RevokeListOptions) => {
      await withStore(io, { ...options }, (access) => writeList(io, access, options));
    });
  return addSettings(command, STORE_SETTINGS);
}

async function writeList(
  io: CliIo,
  access: StoreAccess,
  { event, out }: RevokeListOptions,
): Promise<void> {
  const filter = await filterFrom(access, {
    state: 'cancelled',
    ...(event !== undefined && { event }),
  });
  const ids: string[] = [];
  for await (const { id } of allTickets(access.store, filter)) ids.push(id);
  const list = makeRevokeList(ids, access.clock.now(), await access.keyring());
  if (out === undefined) {
    io.stdout.write(list);
    return;
  }
  await writeAtomically(out, async (stream) => stream.write(list));
  note(io, `${ids.length} cancelled tickets are listed in ${out}.`);
}
