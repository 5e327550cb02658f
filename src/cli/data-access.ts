import { randomBytes } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { TicketscanError } from '../core/errors.ts';
import { COMMAND_LINE } from '../scan/actor.ts';
import type { Administration } from '../scan/administration.ts';
import { TicketAdministration } from '../scan/ticket-administration.ts';
import type { Store } from '../stores/store.ts';
import type { CliIo } from './io.ts';
import { readSecretValue } from './secret-value.ts';
import { readSettings } from './setting-options.ts';
import { STORE_SETTINGS, withStore } from './store-access.ts';

/** The settings that tell where the data is: a store, or a server that has one. */
export const DATA_SETTINGS = [...STORE_SETTINGS, 'url', 'token'] as const;

/** What commands read; a store has it, and so has a server. */
export type DataStore = Pick<
  Store,
  | 'listOrganisations'
  | 'listEvents'
  | 'createEvent'
  | 'listKeys'
  | 'requestsInMonth'
  | 'findTicket'
  | 'listTickets'
  | 'countTickets'
  | 'readLog'
>;

export type DataAdministration = Pick<
  Administration,
  | 'createOrganisation'
  | 'editLimits'
  | 'findOrganisation'
  | 'createEvent'
  | 'findEvent'
  | 'createKey'
  | 'editKey'
  | 'deleteKey'
>;

export type DataTickets = Pick<TicketAdministration, 'cancel' | 'reinstate' | 'import'>;

export interface DataAccess {
  readonly store: DataStore;
  readonly administration: DataAdministration;
  readonly tickets: DataTickets;
  /** Of the server, when it is one. */
  readonly url?: string;
  readonly clock: Clock;
}

/**
 * Runs `work` on the store that the options name or, with `--url`, through a server's admin API.
 * @throws TicketscanError `usage`, and whatever store or server answer
 */
export async function withData<Result>(
  io: CliIo,
  options: Readonly<Record<string, unknown>>,
  work: (access: DataAccess) => Promise<Result>,
): Promise<Result> {
  const { url, token } = readSettings(['url', 'token'], options, io);
  // A store that is named here is meant, whatever server the environment names.
  const isRemote =
    url !== undefined && (options['url'] !== undefined || options['store'] === undefined);
  if (isRemote) {
    const { remoteAccess } = await import('./remote/remote-access.ts');
    return work(remoteAccess(url, tokenFrom(token, io), options));
  }
  return withStore(io, options, ({ store, administration, clock }) => {
    const tickets = new TicketAdministration(store, clock, randomBytes, COMMAND_LINE);
    return work({ store, administration, tickets, clock });
  });
}

function tokenFrom(token: string | undefined, io: CliIo): string {
  if (token !== undefined) return readSecretValue(token, io);
  throw new TicketscanError(
    'usage',
    'A server wants an access token: --token env:NAME or file:PATH, or TICKETSCAN_TOKEN. Create one in the dashboard.',
  );
}
