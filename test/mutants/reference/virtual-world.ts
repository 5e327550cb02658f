import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Answer, RequestSpec } from '../../../src/check/facts/exchange.ts';
import { TransportFailure } from '../../../src/check/facts/failures.ts';
import { parsedJson } from '../../../src/check/facts/json.ts';
import { joinUrl } from '../../../src/check/requests/connection.ts';
import type { HttpClientOptions, Line, World } from '../../../src/check/requests/world.ts';
import { afterTime } from '../../../src/check/time/time-limit.ts';
import { VirtualTime } from '../../support/virtual-time.ts';
import type { Incoming, Reply } from './parts.ts';
import { replierOf, type ServerOptions } from './server.ts';
import { hooksOf, makeWorld } from './world.ts';

/** What takes its time, in milliseconds. */
export interface Delay {
  /** A line, each way. */
  readonly there: () => number;
  readonly back: () => number;
  /** A server that has decided, until it sends its answer; none when it is left out. */
  readonly answer?: () => number;
}

/** Of a line on one machine, where both sides have other requests as well. */
export const NEAR: Delay = { there: () => 2, back: () => 2 };

/** The reference server, or a variant or a faulty one of it, in a world of its own where no second passes in vain. */
export interface VirtualServer {
  readonly world: VirtualWorld;
  /** What the server itself knows. */
  readonly served: ReturnType<typeof makeWorld>['world'];
  readonly baseUrl: string;
  readonly target: ReturnType<typeof makeWorld>['target'];
  readonly keyHooks: ReturnType<typeof hooksOf>;
}

/**
 * Puts a server into a world without sockets, with the clock of whoever asks it.
 * @param delay of the line to it
 * @throws Error for a server that does something with its sockets, or has another clock
 */
export function virtualServer(options: ServerOptions, delay: Delay = NEAR): VirtualServer {
  return serverIn(new VirtualWorld(delay), 'localhost', options);
}

/** Puts two servers into one world, as `virtualServer` does. */
export function virtualServers(
  a: ServerOptions,
  b: ServerOptions,
): { readonly world: VirtualWorld; readonly a: VirtualServer; readonly b: VirtualServer } {
  const world = new VirtualWorld(NEAR);
  return { world, a: serverIn(world, 'a.localhost', a), b: serverIn(world, 'b.localhost', b) };
}

function serverIn(world: VirtualWorld, host: string, options: ServerOptions): VirtualServer {
  if (options.write) throw new Error('this server writes its answers itself: it needs sockets');
  if (options.world) throw new Error('this server has another clock');
  const made = makeWorld(options.ticketForm, world);
  world.serve(host, replierOf(made.world, options));
  return {
    world,
    served: made.world,
    baseUrl: `http://${host}`,
    target: made.target,
    keyHooks: hooksOf(made.world),
  };
}

type Replier = (incoming: Incoming) => Promise<Reply>;

/** A world in which time passes only while everybody waits, with servers in it. */
class VirtualWorld extends VirtualTime implements World {
  readonly #delay: Delay;
  readonly #servers = new Map<string, Replier>();

  constructor(delay: Delay) {
    super();
    this.#delay = delay;
  }

  /** Has a server answer what is sent to `host`. */
  serve(host: string, replier: Replier): void {
    this.#servers.set(host, replier);
  }

