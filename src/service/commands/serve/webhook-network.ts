import type { Settings } from '../../../config/settings.ts';
import { readProxies } from '../../../config/trusted-proxies.ts';
import { readCertificates } from '../../../terminal/trust-options.ts';
import { httpsSender, type WebhookNetwork } from '../../webhooks/https-sender.ts';
import { networkPolicy } from '../../webhooks/network-policy.ts';

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

/** The same for a command that sends one message: the connection does not keep the process. */
export function sendOnce(settings: Parameters<typeof webhookNetworkFrom>[0]): WebhookNetwork {
  const network = webhookNetworkFrom(settings);
  return {
    ...network,
    send: (message, signal) => network.send(message, signal).finally(network.close),
  };
}
