import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import tls from 'node:tls';
import { TransportFailure } from './deviation.ts';
import { type Answer, mayTakeUse, type RequestSpec } from './exchange.ts';
import { joinUrl, transportFailureOf } from './http-failure.ts';

/** More of a body is not read: an answer of this service has a few hundred bytes. */
const BODY_BYTES_MAX = 256 * 1024;
const CUT_BODY_CHARACTERS_KEPT = 2000;
const SOCKETS_MAX = 64;
const ACCEPT_MS = 20;

/** What a request goes over: this socket, one of this agent that may have been used before, or a new one. */
interface Connection {
  readonly socket?: net.Socket | undefined;
  readonly agent?: http.Agent;
  /** Says, after a failure, whether the connection had been used before. */
  readonly reused?: { seen: boolean };
}

export interface HttpClientOptions {
  readonly baseUrl: URL;
  /** For one request as a whole, from the first byte sent to the last received. */
  readonly timeoutMs: number;
  /** PEM certificates to trust besides the system's. */
  readonly ca?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * A plain HTTP client: follows no redirect, retries nothing, reads at most 256 KiB of a body and gives up in time.
 * Node's fetch hides repeated headers and retries; this must not.
 */
export class HttpClient {
  readonly #options: HttpClientOptions;
  readonly #secure: boolean;
  readonly #agent: http.Agent;
  readonly #agentOptions: https.AgentOptions;

  constructor(options: HttpClientOptions) {
    this.#options = options;
    this.#secure = options.baseUrl.protocol === 'https:';
    this.#agentOptions = { keepAlive: true, timeout: 3000, ...this.#trust() };
    this.#agent = this.#newAgent(SOCKETS_MAX);
  }

  #newAgent(maxSockets: number): http.Agent {
    const settings = { ...this.#agentOptions, maxSockets };
    return this.#secure ? new https.Agent(settings) : new http.Agent(settings);
  }

  /**
   * Sends one request. What may take a use goes over a connection of its own. Anything else may go over one that was
   * used before; when the server had closed that one meanwhile, the request never arrived and is sent once more.
   * @param over an open connection, or a line on which requests follow each other
   * @throws TransportFailure when no complete answer came
   */
  async send(spec: RequestSpec, over?: net.Socket | http.Agent): Promise<Answer> {
    const agent = over instanceof http.Agent ? over : undefined;
    const socket = over instanceof net.Socket ? over : undefined;
    if (socket || (!agent && mayTakeUse(spec))) return this.#sendOnce(spec, { socket });
    const reused = { seen: false };
    try {
      return await this.#sendOnce(spec, { reused, agent: agent ?? this.#agent });
    } catch (error) {
      const isStale = error instanceof TransportFailure && error.kind === 'reset' && reused.seen;
      if (!isStale) throw error;
      return this.#sendOnce(spec, {});
    }
  }

