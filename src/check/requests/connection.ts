import { isUtf8 } from 'node:buffer';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import net from 'node:net';
import { Readable } from 'node:stream';
import tls from 'node:tls';
import { Client, type Dispatcher, errors } from 'undici';
import {
  ANSWER_HEAD_BYTES_MAX,
  codingFailure,
  hideContinue,
  trusting,
} from '../../kit/connections.ts';
import { isCertificateFailure } from '../../kit/failures.ts';
import { isProxySetting, openTunnel, proxyFor } from '../../kit/proxies.ts';
import { parsedJson } from '../facts/json.ts';
import { TransportFailure, type TransportKind } from '../judging/deviation.ts';
import type { Answer, RequestSpec } from './exchange.ts';

/** More of a body is not read: an answer of this service has a few hundred bytes. */
const BODY_BYTES_MAX = 256 * 1024;
const CUT_BODY_CHARACTERS_KEPT = 2000;
const REQUESTS_AT_ONCE_MAX = 1024;

/** One for all: the stack of a new one for each connection would cost more than its request. */
const CLOSED = new TransportFailure('stopped', 'the connection was closed');

/** One HTTP/1.1 connection. Requests may be sent before earlier ones are answered; answers come in their order. */
export class Connection {
  readonly #options: HttpClientOptions;
  readonly #socket: Socket;
  readonly #client: Client;
  #used = false;

  /** @param socket that is open */
  constructor(socket: Socket, options: HttpClientOptions) {
    // a failure between two requests shows at the next one
    socket.on('error', () => {});
    hideContinue(socket);
    this.#socket = socket;
    this.#options = options;
    this.#client = new Client(options.baseUrl.origin, {
      // undici gets this socket and never a second one: it can repeat nothing on its own
      connect: (_, callback) => queueMicrotask(() => give(socket, callback)),
      pipelining: REQUESTS_AT_ONCE_MAX,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: ANSWER_HEAD_BYTES_MAX,
    });
  }

  /** False once it was closed. */
  get isOpen(): boolean {
    return !this.#socket.destroyed;
  }

  /** True when it carried a request before. */
  get wasUsed(): boolean {
    return this.#used;
  }

  /**
   * Sends one request, in the same turn of the event loop where nothing was sent before.
   * @throws TransportFailure when no complete answer comes
   */
  send(spec: RequestSpec): Promise<Answer> {
    this.#used = true;
    const { pathname, search } = new URL(joinUrl(this.#options.baseUrl, spec));
    return withinLimits(this.#options, async (signal) => {
      const request = this.#client.request({
        method: (spec.method ?? 'POST') as Dispatcher.HttpMethod,
        path: pathname + search,
        headers: (spec.headers ?? []).flat(),
        body: spec.isChunked ? Readable.from(chunksOf(spec.body ?? '')) : (spec.body ?? null),
        signal,
        // neither waits for the answer to the request before
        idempotent: true,
        blocking: false,
      });
      return readAnswer(await request.catch(throwFailure));
    });
  }

  close(): void {
    void this.#client.destroy(CLOSED);
    this.#socket.destroy();
  }
}

/** Of unknown length for the client, which therefore sends chunks: the first and the second half of the bytes. */
async function* chunksOf(body: string | Uint8Array): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(body);
  const half = Math.ceil(bytes.length / 2);
  yield bytes.subarray(0, half);
  yield bytes.subarray(half);
}

function give(
  socket: Socket,
  callback: (...given: [error: null, socket: Socket] | [error: Error, socket: null]) => void,
): void {
  if (!socket.destroyed) callback(null, socket);
  else callback(transportFailureOf(socket.errored), null);
}

/** @throws TransportFailure, or undici's own error for a request that it refuses to send */
function throwFailure(error: unknown): never {
  throw error instanceof errors.InvalidArgumentError ? error : transportFailureOf(error);
}

