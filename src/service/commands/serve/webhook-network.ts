import type { Settings } from '../../../config/settings.ts';
import { readProxies } from '../../../config/trusted-proxies.ts';
import { readCertificates } from '../../../terminal/trust-options.ts';
import { httpsSender, networkPolicy, type WebhookNetwork } from '../../webhooks/network.ts';

export const WEBHOOK_SETTINGS = ['webhookNetworks', 'webhookCa'] as const;

/** How webhooks are sent. @throws TicketscanError `usage` for a file without certificates */
export function webhookNetworkFrom({
  webhookNetworks,
  webhookCa,
}: Pick<Settings, (typeof WEBHOOK_SETTINGS)[number]>): WebhookNetwork {
  const ca = webhookCa === undefined ? undefined : readCertificates(webhookCa, '--webhook-ca');
  const allowed = webhookNetworks === undefined ? undefined : readProxies(webhookNetworks);
  return httpsSender(networkPolicy(allowed), ca);
}
