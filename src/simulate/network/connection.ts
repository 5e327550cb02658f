import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { trusting } from '../../kit/connections.ts';
import { connectionFailure, inOneClause } from '../../kit/failures.ts';
import type { WireAnswer, WireFailure } from '../wire.ts';
import type { Endpoint } from './endpoint.ts';
import { type ParsedResponse, ResponseReader, type Unreadable } from './response.ts';

/** Receives the response to one request on a connection. */
export interface Exchange {
  answered(answer: WireAnswer): void;
  failed(failure: WireFailure): void;
}

/** The owner of a connection. */
export interface ConnectionOwner {
  /** The response is complete and the connection can take the next request. */
  connectionIdle(connection: Connection): void;
  /** The connection is of no further use. */
  connectionOver(connection: Connection): void;
}

const WRONG = { malformed: 'not HTTP', endless: 'longer than 1 MiB' } as const;
const READ_BYTES = 64 * 1024;
/** All plain connections read into the same memory, one after the other: that saves a buffer for each of them. */
const sharedBuffer = Buffer.allocUnsafeSlow(READ_BYTES);

/** One connection to the server with at most one request on it. */
export class Connection {
  readonly #endpoint: Endpoint;
  readonly #socket: Socket;
  readonly #owner: ConnectionOwner;
  #exchange: Exchange | undefined;
  /** Of the response that has begun to arrive. */
  #reader: ResponseReader | undefined;
  #connected = false;
  #over = false;
  #idleSinceMs = 0;
  #reusableMs = 0;

  constructor(endpoint: Endpoint, owner: ConnectionOwner) {
    this.#endpoint = endpoint;
    this.#owner = owner;
    this.#socket = endpoint.secure ? this.#openTls() : this.#openPlain();
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.on('close', () => this.#ended());
  }

  /** The socket itself, for faults that write it in pieces. */
  get socket(): Socket {
    return this.#socket;
  }

  /** False when the server may be about to close it. */
  isReusable(nowMs: number): boolean {
    return !this.#over && nowMs - this.#idleSinceMs < this.#reusableMs;
  }

  /** The bytes that arrive from now on are the response for `exchange`. */
  expect(exchange: Exchange): void {
    this.#exchange = exchange;
  }

  /** @param ascii true when every character is ASCII, which is quicker to send */
  send(text: string, exchange: Exchange, ascii = false): void {
    this.expect(exchange);
    this.#socket.write(text, ascii ? 'latin1' : 'utf8');
  }

  /** Closes at once, without an event. */
  destroy(): void {
    this.#letGo();
    this.#socket.destroy();
  }

  /** Resets the TCP connection, as a crashing device does; without an event. */
  reset(): void {
    this.#letGo();
    this.#socket.resetAndDestroy();
  }

  #openPlain(): Socket {
    const { host, port } = this.#endpoint;
    const callback = (length: number): boolean => {
      this.#read(sharedBuffer.subarray(0, length));
      return true;
    };
    const onread = { buffer: sharedBuffer, callback };
    const socket = connect({ host, port, noDelay: true, onread });
    socket.once('connect', () => this.#markConnected());
    return socket;
  }

  #openTls(): Socket {
    const { host, port, tls } = this.#endpoint;
    const socket = connectTls({
      host,
      port,
      ...trusting(tls.ca),
      rejectUnauthorized: tls.insecure !== true,
      // RFC 6066: an address is no server name.
      ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }),
    });
    socket.once('secureConnect', () => this.#markConnected());
    socket.on('data', (bytes: Buffer) => this.#read(bytes));
    return socket;
  }

  #markConnected(): void {
    this.#connected = true;
  }

  #read(bytes: Buffer): void {
    if (!this.#exchange) {
      this.destroy();
      return;
    }
    this.#reader ??= new ResponseReader();
    const read = this.#reader.push(bytes);
    if (read !== undefined) this.#finish(read);
  }

  #finish(read: ParsedResponse | Unreadable): void {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    this.#reader = undefined;
    if (typeof read === 'string') {
      this.destroy();
      const message = `the answer of ${this.#endpoint.shownUrl} is ${WRONG[read]}`;
      exchange?.failed({ kind: 'broken', message });
      return;
    }
    this.#reusableMs = read.reusableMs;
    this.#idleSinceMs = performance.now();
    if (read.reusableMs > 0) this.#owner.connectionIdle(this);
    else this.destroy();
    exchange?.answered(read.answer);
  }

  #fail(error: NodeJS.ErrnoException): void {
    const exchange = this.#exchange;
    const { shownUrl } = this.#endpoint;
    this.#letGo();
    exchange?.failed(
      this.#connected
        ? {
            kind: 'broken',
            message: `the connection to ${shownUrl} broke off (${error.code ?? error.message})`,
          }
        : { kind: 'unreachable', message: inOneClause(connectionFailure(error, shownUrl)) },
    );
  }

  /** A response without a length ends with its connection; any other end is a failure. */
  #ended(): void {
    if (!this.#exchange) {
      this.#letGo();
      return;
    }
    const read = this.#reader?.finish() ?? 'malformed';
    if (typeof read === 'string') this.#fail(new Error('it was closed before the answer'));
    else this.#finish(read);
  }

  #letGo(): void {
    if (this.#over) return;
    this.#over = true;
    this.#exchange = undefined;
    this.#owner.connectionOver(this);
  }
}
