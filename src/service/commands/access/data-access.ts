import { randomBytes } from 'node:crypto';
import { TicketAdministration } from '../../../features/tickets/administration.ts';
import {
  type DataAccess as NewAccess,
  withData as withAccess,
} from '../../../operations/data-access.ts';
import type { CliIo } from '../../../terminal/io.ts';
import { COMMAND_LINE } from '../../manage/actor.ts';
import type { DataAccess } from './data-types.ts';
import type { StoreAccess } from './store-access.ts';

export { DATA_SETTINGS } from '../../../operations/data-access.ts';

/** As `withData` of operations, with what is not an operation yet. */
export function withData<Result>(
  io: CliIo,
  options: Readonly<Record<string, unknown>>,
  work: (access: DataAccess) => Promise<Result>,
): Promise<Result> {
  return withAccess(io, options, withMore(work));
}

function withMore<Result>(work: (access: DataAccess) => Promise<Result>) {
  return async (access: NewAccess) => {
    const { client, local } = access;
    if (local) return work({ ...access, ...localAccess(local) });
    const { remoteAccess } = await import('./remote/remote-access.ts');
    if (!client) throw new Error('neither a store nor a server');
    return work({ ...access, ...remoteAccess(client, access.call) });
  };
}

function localAccess({ store, clock }: StoreAccess): Omit<DataAccess, keyof NewAccess> {
  const tickets = new TicketAdministration(store, clock, randomBytes, COMMAND_LINE);
  return { store, undo: (sequence, reason) => tickets.undo(sequence, reason) };
}
