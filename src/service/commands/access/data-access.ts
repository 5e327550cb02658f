import { randomBytes } from 'node:crypto';
import { SheetAdministration } from '../../../features/organisations/sheet-settings.ts';
import {
  type DataAccess as NewAccess,
  withData as withAccess,
  withNewData as withNewAccess,
} from '../../../operations/data-access.ts';
import type { CliIo } from '../../../terminal/io.ts';
import { readSettings } from '../../../terminal/setting-options.ts';
import { COMMAND_LINE } from '../../manage/actor.ts';
import { finishDeletions, unfinishedDeletions } from '../../manage/deletions.ts';
import { readLogPage } from '../../manage/log-reader.ts';
import { ManyTicketsAdministration } from '../../manage/many-tickets.ts';
import { allRefusals } from '../../manage/refusal-reader.ts';
import { type StatisticsRequest, scanStatistics } from '../../manage/statistics/scan-statistics.ts';
import { TicketAdministration } from '../../manage/ticket-administration.ts';
import type { DataAccess, DataLog } from './data-types.ts';
import type { StoreAccess } from './store-access.ts';

export { DATA_SETTINGS } from '../../../operations/data-access.ts';

/** As `withData` of operations, with what is not an operation yet. */
export function withData<Result>(
  io: CliIo,
  options: Readonly<Record<string, unknown>>,
  work: (access: DataAccess) => Promise<Result>,
): Promise<Result> {
  return withAccess(io, options, withMore(io, options, work));
}

/** As `withData`, for commands that may make the store. */
export function withNewData<Result>(
  io: CliIo,
  options: Readonly<Record<string, unknown>>,
  work: (access: DataAccess) => Promise<Result>,
): Promise<Result> {
  return withNewAccess(io, options, withMore(io, options, work));
}

function withMore<Result>(
  io: CliIo,
  options: Readonly<Record<string, unknown>>,
  work: (access: DataAccess) => Promise<Result>,
) {
  return async (access: NewAccess) => {
    const { client, local } = access;
    if (local) return work({ ...access, ...localAccess(io, options, local) });
    const { remoteAccess } = await import('./remote/remote-access.ts');
    if (!client) throw new Error('neither a store nor a server');
    return work({ ...access, ...remoteAccess(client, access.call) });
  };
}

function localAccess(
  io: CliIo,
  options: Readonly<Record<string, unknown>>,
  { store, administration, clock }: StoreAccess,
): Omit<DataAccess, keyof NewAccess> {
  const tickets = new TicketAdministration(store, clock, randomBytes, COMMAND_LINE);
  const many = new ManyTicketsAdministration(store, tickets);
  const statistics = (request: StatisticsRequest) => scanStatistics(store, request, clock.now());
  const log: DataLog = {
    page: (conditions, limit) => readLogPage(store, conditions, limit),
    refusals: () => allRefusals(store, clock.now()),
  };
  const purgeErased = () => store.purgeErased(true);
  const webhooks = async () => {
    const { webhooksOn } = await import('./webhook-access.ts');
    return webhooksOn(store, clock, readSettings(['webhookNetworks', 'webhookCa'], options, io));
  };
  const sheets = new SheetAdministration(store, clock, COMMAND_LINE);
  const access = { store, administration, tickets, many, log, statistics };
  const deletions = {
    unfinished: () => unfinishedDeletions(store),
    finish: () => finishDeletions(store, clock),
  };
  return { ...access, purgeErased, webhooks, sheets, deletions };
}
