import type { AdminClient } from '../../../../operations/admin-client.ts';
import type { DataAccess as NewAccess } from '../../../../operations/data-access.ts';
import type { Call } from '../../../../operations/operation.ts';
import type { DataAccess } from '../data-types.ts';
import { RemoteAdministration } from './remote-administration.ts';
import { RemoteSheets } from './remote-sheets.ts';
import { RemoteStore } from './remote-store.ts';
import { RemoteTickets } from './remote-tickets.ts';

/** The data behind a server's admin API. */
export function remoteAccess(client: AdminClient, call: Call): Omit<DataAccess, keyof NewAccess> {
  const store = new RemoteStore(client, call);
  const administration = new RemoteAdministration(client, store);
  const tickets = new RemoteTickets(client);
  return {
    store,
    administration,
    tickets,
    many: tickets,
    deletions: { unfinished: async () => [], finish: async () => {} },
    purgeErased: async () => tickets.isPurged,
    sheets: new RemoteSheets(client),
  };
}
