import { OrganisationJson } from '../../../../core/codecs/records.ts';
import { TicketscanError } from '../../../../core/errors.ts';
import type { EventRecord, Organisation, OrganisationEdit } from '../../../../core/records.ts';
import { findNamed } from '../../../../features/record-checks.ts';
import type { AdminClient } from '../../../../operations/admin-client.ts';
import type { RemoteStore } from './remote-store.ts';

/** The operations of `Administration` at a server; names are looked up here, the server takes ids. */
export class RemoteAdministration {
  readonly #client: AdminClient;
  readonly #store: RemoteStore;

  constructor(client: AdminClient, store: RemoteStore) {
    this.#client = client;
    this.#store = store;
  }

  async createOrganisation(): Promise<Organisation> {
    throw new TicketscanError(
      'usage',
      'Organisations can be created only on the store: an account belongs to one organisation. Use --store.',
    );
  }

  /** Limits but the number of keys are refused before anything is sent, and the rest is one request. */
  async editOrganisation(
    nameOrId: string | undefined,
    { limits = {}, sheets, ...changes }: OrganisationEdit,
  ): Promise<Organisation> {
    const { keysMax, ...others } = limits;
    if (Object.keys(others).length > 0) {
      throw new TicketscanError(
        'usage',
        'Limits can be changed only on the store, by the operator of the service. Use --store.',
      );
    }
    await this.findOrganisation(nameOrId);
    const body = { ...changes, ...(keysMax !== undefined && { keysMax }), sheets };
    return this.#client.patch('/organisation', OrganisationJson, body);
  }

  async accountsOf(): Promise<never> {
    throw notAtAServer();
  }

  async deleteOrganisation(): Promise<never> {
    throw notAtAServer();
  }

  async findOrganisation(nameOrId: string | undefined): Promise<Organisation> {
    const [own] = await this.#store.list('organisation');
    if (!own) throw new Error('a server always has an organisation');
    return nameOrId === undefined ? own : findNamed('organisation', nameOrId, [own]);
  }

  async deleteOrganisationWithTickets(): Promise<never> {
    throw notAtAServer();
  }

  async findEvent(nameOrId: string): Promise<EventRecord> {
    return findNamed('event', nameOrId, await this.#store.list('event'));
  }
}

function notAtAServer(): TicketscanError {
  return new TicketscanError(
    'usage',
    'Organisations can be deleted only on the store: an account belongs to one organisation. Use --store.',
  );
}
