import { randomBytes } from 'node:crypto';
import { SheetAdministration } from '../../../features/organisations/sheet-settings.ts';
import { TicketAdministration } from '../../../features/tickets/administration.ts';
import {
  type DataAccess as NewAccess,
  withData as withAccess,
  withNewData as withNewAccess,
} from '../../../operations/data-access.ts';
import type { CliIo } from '../../../terminal/io.ts';
import { COMMAND_LINE } from '../../manage/actor.ts';
import { finishDeletions, unfinishedDeletions } from '../../manage/deletions.ts';
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

/** As `withData`, for commands that may make the store. */
export function withNewData<Result>(
  io: CliIo,
  options: Readonly<Record<string, unknown>>,
  work: (access: DataAccess) => Promise<Result>,
): Promise<Result> {
  return withNewAccess(io, options, withMore(work));
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

function localAccess({
  store,
  administration,
  clock,
}: StoreAccess): Omit<DataAccess, keyof NewAccess> {
  const tickets = new TicketAdministration(store, clock, randomBytes, COMMAND_LINE);
  const sheets = new SheetAdministration(store, clock, COMMAND_LINE);
  const undo = (sequence: number, reason: string) => tickets.undo(sequence, reason);
  const access = { store, administration, undo };
  const deletions = {
    unfinished: () => unfinishedDeletions(store),
    finish: () => finishDeletions(store, clock),
  };
  return { ...access, sheets, deletions };
}