async function readAnswer(response: Dispatcher.ResponseData): Promise<Answer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > BODY_BYTES_MAX) break;
    }
  } catch (error) {
    throw brokenOff(bytes, response, error);
  }
  const cut = bytes > BODY_BYTES_MAX;
  const all = Buffer.concat(chunks);
  const coded = codingFailure(response.headers['content-encoding']);
  // Nobody can read what is compressed, and a report is read by people.
  const text = coded && bytes > 0 ? `(${bytes} bytes: ${coded.message})` : all.toString('utf8');
  return {
    status: response.statusCode,
    headers: Object.fromEntries(
      Object.entries(response.headers).map(([name, value]) => [name, [value].flat().join(', ')]),
    ),
    body: cut ? text.slice(0, CUT_BODY_CHARACTERS_KEPT) : text,
    // A parser may pass over a byte-order mark (RFC 8259, 8.1); a finding of its own names it.
    json: cut ? undefined : parsedJson(text.replace(/^\ufeff/, '')),
    cut,
    ...(cut || coded || isUtf8(all) ? {} : { isBroken: true as const }),
  };
}

function brokenOff(bytes: number, { headers }: Dispatcher.ResponseData, error: unknown) {
  const failure = transportFailureOf(error);
  const isShort = error instanceof errors.ResponseContentLengthMismatchError;
  if (failure.kind !== 'reset' && !isShort) return failure;
  const announced = headers['content-length'];
  return new TransportFailure(
    'incomplete',
    `the answer ended after ${bytes} bytes of its body${announced === undefined ? '' : ` (${announced} were announced)`}`,
    { cause: error },
  );
}

const KINDS: Readonly<Record<string, TransportKind>> = {
  ECONNREFUSED: 'refused',
  ENOTFOUND: 'unknown-host',
  EAI_AGAIN: 'unknown-host',
  EHOSTUNREACH: 'refused',
  ENETUNREACH: 'refused',
  ETIMEDOUT: 'timeout',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  UND_ERR_HEADERS_OVERFLOW: 'not-http',
  ERR_PROXY: 'refused',
  ERR_ANSWER_INTERIM: 'not-http',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'not-http',
};

const SENTENCES: Readonly<Record<TransportKind, string>> = {
  refused: 'nothing listens there (connection refused)',
  'unknown-host': 'the host name is not known',
  tls: 'its TLS certificate is not trusted (--ca FILE trusts one of your own, --insecure-tls any)',
  timeout: 'no answer came in time',
  reset: 'the connection was closed before an answer came',
  incomplete: 'the answer ended too early',
  'not-http': 'the server does not speak HTTP',
  stopped: 'the run was stopped',
};

const NO_TLS =
  'it does not speak TLS there: use http:// for plain HTTP, or the port on which it speaks HTTPS';
const NO_HANDSHAKE =
  'the TLS handshake failed: does it take TLS 1.2 or 1.3, and does it want a certificate of the client';
const OTHER_NAME = 'its TLS certificate is for another name: use one that it contains';

/** Makes a sentence of what a socket threw. */
function transportFailureOf(error: unknown): TransportFailure {
  // A wrong setting of this machine says nothing of a service.
  if (isProxySetting(error)) throw error;
  if (error instanceof TransportFailure) return error;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (cause instanceof TransportFailure) return cause;
  const code = codeOf(error);
  const isParserError = error instanceof Error && error.name === 'HTTPParserError';
  const kind = isParserError ? 'not-http' : kindOf(code);
  if (code.includes('ALTNAME')) return new TransportFailure(kind, OTHER_NAME, { cause: error });
  if (code === 'ERR_PROXY') return new TransportFailure(kind, messageOf(error), { cause: error });
  const detail = kind === 'tls' || kind === 'not-http' ? `: ${code}` : '';
  const sentence = kind === 'tls' ? tlsSentence(code) : SENTENCES[kind];
  return new TransportFailure(kind, `${sentence}${detail}`, { cause: error });
}

