/** The events that an endpoint may choose. `webhook.test` and `webhook.gap` go to every endpoint. */
export const WEBHOOK_EVENTS = [
  'scan.granted',
  'scan.denied',
  'device.offline',
  'device.online',
  'quota.warning',
  'denials.many',
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];
