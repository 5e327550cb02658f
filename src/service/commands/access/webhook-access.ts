import { randomBytes } from 'node:crypto';
import type { Settings } from '../../../config/settings.ts';
import type { Clock } from '../../../core/clock.ts';
import { deliveryView, webhookView } from '../../admin/views/webhook-view.ts';
import type { Webhook, WebhookDelivery } from '../../admin/wire/webhooks.ts';
import { COMMAND_LINE } from '../../manage/actor.ts';
import { Administration } from '../../manage/administration.ts';
import { newestSequence } from '../../manage/log-reader.ts';
import type { Store } from '../../stores/store.ts';
import { type NewWebhook, type WebhookChanges, Webhooks } from '../../webhooks/webhooks.ts';
import { type WEBHOOK_SETTINGS, webhookNetworkFrom } from '../serve/server-settings.ts';

/** What people do with webhooks, on a store or at a server. */
export interface DataWebhooks {
  /** Of every organisation that can be seen, oldest first. */
  list(): Promise<Webhook[]>;
  /** @param organisation an id or name; not needed if only one exists */
  create(
    options: NewWebhook,
    organisation: string | undefined,
  ): Promise<Webhook & { secret: string }>;
  edit(id: string, changes: WebhookChanges): Promise<Webhook & { secret?: string | undefined }>;
  delete(id: string): Promise<void>;
  /** Sends a test message: from here on a store, from the server at a server. */
  test(id: string): Promise<WebhookDelivery>;
  /** The latest attempts, newest first. */
  deliveries(id: string): Promise<WebhookDelivery[]>;
}

/** On a store. @throws TicketscanError as `webhookNetworkFrom` does */
export function webhooksOn(
  store: Store,
  clock: Clock,
  settings: Pick<Settings, (typeof WEBHOOK_SETTINGS)[number]>,
): DataWebhooks {
  const { isAllowed, send, close } = webhookNetworkFrom(settings);
  const random = randomBytes;
  const webhooks = new Webhooks({ store, clock, random, isAllowed }, COMMAND_LINE);
  const administration = new Administration(store, clock, random);
  return {
    list: async () => {
      const newest = await newestSequence(store);
      return (await webhooks.list(undefined)).map((state) => webhookView(state, newest));
    },
    create: async (options, organisation) => {
      const { id } = await administration.findOrganisation(organisation);
      const { webhook, secret } = await webhooks.create(id, options);
      return { ...webhookView({ webhook, progress: undefined }, webhook.startAfter), secret };
    },
    edit: async (id, changes) => {
      const { state, secret } = await webhooks.edit(undefined, id, changes);
      const view = webhookView(state, await newestSequence(store));
      return secret === undefined ? view : { ...view, secret };
    },
    delete: async (id) => void (await webhooks.delete(undefined, id)),
    test: async (id) => deliveryView(await webhooks.test(undefined, id, send).finally(close)),
    deliveries: async (id) => {
      const { progress } = await webhooks.find(undefined, id);
      return (progress?.deliveries ?? []).map(deliveryView);
    },
  };
}