/** Only what concerns the certificate can be trusted or not. */
function tlsSentence(code: string): string {
  if (/ALERT/.test(code)) return NO_HANDSHAKE;
  return /^(EPROTO|ERR_SSL)/.test(code) && !isCertificateFailure({ code }) ? NO_TLS : SENTENCES.tls;
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

function codeOf(error: unknown): string {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : String(error instanceof Error ? error.message : error);
}

function kindOf(code: string): TransportKind {
  const kind = KINDS[code];
  if (kind) return kind;
  return /^EPROTO$|CERT|SSL|TLS|SIGNED|SIGNATURE|ISSUER|ALTNAME/i.test(code) ? 'tls' : 'reset';
}

/** The whole address of a request: the base address may itself have a path. */
export function joinUrl(baseUrl: URL, spec: Pick<RequestSpec, 'path' | 'query'>): string {
  const base = baseUrl.origin + baseUrl.pathname.replace(/\/$/, '');
  const query = (spec.query ?? [])
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&');
  return `${base}${spec.path}${query === '' ? '' : `?${query}`}`;
}

/** Where a service is, and how long it is waited for. */
export interface HttpClientOptions {
  readonly baseUrl: URL;
  /** For opening a connection, and time limit for one complete request: from the first byte sent to the last received. */
  readonly timeoutMs: number;
  /** PEM certificates to trust besides the system's. */
  readonly ca?: string | undefined;
  /** Accepts any certificate: for test servers only. */
  readonly insecureTls?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The last TLS session with each service: to resume it costs both sides less than a whole handshake. */
const sessions = new WeakMap<HttpClientOptions, Buffer>();

/** Opens one connection, with TLS for an `https://` address. @throws TransportFailure */
export async function dial(options: HttpClientOptions): Promise<net.Socket> {
  if (options.baseUrl.protocol !== 'https:') {
    const address = addressOf(options.baseUrl, 80);
    const tunnel = await tunnelTo(address, options);
    return tunnel ?? opened(net.connect(address), 'connect', options);
  }
  const socket = await dialTls(options, { session: sessions.get(options) });
  return socket.on('session', (session) => sessions.set(options, session));
}

/** Opens one TLS connection. @throws TransportFailure */
export async function dialTls(
  options: HttpClientOptions,
  settings: tls.ConnectionOptions = {},
): Promise<tls.TLSSocket> {
  const { baseUrl, ca, insecureTls } = options;
  const address = addressOf(baseUrl, 443);
  const tunnel = await tunnelTo(address, options);
  const socket = tls.connect({
    ...address,
    ...(tunnel && { socket: tunnel }),
    // a name may be asked for in the handshake, an address may not
    ...(net.isIP(address.host) === 0 && { servername: address.host }),
    rejectUnauthorized: insecureTls !== true,
    ...trusting(ca),
    ...settings,
  });
  return opened(socket, 'secureConnect', options);
}

/** A connection through the proxy that the environment names for the service; undefined where it names none. @throws TransportFailure */
async function tunnelTo(
  address: { readonly host: string; readonly port: number },
  options: HttpClientOptions,
): Promise<Socket | undefined> {
  try {
    const proxy = proxyFor(options.baseUrl);
    if (!proxy) return undefined;
    const tunnel = await withinLimits(options, (signal) => openTunnel(proxy, address, signal));
    return tunnel.setNoDelay(true);
  } catch (error) {
    throw transportFailureOf(error);
  }
}

function addressOf({ hostname, port }: URL, usualPort: number): { host: string; port: number } {
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || usualPort) };
}

async function opened<Kind extends net.Socket>(
  socket: Kind,
  event: 'connect' | 'secureConnect',
  options: HttpClientOptions,
): Promise<Kind> {
  try {
    await withinLimits(options, (signal) => once(socket, event, { signal }));
    return socket.setNoDelay(true);
  } catch (error) {
    socket.destroy();
    throw transportFailureOf(error);
  }
}

/** Does something that ends in time and when the run is stopped: the signal has the TransportFailure as its reason. */
async function withinLimits<Result>(
  { timeoutMs, signal }: HttpClientOptions,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const limit = new AbortController();
  const timer = setTimeout(() => {
    const message = `no complete answer within ${timeoutMs / 1000} s`;
    limit.abort(new TransportFailure('timeout', message));
  }, timeoutMs);
  const stop = () => limit.abort(new TransportFailure('stopped', 'the run was stopped'));
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted) stop();
  try {
    return await work(limit.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}
