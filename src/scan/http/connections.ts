import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { AnswerSink, Endpoint, Exchange, RequestHead } from './exchange.ts';
import { END_OF_HEAD, type PlainHead, readPlainHead } from './request-head.ts';

/*
 * The life of a connection. It begins plain: its scans are answered without Node's HTTP, whose objects for each request and
 * answer cost more than everything else that a scan needs. Whatever is not plain goes to Node, from its first byte, and the
 * connection stays there: no other request is interpreted here (ADR 0006).
 *
 *     connected; with TLS, after the handshake
 *        │
 *        ▼         a plain request, whole
 *     waiting ─────────────────────────────▶ busy
 *      │ │ ▲                                 │ │
 *      │ │ └───────────── answered ──────────┘ │
 *      │ │                                     │ answered, but more bytes came meanwhile
 *      │ │ anything else                       ▼
 *      │ └──────────────────────▶ Node's HTTP, for good
 *      ▼                                       │
 *     closed ◀─────────────────────────────────┘
 *
 * waiting → Node: a head that is not plain or not complete, bytes after the body, a client that has not taken all of its
 * last answer, a server that stops (Node tells clients that the connection ends), a client that closes its side in the
 * middle of a body, and the check once a second when it finds a body that is not complete or a connection without any
 * request. From there the limits of Node for heads and whole requests hold.
 * waiting → closed: the client closes its side (when busy: after the answer), no request for `keepAliveMs`, or
 * `closeIdleConnections`, which is replaced here because Node does not know these connections.
 * busy: nothing ends it but the answer, or the loss of the connection.
 * Node's HTTP → closed: the limits of Node for heads, requests and idle connections; broken HTTP (refusal.ts); and the
 * checks of `HttpConnections`: an answer of which nothing is taken for `untakenMs`, no new request for `idleMs`.
 *
 * app.ts replaces `closeAllConnections`, which ends every connection at once, whatever its state.
 */

/** The event of a server for each answer that was given without Node's HTTP, with a `PlainAnswer`. */
export const PLAIN_ANSWER = Symbol('plain answer');

export interface PlainAnswer {
  readonly path: string;
  readonly status: number;
  /** The time from the whole request to its answer. */
  readonly seconds: number;
}

export interface PlainConnectionsOptions {
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  readonly refusals: Exchange['refusals'];
  /** A connection without a request is closed after this time. */
  readonly keepAliveMs: number;
}

const CHECK_EVERY_MS = 1000;
/** Longer heads are not read here. */
const PLAIN_HEAD_BYTES_MAX = 4096;

/** The connections of a server that are plain so far. */
export class PlainConnections {
  readonly options: PlainConnectionsOptions;
  readonly #open = new Set<PlainConnection>();
  readonly #dates = new CachedDateHeader();
  #stopping = false;
  #server: Server | undefined;

  constructor(options: PlainConnectionsOptions) {
    this.options = options;
  }

