import { LogEntryJson, logEntryFromView } from '../../../../core/codecs/log-entry.ts';
import type { AdminClient } from '../../../../operations/admin-client.ts';
import type { DataAccess as NewAccess } from '../../../../operations/data-access.ts';
import type { Call } from '../../../../operations/operation.ts';
import type { DataAccess } from '../data-types.ts';
import { RemoteStore } from './remote-store.ts';

/** The data behind a server's admin API. */
export function remoteAccess(client: AdminClient, call: Call): Omit<DataAccess, keyof NewAccess> {
  return {
    store: new RemoteStore(client, call),
    undo: async (sequence, reason) =>
      logEntryFromView(await client.post(`/log/${sequence}/undo`, LogEntryJson, { reason })),
  };
}
