import { isUtf8 } from 'node:buffer';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import net from 'node:net';
import { Readable } from 'node:stream';
import tls from 'node:tls';
import { Client, type Dispatcher, errors } from 'undici';
import { codingFailure, faultOfFraming } from '../../kit/answer-faults.ts';
import { ANSWER_HEAD_BYTES_MAX, fitForUndici, trusting } from '../../kit/connections.ts';
import { CAUTIOUS_COMMAND, connectionCode, connectionFailure } from '../../kit/failures.ts';
import { isProxySetting, openTunnel, proxyFor } from '../../kit/proxies.ts';
import { CLIENT_TLS } from '../../kit/served-tls.ts';
import type { Answer, RequestSpec } from '../facts/exchange.ts';
import { TransportFailure, type TransportKind } from '../facts/failures.ts';
import { parsedJson } from '../facts/json.ts';
import { REAL_CLOCK } from '../time/clock.ts';
import { afterTime } from '../time/time-limit.ts';
import { withoutCoding } from './content-codings.ts';
import type { HttpClientOptions, Line } from './world.ts';

/** More of a body is not read: an answer of this service has a few hundred bytes. */
const BODY_BYTES_MAX = 256 * 1024;
const CUT_BODY_CHARACTERS_KEPT = 2000;
const REQUESTS_AT_ONCE_MAX = 1024;

/** One for all: the stack of a new one for each connection would cost more than its request. */
const CLOSED = new TransportFailure('stopped', 'the connection was closed');

/** A connection over a socket of this machine. */
export class Connection implements Line {
  readonly #options: HttpClientOptions;
  readonly #socket: Socket;
  readonly #client: Client;
  #used = false;

  /** @param socket that is open */
  constructor(socket: Socket, options: HttpClientOptions) {
    // a failure between two requests shows at the next one
    socket.on('error', () => {});
    fitForUndici(socket);
    this.#socket = socket;
    this.#options = options;
    this.#client = new Client(options.baseUrl.origin, {
      // undici gets this socket and never a second one: it can repeat nothing on its own
      connect: (_, callback) => queueMicrotask(() => give(socket, options.baseUrl, callback)),
      pipelining: REQUESTS_AT_ONCE_MAX,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: ANSWER_HEAD_BYTES_MAX,
    });
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed;
  }

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
      const { baseUrl } = this.#options;
      const answer = await request.catch((error: unknown) => throwFailure(error, baseUrl));
      const fault = faultOfFraming(answer.headers);
      if (!fault) return readAnswer(answer, baseUrl, spec);
      answer.body.on('error', () => undefined).destroy();
      return throwFailure(fault, baseUrl);
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
  baseUrl: URL,
  callback: (...given: [error: null, socket: Socket] | [error: Error, socket: null]) => void,
): void {
  if (!socket.destroyed) callback(null, socket);
  else callback(transportFailureOf(socket.errored, baseUrl), null);
}

/** @throws TransportFailure, or undici's own error for a request that it refuses to send */
function throwFailure(error: unknown, baseUrl: URL): never {
  throw error instanceof errors.InvalidArgumentError ? error : transportFailureOf(error, baseUrl);
}

async function readAnswer(
  response: Dispatcher.ResponseData,
  baseUrl: URL,
  request: RequestSpec,
): Promise<Answer> {
  const sent = await bodyOf(response, baseUrl);
  const cut = sent.length > BODY_BYTES_MAX;
  const { bytes, headers } = withoutCoding(sent, headersOf(response), request);
  const coded = codingFailure(headers['content-encoding']);
  // Nobody can read what is compressed, and a report is read by people.
  const isHidden = coded !== undefined && sent.length > 0;
  const text = isHidden ? `(${sent.length} bytes: ${coded.message})` : bytes.toString('utf8');
  return {
    status: response.statusCode,
    headers,
    body: cut ? text.slice(0, CUT_BODY_CHARACTERS_KEPT) : text,
    // A parser may pass over a byte-order mark (RFC 8259, 8.1); a finding of its own names it.
    json: cut ? undefined : parsedJson(text.replace(/^\ufeff/, '')),
    cut,
    ...(cut || coded || isUtf8(bytes) ? {} : { isBroken: true as const }),
  };
}

/** The bytes of a body, up to the first piece that goes beyond what is read. */
async function bodyOf(response: Dispatcher.ResponseData, baseUrl: URL): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > BODY_BYTES_MAX) break;
    }
  } catch (error) {
    throw brokenOff(bytes, response, transportFailureOf(error, baseUrl));
  }
  return Buffer.concat(chunks);
}

function headersOf({ headers }: Dispatcher.ResponseData): Answer['headers'] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]),
  );
}

function brokenOff(
  bytes: number,
  { headers }: Dispatcher.ResponseData,
  failure: TransportFailure,
): TransportFailure {
  const isShort = failure.cause instanceof errors.ResponseContentLengthMismatchError;
  if (failure.kind !== 'reset' && !isShort) return failure;
  const announced = headers['content-length'];
  return new TransportFailure(
    'incomplete',
    `the answer ended after ${bytes} bytes of its body${announced === undefined ? '' : ` (${announced} were announced)`}`,
    { cause: failure.cause },
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
  ERR_ASSERTION: 'not-http',
  ERR_PROXY: 'refused',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'not-http',
};

/** Makes a sentence of what a socket threw, in the words of every other command. */
function transportFailureOf(error: unknown, { origin }: URL): TransportFailure {
  // A wrong setting of this machine says nothing of a service.
  if (isProxySetting(error)) throw error;
  if (error instanceof TransportFailure) return error;
  const outer = error instanceof AggregateError ? error.errors[0] : error;
  const cause = outer instanceof Error && outer.cause instanceof Error ? outer.cause : outer;
  if (cause instanceof TransportFailure) return cause;
  const kind = kindOf(connectionCode(outer));
  const { what, advice } = connectionFailure(outer, origin, CAUTIOUS_COMMAND);
  return new TransportFailure(kind, what, { cause: error, advice });
}

function kindOf(code: string): TransportKind {
  const kind = /^(HPE|ERR_ANSWER)_/.test(code) ? 'not-http' : KINDS[code];
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
    ...CLIENT_TLS,
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
    throw transportFailureOf(error, options.baseUrl);
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
    throw transportFailureOf(error, options.baseUrl);
  }
}

/** The limit is that of connecting and of the answer together. */
const limitReached = () => new DOMException('too late', 'TimeoutError');

/** Does something that ends in time and when the run is stopped: the signal has the TransportFailure as its reason. */
async function withinLimits<Result>(
  { baseUrl, timeoutMs, signal }: HttpClientOptions,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const limit = new AbortController();
  const inTime = afterTime(timeoutMs, REAL_CLOCK, () => {
    const { what, advice } = connectionFailure(limitReached(), baseUrl.origin);
    limit.abort(new TransportFailure('timeout', `${what} (${timeoutMs / 1000} s)`, { advice }));
  });
  const stop = () => limit.abort(new TransportFailure('stopped', 'the run was stopped'));
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted) stop();
  try {
    return await work(limit.signal);
  } finally {
    inTime();
    signal?.removeEventListener('abort', stop);
  }
}
