import * as z from 'zod';
import { Time, TimeOrNull } from '../../../core/codecs/time.ts';
import { WEBHOOK_EVENTS } from '../../../core/webhook-events.ts';
import { Name, wholeList } from '../../../operations/fields.ts';

const Events = z.array(z.enum(WEBHOOK_EVENTS)).min(1).max(WEBHOOK_EVENTS.length);
const Url = z.string().min(1).max(2000).meta({ description: 'an address with HTTPS' });

export const Webhook = z
  .object({
    id: z.string(),
    organisationId: z.string(),
    name: z.string(),
    url: z.string(),
    events: z.array(z.string()),
    active: z.boolean(),
    state: z.enum(['active', 'paused', 'failing', 'switched_off']),
    failingSince: TimeOrNull,
    nextAttemptAt: TimeOrNull,
    switchedOffAt: TimeOrNull,
    /** `failed_too_long` (72 hours) or `gone` (the endpoint answered 410). */
    switchedOffReason: z.string().nullable(),
    delivered: z.number().int(),
    lastSuccessAt: TimeOrNull,
    /** The log entries of all organisations that were not looked at yet; an upper bound. */
    waiting: z.number().int(),
    createdAt: Time,
  })
  .meta({ id: 'Webhook' });
export type Webhook = z.output<typeof Webhook>;
export const WebhookList = wholeList(Webhook);

export const NewWebhook = z.object({ name: Name, url: Url, events: Events.optional() });

/** The secret is in this answer and nowhere else. */
export const CreatedWebhook = Webhook.extend({ secret: z.string() }).meta({ id: 'CreatedWebhook' });
export type CreatedWebhook = z.output<typeof CreatedWebhook>;

export const WebhookChanges = z.strictObject({
  name: Name.optional(),
  url: Url.optional(),
  events: Events.optional(),
  active: z.boolean().optional(),
  /** Makes another secret; the earlier one signs beside it for 24 hours. */
  newSecret: z.boolean().optional(),
});

export const ChangedWebhook = Webhook.extend({
  /** Where a new one was asked for; shown this once. */
  secret: z.string().optional(),
}).meta({ id: 'ChangedWebhook' });
export type ChangedWebhook = z.output<typeof ChangedWebhook>;

export const WebhookDelivery = z
  .object({
    /** The header `webhook-id`. */
    id: z.string(),
    type: z.string(),
    at: Time,
    attempt: z.number().int(),
    /** HTTP; null when there was no answer. */
    status: z.number().int().nullable(),
    error: z.string().nullable(),
    ms: z.number().int(),
  })
  .meta({ id: 'WebhookDelivery' });
export type WebhookDelivery = z.output<typeof WebhookDelivery>;
export const WebhookDeliveryList = wholeList(WebhookDelivery);