  /** Puts something before every server, which gets the requests instead. */
  putBefore(wrap: (replyTo: Replier) => Replier): void {
    for (const [host, replier] of this.#servers) this.#servers.set(host, wrap(replier));
  }

  async connect(options: HttpClientOptions): Promise<Line> {
    await this.sleep(this.#delay.there() + this.#delay.back(), options.signal);
    const replyTo = this.#servers.get(options.baseUrl.hostname);
    if (!replyTo) throw new TransportFailure('unknown-host', 'there is no such server');
    return new VirtualLine(options, this, replyTo, this.#delay);
  }

  async accepted(): Promise<void> {}
}

/** A connection of this world: requests arrive in their order, and so do their answers. */
class VirtualLine implements Line {
  isOpen = true;
  wasUsed = false;
  readonly #options: HttpClientOptions;
  readonly #world: VirtualWorld;
  readonly #replyTo: Replier;
  readonly #delay: Delay;
  /** What a server sees of the connection. */
  readonly #socket = new EventEmitter();
  /** The requests under way, to be given up. */
  readonly #underWay = new Set<(failure: TransportFailure) => void>();
  #before: Promise<unknown> = Promise.resolve();

  constructor(options: HttpClientOptions, world: VirtualWorld, replyTo: Replier, delay: Delay) {
    this.#options = options;
    this.#world = world;
    this.#replyTo = replyTo;
    this.#delay = delay;
    options.signal?.addEventListener('abort', () => this.#end('the run was stopped'));
  }

  async send(spec: RequestSpec): Promise<Answer> {
    this.wasUsed = true;
    const { baseUrl, timeoutMs } = this.#options;
    const { promise: failed, reject } = Promise.withResolvers<never>();
    const inTime = afterTime(timeoutMs, this.#world, () =>
      reject(new TransportFailure('timeout', `no answer in time (${timeoutMs / 1000} s)`)),
    );
    this.#underWay.add(reject);
    const answer = this.#answerTo(incomingOf(spec, baseUrl, this.#socket), spec);
    return Promise.race([answer, failed]).finally(() => {
      inTime();
      this.#underWay.delete(reject);
    });
  }

  async #answerTo(incoming: Incoming, { method }: RequestSpec): Promise<Answer> {
    await this.#world.sleep(this.#delay.there());
    const replied = this.#before.then(() => this.#replyTo(incoming));
    this.#before = replied;
    const reply = await replied;
    const body = method === 'HEAD' ? '' : textOf(reply);
    const headers = {
      ...reply.headers,
      'content-length': String(Buffer.byteLength(body)),
      date: new Date(this.#world.wallNow()).toUTCString(),
      connection: 'keep-alive',
      'keep-alive': 'timeout=10',
    };
    await this.#world.sleep(this.#delay.back() + (this.#delay.answer?.() ?? 0));
    return { status: reply.status, headers, body, json: parsedJson(body), cut: false };
  }

  close(): void {
    this.#end('the connection was closed');
  }

  #end(message: string): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    for (const fail of this.#underWay) fail(new TransportFailure('stopped', message));
    this.#socket.emit('close');
  }
}

function textOf({ body }: Reply): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}

/** A request as the server of Node would hand it over. */
function incomingOf(spec: RequestSpec, baseUrl: URL, socket: EventEmitter): Incoming {
  const { pathname, search, searchParams, host } = new URL(joinUrl(baseUrl, spec));
  const { method = 'POST' } = spec;
  const body = Buffer.from(spec.body ?? '');
  const length: readonly [string, string] = spec.isChunked
    ? ['transfer-encoding', 'chunked']
    : ['content-length', String(body.length)];
  const pairs = [
    ['host', host] as const,
    ['connection', 'keep-alive'] as const,
    ...(spec.headers ?? []),
    length,
  ];
  const headers: IncomingMessage['headers'] = {};
  for (const [name, value] of pairs) {
    const lower = name.toLowerCase();
    const before = headers[lower];
    if (before === undefined) headers[lower] = value;
    // the first one counts of those that Node does not join
    else if (!['host', 'content-type', 'content-length'].includes(lower))
      headers[lower] = `${before}, ${value}`;
  }
  const url = pathname + search;
  const request = { headers, rawHeaders: pairs.flat(), url, method, socket };
  return {
    request: request as Pick<IncomingMessage, 'headers' | 'rawHeaders' | 'url'>,
    method,
    path: pathname,
    query: searchParams,
    body,
  };
}
