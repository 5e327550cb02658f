import { hash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Registry } from 'prom-client';
import { isLoopback } from '../config/addresses.ts';
import type { METRICS_SETTINGS, Settings } from '../config/settings.ts';
import { TicketscanError } from '../core/errors.ts';
import type { EdgeReason } from '../core/outcome-names.ts';
import { takeEveryRequest } from '../kit/every-request.ts';
import { inSentences, listenFailure } from '../kit/failures.ts';
import { hostFault } from '../kit/host-header.ts';
import { endWithAnswer } from '../kit/last-answer.ts';
import { afterOpening, type BrokenHttp, keepOpenings, openingOf } from '../kit/plain-openings.ts';
import {
  type ConnectionFacts,
  connectionRefusal,
  statusOfRefusal,
} from '../kit/refused-connections.ts';
import type { EdgeRefusals } from '../scan/edge-refusals.ts';
import { addressOfSocket, watchConnections } from '../scan/http/watched-connections.ts';
import { readSecretValue } from '../terminal/options.ts';

/** A scraper's request is short, and it has no body. */
const TIMEOUT_MS = 5000;
const CONNECTIONS_MAX = 16;

export interface MetricsListener {
  /** The address at which Prometheus reads the metrics. */
  readonly url: string;
  close(): Promise<void>;
}

/** The address of the metrics, and the token that their readers need. */
export interface MetricsAddress {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** The token that readers must send as `Authorization: Bearer`; undefined lets every program on this machine read. */
  readonly token: string | undefined;
}

/**
 * Serves only `GET /metrics`, in the text format of Prometheus, on a separate address: no device may read how busy a site is.
 * @throws TicketscanError `usage` if it cannot listen there
 */
export async function serveMetrics(
  registry: Pick<Registry, 'metrics' | 'contentType'>,
  { host, port, token }: MetricsAddress,
  edge: EdgeRefusals,
): Promise<MetricsListener> {
  const options = {
    requestTimeout: TIMEOUT_MS,
    headersTimeout: TIMEOUT_MS,
    // Node would refuse these without a word.
    requireHostHeader: false,
  };
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    const refused = refusalOf(request, token);
    if (!refused) return void answer(registry, response);
    edge.report(refused.reason, { address: addressOfSocket(request.socket), endpoint: PLACE });
    refuse(response, refused);
  };
  const server = http.createServer(options, listener);
  takeEveryRequest(server, listener);
  keepOpenings(server);
  server.on(
    'clientError',
    afterOpening<BrokenHttp, Socket>(openingOf, (error, socket, opening) =>
      refuseBroken(error, socket, opening, edge),
    ),
  );
  watchConnections(server, false, edge);
  server.maxConnections = CONNECTIONS_MAX;
  server.listen(port, host);
  await once(server, 'listening').catch((cause: unknown) => {
    const failure = listenFailure(cause, host, port, '--metrics');
    throw new TicketscanError('usage', inSentences(failure), { cause });
  });
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${name}:${(server.address() as AddressInfo).port}/metrics`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
      edge.flush();
    },
  };
}

/** The name of this listener in counts of refusals, because its paths are not those of the gates. */
const PLACE = 'metrics';

/** Answers as Node would without a listener. */
function refuseBroken(
  error: BrokenHttp,
  socket: Socket,
  opening: Pick<ConnectionFacts, 'head' | 'isFirst'>,
  edge: EdgeRefusals,
): void {
  const reason = connectionRefusal(error, { ...opening, isInBody: false });
  if (reason) {
    edge.report(reason, { address: addressOfSocket(socket), endpoint: PLACE, code: error.code });
  }
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = statusOfRefusal(error);
  const answer = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n\r\n`;
  // Only a client with a long head still sends. Waiting for every client would use up the few connections of this listener.
  if (status === 431) endWithAnswer(socket, answer);
  else socket.end(answer, () => socket.destroy());
}

const HOST_FAULTS = {
  host_missing: 'Send one Host header.',
  host_invalid: 'The Host header names no host.',
} as const;

interface Refused {
  readonly reason: EdgeReason;
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function refusalOf(request: IncomingMessage, token: string | undefined): Refused | undefined {
  const fault = hostFault(request);
  if (fault) return { reason: fault, status: 400, message: HOST_FAULTS[fault] };
  const { method, url = '', headers } = request;
  if (url.split('?', 1)[0] !== '/metrics') {
    return { reason: 'unknown_path', status: 404, message: 'Only /metrics is served here.' };
  }
  if (method !== 'GET' && method !== 'HEAD') {
    const headers = { allow: 'GET, HEAD' };
    return { reason: 'wrong_method', status: 405, message: 'Use GET.', headers };
  }
  if (token === undefined || isEqual(headers.authorization ?? '', `Bearer ${token}`)) return;
  return {
    reason: 'metrics_token',
    status: 401,
    message: 'The header Authorization: Bearer TOKEN is missing or wrong.',
    headers: { 'www-authenticate': 'Bearer' },
  };
}

/** Compares texts in a time that does not depend on where they differ. */
function isEqual(one: string, other: string): boolean {
  return timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'));
}

async function answer(
  registry: Pick<Registry, 'metrics' | 'contentType'>,
  response: ServerResponse,
): Promise<void> {
  try {
    const text = await registry.metrics();
    response.writeHead(200, { 'content-type': registry.contentType }).end(text);
  } catch {
    refuse(response, { status: 500, message: 'The metrics cannot be read now.' });
  }
}

function refuse(
  response: ServerResponse,
  { status, message, headers }: Omit<Refused, 'reason'>,
): void {
  response
    .writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...headers })
    .end(`${message}\n`);
}

const TOKEN_LENGTH_MIN = 16;
const ADDRESS = /^(?:(?:\[([\da-f:.]+)\]|([^\s:[\]]+)):)?(\d{1,5})$/i;

export type MetricsSettings = Pick<Settings, (typeof METRICS_SETTINGS)[number]>;

/**
 * The address of the metrics; undefined if they are off. A port alone means 127.0.0.1.
 * @throws TicketscanError `usage` for a text that is not an address, for an address that others reach without a token, and for a token that
 *   can be guessed
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

function tokenIn(file: string): string {
  const token = readSecretValue(`file:${file}`, { env: {} });
  if (token.length >= TOKEN_LENGTH_MIN && /^[\w.~+/=-]+$/.test(token)) return token;
  throw new TicketscanError(
    'usage',
    `${file} must hold at least ${TOKEN_LENGTH_MIN} letters, digits or characters of ._~+/=-, such as the output of: openssl rand -hex 16`,
  );
}
