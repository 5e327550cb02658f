import { systemClock } from '../../../../config/system-clock.ts';
import { TicketscanError } from '../../../../core/errors.ts';
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

/**
 * The data behind a server's admin API.
 * @param ca PEM text of certificates to trust besides the usual ones
 * @throws TicketscanError `usage` when a store is named too
 */
export function remoteAccess(
  { url, token, ca }: { url: string; token: string; ca: string | undefined },
  options: Readonly<Record<string, unknown>>,
): DataAccess {
  if (options['store'] !== undefined) {
    throw new TicketscanError('usage', '--url and --store cannot be combined: give one of them.');
  }
  const client = new AdminClient(url, token, ca);
  const store = new RemoteStore(client);
  const administration = new RemoteAdministration(client, store);
  const tickets = new RemoteTickets(client);
  return {
    store,
    administration,
    tickets,
    many: tickets,
    log: new RemoteLog(client),
    purgeErased: async () => tickets.isPurged,
    tokens: new RemoteTokens(client),
    statistics: ({ from, to, by, timeZone, eventId: event }) =>
      client.get('/statistics/scans', ScanStatistics, { from, to, by, timeZone, event }),
    webhooks: async () => new RemoteWebhooks(client, administration),
    sheets: new RemoteSheets(client),
    clock: systemClock,
    url,
  };
}
