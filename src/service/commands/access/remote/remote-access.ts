import { TicketscanError } from '../../../../core/errors.ts';
import type { JsonClientOptions } from '../../../../kit/json-client.ts';
import { ScanStatistics } from '../../../admin/wire/scan-statistics.ts';
import type { DataAccess } from '../data-types.ts';
import { AdminClient } from './admin-client.ts';
import { RemoteAdministration } from './remote-administration.ts';
import { RemoteLog } from './remote-log.ts';
import { RemoteSheets } from './remote-sheets.ts';
import { RemoteStore } from './remote-store.ts';
import { RemoteTickets } from './remote-tickets.ts';
import { RemoteTokens } from './remote-tokens.ts';
import { RemoteWebhooks } from './remote-webhooks.ts';

export interface RemoteServer extends Pick<JsonClientOptions, 'ca' | 'onAnswer'> {
  readonly url: string;
  readonly token: string;
}

/**
 * The data behind a server's admin API.
 * @throws TicketscanError `usage` when a store is named too
 */
export function remoteAccess(
  { url, token, ...reach }: RemoteServer,
  options: Readonly<Record<string, unknown>>,
): DataAccess {
  if (options['store'] !== undefined) {
    throw new TicketscanError('usage', '--url and --store cannot be combined: give one of them.');
  }
  const client = new AdminClient(url, token, reach);
  const store = new RemoteStore(client);
  const administration = new RemoteAdministration(client, store);
  const tickets = new RemoteTickets(client);
  return {
    store,
    administration,
    tickets,
    many: tickets,
    log: new RemoteLog(client),
    deletions: { unfinished: async () => [], finish: async () => {} },
    purgeErased: async () => tickets.isPurged,
    tokens: new RemoteTokens(client),
    statistics: ({ from, to, by, timeZone, eventId: event }) =>
      client.get('/statistics/scans', ScanStatistics, { from, to, by, timeZone, event }),
    webhooks: async () => new RemoteWebhooks(client, administration),
    sheets: new RemoteSheets(client),
    clock: client.clock,
    url,
  };
}
