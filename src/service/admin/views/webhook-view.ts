import type { Delivery } from '../../webhooks/webhook-records.ts';
import type { WebhookState } from '../../webhooks/webhooks.ts';
import type { Webhook, WebhookDelivery } from '../wire/webhooks.ts';

/** A webhook without its secrets. @param newest the newest log entry */
export function webhookView({ webhook, progress }: WebhookState, newest: number): Webhook {
  const { id, organisationId, name, url, events, active, createdAt } = webhook;
  const isSwitchedOff = (progress?.switchedOff?.at ?? -1) >= webhook.enabledAt;
  const switchedOff = isSwitchedOff ? progress?.switchedOff : undefined;
  const failing = progress?.failing;
  const place = progress?.afterSequence ?? webhook.startAfter;
  return {
    ...{ id, organisationId, name, url, events: [...events], active, createdAt },
    state: stateOf(active, isSwitchedOff, Boolean(failing)),
    failingSince: failing?.since ?? null,
    nextAttemptAt: isSwitchedOff ? null : (failing?.nextAttemptAt ?? null),
    switchedOffAt: switchedOff?.at ?? null,
    switchedOffReason: switchedOff?.reason ?? null,
    delivered: progress?.delivered ?? 0,
    lastSuccessAt: progress?.lastSuccessAt ?? null,
    waiting: Math.max(0, newest - place),
  };
}

function stateOf(active: boolean, isSwitchedOff: boolean, isFailing: boolean): Webhook['state'] {
  if (isSwitchedOff) return 'switched_off';
  if (!active) return 'paused';
  return isFailing ? 'failing' : 'active';
}

export function deliveryView(delivery: Delivery): WebhookDelivery {
  return delivery;
}