  /** Takes the connections of `server` before Node's HTTP does. @param event at which the server gets one that can be read */
  watch(server: Server, event: 'connection' | 'secureConnection'): void {
    const [nodeListener] = server.listeners(event) as ((socket: Socket) => void)[];
    if (!nodeListener) throw new Error(`Node's HTTP server does not listen to '${event}'`);
    this.#server = server;
    server.removeListener(event, nodeListener);
    server.on(event, (socket: Socket) => {
      const giveToNode = () => nodeListener.call(server, socket);
      if (this.#stopping) giveToNode();
      else this.#add(socket, giveToNode);
    });
    const { closeIdleConnections } = server;
    server.closeIdleConnections = () => {
      closeIdleConnections.call(server);
      for (const one of this.#open) one.closeIfIdle();
    };
    const timer = setInterval(() => this.#check(), CHECK_EVERY_MS).unref();
    server.once('close', () => clearInterval(timer));
  }

  /** Lets further requests go to Node's HTTP, which announces the end of the connection. */
  stop(): void {
    this.#stopping = true;
  }

  get isStopping(): boolean {
    return this.#stopping;
  }

  /** True when the event of each answer has a listener. */
  get isMeasured(): boolean {
    return (this.#server?.listenerCount(PLAIN_ANSWER) ?? 0) > 0;
  }

  emit(answer: PlainAnswer): void {
    this.#server?.emit(PLAIN_ANSWER, answer);
  }

  /** The lines that every answer has. */
  commonLines(): string {
    const seconds = Math.floor(this.options.keepAliveMs / 1000);
    return `Date: ${this.#dates.now()}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${seconds}\r\n`;
  }

  #add(socket: Socket, giveToNode: () => void): void {
    const one = new PlainConnection(this, socket, () => {
      this.#open.delete(one);
      giveToNode();
    });
    this.#open.add(one);
    socket.once('close', () => this.#open.delete(one));
  }

  #check(): void {
    const checksMax = this.options.keepAliveMs / CHECK_EVERY_MS;
    for (const one of this.#open) one.check(checksMax);
  }
}

class PlainConnection implements AnswerSink {
  readonly socket: Socket;
  readonly #all: PlainConnections;
  readonly #giveToNode: () => void;
  /** The head of the newest request. A gate sends the same one again and again. */
  #known:
    | { readonly bytes: Buffer; readonly head: PlainHead; readonly request: RequestHead }
    | undefined;
  /** A request whose body is not there yet. */
  #begun: Buffer | undefined;
  /** What came while an answer was under way. */
  #held: Buffer | undefined;
  #isBusy = false;
  #hasEnded = false;
  #checks = 0;
  #answerHead = '';
  #status = 0;
  #beganAt = 0;

  /** @param giveToNode has Node's HTTP listen to the socket */
  constructor(all: PlainConnections, socket: Socket, giveToNode: () => void) {
    this.#all = all;
    this.socket = socket;
    this.#giveToNode = giveToNode;
    socket.on('data', this.#onData).on('end', this.#onEnd).on('error', this.#onError);
  }

  /** Ends what waits too long; called at intervals. An incomplete request may not wait here. */
  check(checksMax: number): void {
    this.#checks += 1;
    if (this.#isBusy) return;
    if (this.#begun || !this.#known) this.#handOver(this.#begun);
    else if (this.#checks > checksMax) this.socket.destroy();
  }

  /** A new connection is not idle: its request may be on its way. Nor is one whose client has not taken all of its answer. */
  closeIfIdle(): void {
    if (this.#isBusy || this.#begun || this.socket.writableLength > 0) return;
    if (this.#known) this.socket.destroy();
    else this.#handOver(undefined);
  }

  writeHead(status: number, headers: Readonly<Record<string, string | number>>): void {
    this.#status = status;
    let lines = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
    for (const [name, value] of Object.entries(headers)) lines += `${name}: ${value}\r\n`;
    this.#answerHead = `${lines}${this.#all.commonLines()}\r\n`;
  }

  end(text: string, encoding: 'latin1' | 'utf8'): void {
    this.#isBusy = false;
    this.socket.write(this.#answerHead + text, encoding);
    if (this.#all.isMeasured) this.#emitAnswer();
    if (this.#held) {
      this.#handOver(this.#held);
      this.socket.resume();
    } else if (this.#hasEnded) this.socket.end();
  }

  #emitAnswer(): void {
    const path = this.#known?.head.path ?? '';
    const seconds = (performance.now() - this.#beganAt) / 1000;
    this.#all.emit({ path, status: this.#status, seconds });
  }

  readonly #onData = (packet: Buffer): void => {
    this.#checks = 0;
    if (this.#isBusy) {
      this.#held = packet;
      this.socket.pause();
      return;
    }
    const bytes = this.#begun ? Buffer.concat([this.#begun, packet]) : packet;
    this.#begun = undefined;
    // `HttpConnections` bounds the answers that a client does not take.
    if (this.#all.isStopping || this.socket.writableLength > 0) this.#handOver(bytes);
    else this.#answer(bytes);
  };

  #answer(bytes: Buffer): void {
    const known = this.#headOf(bytes);
    const endpoint = known && this.#all.options.endpoints.get(known.head.path);
    const bodyAt = known?.bytes.length ?? 0;
    const missing = known ? bodyAt + known.head.bodyBytes - bytes.length : -1;
    if (!known || !endpoint || missing < 0) this.#handOver(bytes);
    else if (missing > 0) this.#begun = bytes;
    else {
      this.#isBusy = true;
      this.#beganAt = performance.now();
      const { request, head } = known;
      const { refusals } = this.#all.options;
      const body = bytes.subarray(bodyAt);
      void endpoint({ request, response: this, query: head.query, body, refusals });
    }
  }

  #headOf(bytes: Buffer) {
    const known = this.#known;
    const length = known?.bytes.length ?? 0;
    if (known && bytes.length >= length && known.bytes.compare(bytes, 0, length) === 0) {
      return known;
    }
    const end = bytes.indexOf(END_OF_HEAD);
    if (end === -1 || end > PLAIN_HEAD_BYTES_MAX) return undefined;
    const head = readPlainHead(bytes.toString('latin1', 0, end));
    if (!head) return undefined;
    const { url, headers } = head;
    const ownBytes = Buffer.from(bytes.subarray(0, end + END_OF_HEAD.length));
    this.#known = { bytes: ownBytes, head, request: { url, headers, socket: this.socket } };
    return this.#known;
  }

  /** @param bytes read and not answered */
  #handOver(bytes: Buffer | undefined): void {
    const { socket } = this;
    // Node's HTTP would wait for ever for the end of a connection that has ended.
    if (socket.destroyed || socket.errored) return;
    this.#giveToNode();
    socket.off('data', this.#onData).off('end', this.#onEnd).off('error', this.#onError);
    if (bytes) socket.emit('data', bytes);
    bufferPartialHead(socket, bytes);
    // Sockets emit it once: Node's HTTP would otherwise wait for the rest of the request until its limit.
    if (this.#hasEnded) socket.emit('end');
  }

  /** The client has closed its side: its last request is still answered. */
  readonly #onEnd = (): void => {
    this.#hasEnded = true;
    if (this.#begun) this.#handOver(this.#begun);
    else if (!this.#isBusy) this.socket.end();
  };

  readonly #onError = (): void => {
    // The client has disconnected.
  };
}

/** The value of `Date`, made once a second. */
class CachedDateHeader {
  #second = 0;
  #text = '';

  now(): string {
    const now = Date.now();
    const second = Math.floor(now / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#text = new Date(now).toUTCString();
    }
    return this.#text;
  }
}

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** What one connection may use of the server. */
export interface ConnectionLimits {
  /** Requests of one connection that are handled at a time; further ones wait, unread where possible. */
  readonly underWayMax: number;
  /** A connection is closed when an answer waits and its client took no byte of it for this time. */
  readonly untakenMs: number;
  /** A connection that begins no request for this time is closed, even when it sends blank lines. */
  readonly idleMs: number;
  /** How often connections are checked. */
  readonly checkEveryMs: number;
}

/** Hears of a connection before it is closed, and why. */
export type Closed = (socket: Socket, reason: 'answer_untaken' | 'blank_lines') => void;

const PIPELINE = Symbol('pipeline');
const PARTIAL_HEAD = Symbol('partial head');

interface Connection extends Socket {
  /** Kept on the connection: a map of all connections would cost garbage collection at every request. */
  [PIPELINE]?: Pipeline;
  [PARTIAL_HEAD]?: { readonly after: ServerResponse | undefined; readonly text: string };
  readonly _handle?: SystemSocket | null;
  /** The socket below TLS. */
  readonly _parent?: { readonly _handle?: SystemSocket | null };
}

interface SystemSocket {
  readonly writeQueueSize?: number;
}

/** The answer to the newest request that arrived on `socket`, under way or not. */
export function newestAnswer(socket: Socket): ServerResponse | undefined {
  return (socket as Connection)[PIPELINE]?.newest;
}

/**
 * Bounds what one connection costs. Node parses all requests of a 64 KB read before it can stop reading, and a client that
 * takes no answers would otherwise have all of them handled, with every answer kept in memory for it.
 */
export class HttpConnections {
  readonly #limits: ConnectionLimits;
  readonly #handle: Handler;
  readonly #closed: Closed;
  readonly #open = new Set<Pipeline>();

  /** @param handle answers one request @param closed hears of connections that are closed here */
  constructor(limits: ConnectionLimits, handle: Handler, closed: Closed = () => undefined) {
    this.#limits = limits;
    this.#handle = handle;
    this.#closed = closed;
  }

  /** Passes a request on, now or when earlier ones of its connection are answered. */
  accept(request: IncomingMessage, response: ServerResponse): void {
    const pipeline = (request.socket as Connection)[PIPELINE];
    if (pipeline === undefined) this.#watch(request.socket, response);
    else if (!pipeline.admits(request, response)) return;
    this.#handle(request, response);
  }

  /** Checks the connections at intervals. @returns ends that */
  start(): () => void {
    const timer = setInterval(() => {
      for (const pipeline of this.#open) pipeline.check(this.#closed);
    }, this.#limits.checkEveryMs);
    timer.unref();
    return () => clearInterval(timer);
  }

  #watch(socket: Connection, first: ServerResponse): void {
    const pipeline = new Pipeline(socket, first, this.#limits, this.#handle);
    socket[PIPELINE] = pipeline;
    this.#open.add(pipeline);
    socket.once('close', () => this.#open.delete(pipeline));
  }
}

/** The requests of one connection, which are answered in the order in which they came. */
class Pipeline {
  newest: ServerResponse;
  readonly #socket: Connection;
  readonly #limits: ConnectionLimits;
  readonly #handle: Handler;
  /** The answers under way, in order; empty as long as each request comes after the answer to the one before. */
  #underWay: ServerResponse[] = [];
  #held: [IncomingMessage, ServerResponse][] = [];
  #holdsBack = false;
  readonly #untaken = new Unchanged<number>();
  readonly #idle = new Unchanged<ServerResponse>();

  constructor(
    socket: Connection,
    first: ServerResponse,
    limits: ConnectionLimits,
    handle: Handler,
  ) {
    this.#socket = socket;
    this.newest = first;
    this.#limits = limits;
    this.#handle = handle;
  }

  /** @returns false when the request has to wait; it is handled later then */
  admits(request: IncomingMessage, response: ServerResponse): boolean {
    const before = this.newest;
    this.newest = response;
    if (before.writableFinished) {
      if (this.#underWay.length > 0) this.#underWay = [];
      return true;
    }
    if (this.#underWay.length === 0) this.#underWay.push(before);
    if (this.#held.length === 0 && this.#hasRoom()) {
      this.#underWay.push(response);
      return true;
    }
    this.#held.push([request, response]);
    if (this.#held.length === 1) this.#holdBack();
    return false;
  }

  check(closed: Closed): void {
    const { untakenMs, idleMs, checkEveryMs } = this.#limits;
    const socket = this.#socket;
    const untakenChecks = this.#untaken.checks(socket.writableLength > 0, takenBytes(socket));
    const idleChecks = this.#idle.checks(this.newest.writableFinished, this.newest);
    const isUntaken = untakenChecks * checkEveryMs >= untakenMs;
    if (!isUntaken && idleChecks * checkEveryMs < idleMs) return;
    closed(socket, isUntaken ? 'answer_untaken' : 'blank_lines');
    socket.destroy();
  }

  #hasRoom(): boolean {
    while (this.#underWay[0]?.writableFinished) this.#underWay.shift();
    return this.#underWay.length < this.#limits.underWayMax;
  }

  /** Reads no further requests until those that arrived are under way. */
  #holdBack(): void {
    if (!this.#holdsBack) {
      this.#holdsBack = true;
      // Node resumes a connection whenever a request on it is read to its end.
      this.#socket.on('resume', () => {
        if (this.#held.length > 0) this.#socket.pause();
      });
    }
    this.#socket.pause();
    this.#underWay[0]?.once('close', () => this.#goOn());
  }

  #goOn(): void {
    if (this.#socket.destroyed) this.#held = [];
    while (this.#held.length > 0 && this.#hasRoom()) {
      const [request, response] = this.#held.shift() as [IncomingMessage, ServerResponse];
      this.#underWay.push(response);
      this.#handle(request, response);
    }
    if (this.#held.length > 0) this.#underWay[0]?.once('close', () => this.#goOn());
    else this.#socket.resume();
  }
}

/** Counts for how many checks in a row a condition held and a value stayed the same. */
class Unchanged<Value> {
  #value: Value | undefined;
  #checks = 0;

  checks(holds: boolean, value: Value): number {
    this.#checks = holds && value === this.#value ? this.#checks + 1 : 0;
    this.#value = holds ? value : undefined;
    return this.#checks;
  }
}

/**
 * The bytes that the system has taken from the writes to the client. How much of one long write it took is not in Node's
 * public interface; Node's own timer for sockets reads the same number, but not below TLS.
 */
function takenBytes(socket: Connection): number {
  const waiting = (socket._parent ?? socket)._handle?.writeQueueSize ?? 0;
  return socket.bytesWritten - socket.writableLength - waiting;
}

/** The longest head: Node takes as many characters. */
const HEAD_CHARACTERS_MAX = 16_384;

/**
 * Buffers the incomplete head of a connection of Node's HTTP. Of a broken head, Node reports only the last packet, and the
 * path may have come in an earlier one.
 * @param bytes what was read so far
 */
export function bufferPartialHead(socket: Connection, bytes?: Buffer): void {
  const keep = (packet: Buffer): void => {
    socket[PARTIAL_HEAD] = { after: newestAnswer(socket), text: partialHead(socket, packet) };
  };
  if (bytes) keep(bytes);
  socket.on('data', keep);
}

/** The head that ends with `packet`, or the part of it that came so far. */
export function partialHead(socket: Connection, packet?: Buffer): string {
  const newest = newestAnswer(socket);
  if (newest && !newest.req.complete) return '';
  const begun = socket[PARTIAL_HEAD];
  // A request that arrived since then ended the head that was kept.
  const before = begun?.after === newest ? (begun?.text ?? '') : '';
  const text = before + (packet?.toString('latin1', 0, HEAD_CHARACTERS_MAX) ?? '');
  return (text.split(END_OF_HEAD).at(-1) ?? '').slice(0, HEAD_CHARACTERS_MAX);
}
