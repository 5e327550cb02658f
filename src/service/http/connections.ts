import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** What one connection may use of the server. */
export interface ConnectionLimits {
  /** Requests of one connection that are handled at a time; further ones wait, unread where possible. */
  readonly underWayMax: number;
  /** A connection is closed when an answer waits and its client took no byte of it for this time. */
  readonly untakenMs: number;
  /** A connection that begins no request for this time is closed, whatever blank lines it sends. */
  readonly idleMs: number;
  /** How often connections are looked at. */
  readonly lookEveryMs: number;
}

const PIPELINE = Symbol('pipeline');

interface Connection extends Socket {
  /** Kept on the connection: a map of all connections would cost garbage collection at every request. */
  [PIPELINE]?: Pipeline;
  readonly _handle?: SystemSocket | null;
  /** Below TLS. */
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
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #handle: Handler;
  readonly #open = new Set<Pipeline>();

  /** @param handle answers one request */
  constructor(limits: ConnectionLimits, handle: Handler) {
    this.#limits = limits;
    this.#handle = handle;
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
      for (const pipeline of this.#open) pipeline.look();
    }, this.#limits.lookEveryMs);
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
  /** In order; empty as long as each request comes after the answer to the one before. */
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

  look(): void {
    const { untakenMs, idleMs, lookEveryMs } = this.#limits;
    const socket = this.#socket;
    const untakenLooks = this.#untaken.looks(socket.writableLength > 0, takenBytes(socket));
    const idleLooks = this.#idle.looks(this.newest.writableFinished, this.newest);
    if (untakenLooks * lookEveryMs >= untakenMs || idleLooks * lookEveryMs >= idleMs) {
      socket.destroy();
    }
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

/** Counts for how many looks in a row a condition held and a value stayed the same. */
class Unchanged<Value> {
  #value: Value | undefined;
  #looks = 0;

  looks(holds: boolean, value: Value): number {
    this.#looks = holds && value === this.#value ? this.#looks + 1 : 0;
    this.#value = holds ? value : undefined;
    return this.#looks;
  }
}

/**
 * Grows whenever the system took something of what was written for the client. How much of one long write it took is no part
 * of Node's public interface; its own timer for sockets reads the same number, but not below TLS.
 */
function takenBytes(socket: Connection): number {
  const waiting = (socket._parent ?? socket)._handle?.writeQueueSize ?? 0;
  return socket.bytesWritten - socket.writableLength - waiting;
}
