import type { AdminClient } from '../../../../operations/admin-client.ts';
import { Done } from '../../../../operations/fields.ts';
import { OwnedAccessTokenList } from '../../../admin/wire/accounts.ts';
import type { DataTokens, ListedToken } from '../data-types.ts';

/** The access tokens of the organisation, at a server. */
export class RemoteTokens implements DataTokens {
  readonly #client: AdminClient;

  constructor(client: AdminClient) {
    this.#client = client;
  }

  async list(): Promise<ListedToken[]> {
    const { items } = await this.#client.get('/organisation/access-tokens', OwnedAccessTokenList);
    return items;
  }

  async revoke(id: string): Promise<void> {
    await this.#client.delete(`/organisation/access-tokens/${encodeURIComponent(id)}`, Done);
  }
}
