import type { AdminClient } from '../../../../operations/admin-client.ts';
import { Done } from '../../../../operations/fields.ts';
import {
  ChangedWebhook,
  CreatedWebhook,
  type Webhook,
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookList,
} from '../../../admin/wire/webhooks.ts';
import type { NewWebhook, WebhookChanges } from '../../../webhooks/webhooks.ts';
import type { DataWebhooks } from '../webhook-access.ts';
import type { RemoteAdministration } from './remote-administration.ts';

/** The webhooks of the organisation, at a server. */
export class RemoteWebhooks implements DataWebhooks {
  readonly #client: AdminClient;
  readonly #administration: RemoteAdministration;

  constructor(client: AdminClient, administration: RemoteAdministration) {
    this.#client = client;
    this.#administration = administration;
  }

  async list(): Promise<Webhook[]> {
    return (await this.#client.get('/webhooks', WebhookList)).items;
  }

  async create(options: NewWebhook, organisation: string | undefined): Promise<CreatedWebhook> {
    await this.#administration.findOrganisation(organisation);
    return this.#client.post('/webhooks', CreatedWebhook, options);
  }

  edit(id: string, changes: WebhookChanges): Promise<ChangedWebhook> {
    return this.#client.patch(`/webhooks/${encodeURIComponent(id)}`, ChangedWebhook, changes);
  }

  async delete(id: string): Promise<void> {
    await this.#client.delete(`/webhooks/${encodeURIComponent(id)}`, Done);
  }

  test(id: string): Promise<WebhookDelivery> {
    return this.#client.post(`/webhooks/${encodeURIComponent(id)}/test`, WebhookDelivery);
  }

  async deliveries(id: string): Promise<WebhookDelivery[]> {
    const path = `/webhooks/${encodeURIComponent(id)}/deliveries`;
    return (await this.#client.get(path, WebhookDeliveryList)).items;
  }
}
