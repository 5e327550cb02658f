import * as z from 'zod';
import { Time, TimeOrNull } from '../../core/records.ts';
import { Done, Id, wholeList } from '../../operations/fields.ts';
import { type OperationContext, operation } from '../context.ts';
import { newestSequence } from '../log/log-reader.ts';
import { NewWebhook, WebhookChanges, type WebhookState, Webhooks } from './rules.ts';
import { WebhookDelivery } from './webhook-records.ts';

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

/** The secret is in this answer and nowhere else. */
export const CreatedWebhook = Webhook.extend({ secret: z.string() }).meta({ id: 'CreatedWebhook' });

export const ChangedWebhook = Webhook.extend({
  /** The secret, if a new one was requested; it is shown only once. */
  secret: z.string().optional(),
}).meta({ id: 'ChangedWebhook' });

const tag = 'Webhooks';
/** The address may contain a secret. */
const role = 'owner';

export const listWebhooks = operation({
  id: 'listWebhooks',
  http: 'GET /webhooks',
  tag,
  role,
  summary: 'List webhooks',
  answer: wholeList(Webhook),
  run: async (context) => {
    const newest = await newestSequence(context.store);
    const all = await (await webhooksOf(context)).list(context.scope.organisation?.id);
    return { items: all.map((state) => shown(state, newest)), next: null };
  },
});

export const createWebhook = operation({
  id: 'createWebhook',
  http: 'POST /webhooks',
  tag,
  role,
  summary: 'Create a webhook',
  description: 'Messages are signed (Standard Webhooks). Only this answer has the secret.',
  body: NewWebhook,
  status: 201,
  answer: CreatedWebhook,
  run: async (context, given) => {
    const { id } = await context.scope.onlyOne();
    const { webhook, secret } = await (await webhooksOf(context)).create(id, given);
    return { ...shown({ webhook, progress: undefined }, webhook.startAfter), secret };
  },
});

export const editWebhook = operation({
  id: 'editWebhook',
  http: 'PATCH /webhooks/:id',
  tag,
  role,
  summary: 'Change a webhook',
  description:
    'When a webhook that was switched off is enabled, deliveries continue where they stopped.',
  params: Id,
  body: WebhookChanges,
  answer: ChangedWebhook,
  run: async (context, { id, ...changes }) => {
    const webhooks = await webhooksOf(context);
    const { state, secret } = await webhooks.edit(context.scope.organisation?.id, id, changes);
    const view = shown(state, await newestSequence(context.store));
    return secret === undefined ? view : { ...view, secret };
  },
});

export const deleteWebhook = operation({
  id: 'deleteWebhook',
  http: 'DELETE /webhooks/:id',
  tag,
  role,
  summary: 'Delete a webhook',
  params: Id,
  answer: Done,
  run: async (context, { id }) => {
    await (await webhooksOf(context)).delete(context.scope.organisation?.id, id);
    return {};
  },
});

export const testWebhook = operation({
  id: 'testWebhook',
  http: 'POST /webhooks/:id/test',
  tag,
  role,
  summary: 'Send a test message',
  description:
    'Waits at most 10 seconds, and answers with the result, which is also among the deliveries.',
  params: Id,
  answer: WebhookDelivery,
  run: async (context, { id }) => {
    const { send } = await context.webhookNetwork();
    return (await webhooksOf(context)).test(context.scope.organisation?.id, id, send);
  },
});

export const listWebhookDeliveries = operation({
  id: 'listWebhookDeliveries',
  http: 'GET /webhooks/:id/deliveries',
  tag,
  role,
  summary: 'List the latest attempts of a webhook, tests among them, newest first',
  params: Id,
  answer: wholeList(WebhookDelivery),
  run: async (context, { id }) => {
    const webhooks = await webhooksOf(context);
    const { webhook, progress } = await webhooks.find(context.scope.organisation?.id, id);
    const attempts = [...(webhook.tests ?? []), ...(progress?.deliveries ?? [])];
    return { items: attempts.sort((a, b) => b.at - a.at), next: null };
  },
});

async function webhooksOf({ store, clock, random, scope, webhookNetwork }: OperationContext) {
  const { isAllowed } = await webhookNetwork();
  return new Webhooks({ store, clock, random, isAllowed }, scope.actor);
}

/** A webhook without its secrets. @param newest the newest log entry */
function shown({ webhook, progress }: WebhookState, newest: number): Webhook {
  const { id, organisationId, name, url, events, active, createdAt } = webhook;
  const isSwitchedOff = (progress?.switchedOff?.at ?? -1) >= webhook.enabledAt;
  const switchedOff = isSwitchedOff ? progress?.switchedOff : undefined;
  const failing = progress?.failing;
  const cursor = progress?.afterSequence ?? webhook.startAfter;
  return {
    id,
    organisationId,
    name,
    url,
    events: [...events],
    active,
    createdAt,
    state: stateOf(active, isSwitchedOff, Boolean(failing)),
    failingSince: failing?.since ?? null,
    nextAttemptAt: isSwitchedOff ? null : (failing?.nextAttemptAt ?? null),
    switchedOffAt: switchedOff?.at ?? null,
    switchedOffReason: switchedOff?.reason ?? null,
    delivered: progress?.delivered ?? 0,
    lastSuccessAt: progress?.lastSuccessAt ?? null,
    waiting: Math.max(0, newest - cursor),
  };
}

function stateOf(active: boolean, isSwitchedOff: boolean, isFailing: boolean): Webhook['state'] {
  if (isSwitchedOff) return 'switched_off';
  if (!active) return 'paused';
  return isFailing ? 'failing' : 'active';
}
