import { randomBytes } from 'node:crypto';
import type { Clock } from '../../../core/clock.ts';
import { TicketscanError } from '../../../core/errors.ts';
import type { JsonClientOptions } from '../../../kit/json-client.ts';
import type { CliIo } from '../../../terminal/io.ts';
import { detail } from '../../../terminal/messages.ts';
import { readSecretValue } from '../../../terminal/option-values.ts';
import { readCa, readSettings } from '../../../terminal/setting-options.ts';
import { AccessTokens } from '../../manage/accounts/access-tokens.ts';
import { COMMAND_LINE } from '../../manage/actor.ts';
import { finishDeletions, unfinishedDeletions } from '../../manage/deletions.ts';
import { readLogPage } from '../../manage/log-reader.ts';
import { ManyTicketsAdministration } from '../../manage/many-tickets.ts';
import type { AdministeredStore } from '../../manage/organisation-administration.ts';
import { allRefusals } from '../../manage/refusal-reader.ts';
import { SheetAdministration } from '../../manage/sheet-administration.ts';
import { type StatisticsRequest, scanStatistics } from '../../manage/statistics/scan-statistics.ts';
import { TicketAdministration } from '../../manage/ticket-administration.ts';
import { describeStoreUrl } from '../../stores/open-store.ts';
import type { DataAccess, DataLog, DataTokens } from './data-types.ts';
import { STORE_SETTINGS, withNewStore, withStore } from './store-access.ts';

/** The settings that tell where the data is: a store, or a server that has one. */
export const DATA_SETTINGS = [...STORE_SETTINGS, 'url', 'token', 'ca'] as const;

/**
 * Runs `work` on the store that the options name or, with `--url`, through a server's admin API.
 * @throws TicketscanError `usage`, `store_unavailable` where there is no store yet, and whatever store or server answer
 */
export function withData<Result>(
  io: CliIo,
  options: Readonly<Record<string, unknown>>,
  work: (access: DataAccess) => Promise<Result>,
): Promise<Result> {
  return withDataIn(withStore, io, options, work);
}

/** As `withData`, for commands that may make the store. */
export function withNewData<Result>(
  io: CliIo,
  options: Readonly<Record<string, unknown>>,
  work: (access: DataAccess) => Promise<Result>,
): Promise<Result> {
  return withDataIn(withNewStore, io, options, work);
}

async function withDataIn<Result>(
  inStore: typeof withStore,
  io: CliIo,
  options: Readonly<Record<string, unknown>>,
  work: (access: DataAccess) => Promise<Result>,
): Promise<Result> {
  const { token } = readSettings(['token'], options, io);
  const url = serverFrom(io, options);
  if (url !== undefined) {
    const { remoteAccess } = await import('./remote/remote-access.ts');
    const server = {
      ...{ url, token: tokenFrom(token, io), ca: readCa(options, io) },
      onAnswer: answersTo(io, url),
    };
    return work(remoteAccess(server, options));
  }
  if (options['token'] !== undefined) {
    throw new TicketscanError(
      'usage',
      '--token is used with a server only: name the server with --url.',
    );
  }
  return inStore(io, options, ({ store, administration, clock }) => {
    const tickets = new TicketAdministration(store, clock, randomBytes, COMMAND_LINE);
    const tokens = tokensOn(store, clock);
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
    const access = { store, administration, tickets, many, tokens, log, statistics, clock };
    const deletions = {
      unfinished: () => unfinishedDeletions(store),
      finish: () => finishDeletions(store, clock),
    };
    return work({ ...access, purgeErased, webhooks, sheets, deletions });
  });
}

/** The server to ask. A store that is named here is meant, whatever server the environment names. */
function serverFrom(io: CliIo, options: Readonly<Record<string, unknown>>): string | undefined {
  const { url } = readSettings(['url'], options, io);
  return options['url'] !== undefined || options['store'] === undefined ? url : undefined;
}

/** For `--verbose`; without the query, which may contain the name of a guest. */
function answersTo(io: CliIo, url: string): NonNullable<JsonClientOptions['onAnswer']> {
  detail(io, `Server: ${describeStoreUrl(url)}`);
  return ({ method, path }, status, elapsedMs) => {
    const [shown] = path.split('?');
    detail(io, `${method} ${shown}: HTTP ${status} after ${elapsedMs.toFixed(0)} ms`);
  };
}

function tokensOn(store: AdministeredStore, clock: Clock): DataTokens {
  const tokens = new AccessTokens({ store, clock, random: randomBytes });
  return {
    list: async () =>
      (await tokens.listAll()).map(
        ({ token: { id, name, role, createdAt, expiresAt }, account }) => ({
          ...{ id, name, role, createdAt, expiresAt },
          account: { id: account.id, name: account.name },
        }),
      ),
    revoke: async (id) => void (await tokens.revoke(COMMAND_LINE, id)),
  };
}

function tokenFrom(token: string | undefined, io: CliIo): string {
  if (token !== undefined) return readSecretValue(token, io);
  throw new TicketscanError(
    'usage',
    'The server needs an access token: --token env:NAME or file:PATH, or TICKETSCAN_TOKEN. Create one in the dashboard.',
  );
}
