import type { Clock } from '../core/clock.ts';
import type { Administration } from '../scan/administration.ts';
import type { TicketAdministration } from '../scan/ticket-administration.ts';
import type { Store } from '../stores/store.ts';

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
  | 'renameEvent'
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