  async #sendOnce(spec: RequestSpec, connection: Connection): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const request = this.#start(spec, connection);
    const { timeoutMs, signal } = this.#options;
    const timer = setTimeout(() => {
      request.destroy(
        new TransportFailure('timeout', `no complete answer within ${timeoutMs / 1000} s`),
      );
    }, timeoutMs);
    const stop = () => request.destroy(new TransportFailure('stopped', 'the run was stopped'));
    signal?.addEventListener('abort', stop, { once: true });
    request.once('response', (response) => readAnswer(response).then(resolve, reject));
    request.on('error', (error) => {
      if (connection.reused) connection.reused.seen = request.reusedSocket;
      reject(transportFailureOf(error));
    });
    request.end(spec.body);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
    }
  }

  /**
   * A line for one request after the other: they share a connection as long as the server keeps it open. A request that
   * finds it closed is sent once more over another, one that may take a use as well.
   */
  openLine(): http.Agent {
    return this.#newAgent(1);
  }

  /** Open connections, for requests that must leave at the same instant. */
  async connectMany(count: number): Promise<net.Socket[]> {
    const tries = await Promise.allSettled(Array.from({ length: count }, () => this.connect()));
    const sockets = tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const failed = tries.find((one) => one.status === 'rejected');
    if (!failed) {
      await accepted(count);
      return sockets;
    }
    for (const socket of sockets) socket.destroy();
    throw failed.reason;
  }

  /** Opens one connection. @throws TransportFailure */
  async connect(): Promise<net.Socket> {
    const { baseUrl, timeoutMs } = this.#options;
    const host = baseUrl.hostname.replace(/^\[|\]$/g, '');
    const port = Number(baseUrl.port || (this.#secure ? 443 : 80));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const socket = this.#secure
      ? tls.connect({ host, port, ...serverName(host), ...this.#trust() }, resolve)
      : net.connect({ host, port, noDelay: true }, resolve);
    const timer = setTimeout(() => socket.destroy(new Error('connect timeout')), timeoutMs);
    socket.once('error', reject);
    try {
      await promise;
      return socket;
    } catch (error) {
      throw transportFailureOf(error);
    } finally {
      clearTimeout(timer);
      socket.removeListener('error', reject);
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #start(spec: RequestSpec, { socket, agent }: Connection): http.ClientRequest {
    const headers = groupHeaders(spec.headers ?? []);
    const method = spec.method ?? 'POST';
    if (spec.body !== undefined && headers['Content-Length'] === undefined)
      headers['Content-Length'] = String(Buffer.byteLength(spec.body));
    const options: http.RequestOptions = {
      method,
      headers,
      ...(socket ? { createConnection: () => socket } : { agent: agent ?? false }),
    };
    const url = joinUrl(this.#options.baseUrl, spec);
    return this.#secure
      ? https.request(url, { ...options, ...this.#trust() })
      : http.request(url, options);
  }

  #trust(): { ca?: string[] } {
    return trustOf(this.#options.ca);
  }
}

/**
 * Resolves when the other side has accepted these connections: it does so a moment after they are open on this side, one
 * after the other, and requests that leave before are answered one by one. A server in this process needs turns of its own.
 */
async function accepted(count: number): Promise<void> {
  await sleep(ACCEPT_MS);
  for (let turns = 0; turns < 2 * count; turns += 1) await turn();
}

/** The certificates to trust: the system's, and those given. */
export function trustOf(ca: string | undefined): { ca?: string[] } {
  return ca === undefined ? {} : { ca: [...tls.rootCertificates, ca] };
}

/** A name may be asked for in the TLS handshake, an address may not. */
function serverName(host: string): { servername?: string } {
  return net.isIP(host) === 0 ? { servername: host } : {};
}

/** Repeated names become arrays, which node:http sends as repeated lines. */
function groupHeaders(
  pairs: readonly (readonly [string, string])[],
): Record<string, string | string[]> {
  const grouped = new Map<string, { name: string; values: string[] }>();
  for (const [name, value] of pairs) {
    const entry = grouped.get(name.toLowerCase()) ?? { name, values: [] };
    entry.values.push(value);
    grouped.set(name.toLowerCase(), entry);
  }
  return Object.fromEntries(
    [...grouped.values()].map(({ name, values }) => [
      name,
      values.length === 1 ? (values[0] ?? '') : values,
    ]),
  );
}

async function readAnswer(response: http.IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > BODY_BYTES_MAX) break;
    }
  } catch (error) {
    const failure = transportFailureOf(error);
    if (failure.kind === 'timeout' || failure.kind === 'stopped') throw failure;
    throw brokenOff(bytes, response, error);
  }
  const cut = bytes > BODY_BYTES_MAX;
  return answerOf(response, Buffer.concat(chunks), cut);
}

function brokenOff(bytes: number, response: http.IncomingMessage, cause?: unknown) {
  const announced = response.headers['content-length'];
  return new TransportFailure(
    'incomplete',
    `the answer ended after ${bytes} bytes of its body${announced === undefined ? '' : ` (${announced} were announced)`}`,
    { cause },
  );
}

function answerOf(response: http.IncomingMessage, bytes: Buffer, cut: boolean): Answer {
  const headers: Record<string, string> = {};
  for (const [name, values] of Object.entries(response.headersDistinct)) {
    headers[name] = (values ?? []).join(', ');
  }
  const text = bytes.toString('utf8');
  return {
    status: response.statusCode ?? 0,
    headers,
    body: cut ? text.slice(0, CUT_BODY_CHARACTERS_KEPT) : text,
    json: cut ? undefined : parseJson(text),
    cut,
  };
}

/** Deeper than any answer; whatever reads it would use up the memory. */
const DEPTH_MAX = 200;

function isTooDeep(text: string): boolean {
  let depth = 0;
  for (const character of text) {
    if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    if (depth > DEPTH_MAX) return true;
  }
  return false;
}

function parseJson(text: string): unknown {
  if (isTooDeep(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
