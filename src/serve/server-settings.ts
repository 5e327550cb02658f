import type { Settings } from '../config/settings.ts';
import { TicketscanError } from '../core/errors.ts';
import { httpsSender, networkPolicy, type WebhookNetwork } from '../features/webhooks/network.ts';
import { readProxies } from '../kit/client-address.ts';
import { inSentences, listenFailure } from '../kit/failures.ts';
import { readSecretValue } from '../terminal/option-values.ts';
import { readCertificates } from '../terminal/setting-options.ts';
import type { VaryOptions } from '../testing/vary/variations.ts';
import { isLoopback } from './addresses.ts';
import {
  type MetricsAddress,
  type MetricsListener,
  serveMetrics,
} from './metrics/metrics-listener.ts';

export const METRICS_SETTINGS = ['metrics', 'metricsTokenFile'] as const;
export const WEBHOOK_SETTINGS = ['webhookNetworks', 'webhookCa'] as const;
export const SERVER_SETTINGS = [
  'baseUrl',
  'host',
  'port',
  'tlsCert',
  'tlsKey',
  'tlsSelfSigned',
  'tlsName',
  'tlsElsewhere',
  'trustedProxy',
  'logLevel',
  'requestTimeoutMs',
  'headersTimeoutMs',
  'stopTimeoutMs',
  'hardwareAlways200',
  'deviceFile',
  'deviceRetryWindowMs',
  'keepLogDays',
  'keepHoldersDays',
  ...METRICS_SETTINGS,
  ...WEBHOOK_SETTINGS,
] as const;

export interface ServerSettings extends Pick<Settings, (typeof SERVER_SETTINGS)[number] | 'store'> {
  /** Lets tests drive the server over HTTP (docs/testing.md); false by default. */
  readonly testControls?: boolean;
  /** The token of the test controls; without it they make one and answer this machine only. */
  readonly testToken?: string | undefined;
  /** Answers differ from the usual ones as the specification allows (docs/testing.md). */
  readonly vary?: VaryOptions | undefined;
}

const TOKEN_LENGTH_MIN = 16;
const ADDRESS = /^(?:(?:\[([\da-f:.]+)\]|([^\s:[\]]+)):)?(\d{1,5})$/i;

export type MetricsSettings = Pick<Settings, (typeof METRICS_SETTINGS)[number]>;

/**
 * Where metrics are served; undefined where they are off. A port alone is on 127.0.0.1.
 * @throws TicketscanError `usage` for no address, for one that others reach without a token, and for a token that can be guessed
 */
export function metricsAddress(settings: MetricsSettings): MetricsAddress | undefined {
  const { metrics, metricsTokenFile } = settings;
  if (metrics === undefined) {
    if (metricsTokenFile === undefined) return undefined;
    throw new TicketscanError('usage', '--metrics-token-file needs --metrics HOST:PORT: add it.');
  }
  const [, six, name, portText] = ADDRESS.exec(metrics) ?? [];
  const port = Number(portText ?? Number.NaN);
  if (!(port <= 65535)) {
    throw new TicketscanError(
      'usage',
      `--metrics must be HOST:PORT, such as 127.0.0.1:9464 or [::1]:9464, not "${metrics}".`,
    );
  }
  const host = six ?? name ?? '127.0.0.1';
  const token = metricsTokenFile === undefined ? undefined : tokenIn(metricsTokenFile);
  if (token === undefined && !isLoopback(host)) {
    throw new TicketscanError(
      'usage',
      `--metrics ${metrics} can be reached from other machines: add --metrics-token-file FILE, or listen on 127.0.0.1.`,
    );
  }
  return { host, port, token };
}

/** Serves them. @throws TicketscanError `usage` when it cannot listen there */
export async function listenForMetrics(
  registry: Parameters<typeof serveMetrics>[0],
  address: MetricsAddress,
): Promise<MetricsListener> {
  try {
    return await serveMetrics(registry, address);
  } catch (error) {
    const failure = listenFailure(error, address.host, address.port, '--metrics');
    throw new TicketscanError('usage', inSentences(failure), { cause: error });
  }
}

function tokenIn(file: string): string {
  const token = readSecretValue(`file:${file}`, { env: {} });
  if (token.length >= TOKEN_LENGTH_MIN && /^[\w.~+/=-]+$/.test(token)) return token;
  throw new TicketscanError(
    'usage',
    `${file} must hold at least ${TOKEN_LENGTH_MIN} letters, digits or characters of ._~+/=-, such as the output of: openssl rand -hex 16`,
  );
}

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
