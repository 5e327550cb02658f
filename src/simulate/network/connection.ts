import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import {
  cutOff,
  endless,
  faultOfBytes,
  faultOfHead,
  switchedProtocol,
} from '../../kit/answer-faults.ts';
import { trusting } from '../../kit/connections.ts';
import { connectionFailure, inOneClause } from '../../kit/failures.ts';
import {
  type BodyFraming,
  contentOf,
  type HttpHead,
  headerOf,
  MessageReader,
  responseFraming,
  statusOf,
  staysOpen,
} from '../../kit/http1.ts';
import { unusedProxy } from '../../kit/proxies.ts';
import { CLIENT_TLS } from '../../kit/served-tls.ts';
import type { WireAnswer, WireFailure } from '../wire.ts';
import type { Endpoint } from './endpoint.ts';

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

const READ_BYTES = 64 * 1024;
/** All plain connections read into the same memory, one after the other: that saves a buffer for each of them. */
const sharedBuffer = Buffer.allocUnsafeSlow(READ_BYTES);

/** One connection to the server with at most one request on it. */
export class Connection {
  readonly #endpoint: Endpoint;
  readonly #socket: Socket;
  readonly #owner: ConnectionOwner;
  #exchange: Exchange | undefined;
  /** Reads the response that has begun to arrive. */
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
      ...CLIENT_TLS,
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

  #finish(read: ParsedResponse | Error): void {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    this.#reader = undefined;
    if (read instanceof Error) {
      this.destroy();
      exchange?.failed({ kind: 'broken', message: this.#inWords(read) });
      return;
    }
    this.#reusableMs = read.reusableMs;
    this.#idleSinceMs = performance.now();
    if (read.reusableMs > 0) this.#owner.connectionIdle(this);
    else this.destroy();
    exchange?.answered(read.answer);
  }

  #fail(error: Error): void {
    const exchange = this.#exchange;
    this.#letGo();
    const message = this.#inWords(error);
    if (this.#connected) exchange?.failed({ kind: 'broken', message });
    else {
      const proxy = unusedProxy(new URL(this.#endpoint.shownUrl));
      exchange?.failed({ kind: 'unreachable', message: `${message}${proxy}` });
    }
  }

  #inWords(error: Error): string {
    return inOneClause(connectionFailure(error, this.#endpoint.shownUrl));
  }

  /** A response without a length ends with its connection; any other end is a failure. */
  #ended(): void {
    if (!this.#exchange) {
      this.#letGo();
      return;
    }
    const read = this.#reader?.finish() ?? cutOff();
    if (read instanceof Error) this.#fail(read);
    else this.#finish(read);
  }

  #letGo(): void {
    if (this.#over) return;
    this.#over = true;
    this.#exchange = undefined;
    this.#owner.connectionOver(this);
  }
}

/** A whole HTTP response. */
export interface ParsedResponse {
  readonly answer: WireAnswer;
  /** How long the connection may stay idle before it is used again, in milliseconds; 0 is not at all. */
  readonly reusableMs: number;
}

/** Servers that do not say how long they keep a connection are taken to keep it this long. */
const USUAL_KEEP_ALIVE_MS = 4000;
const RESPONSE_BYTES_MAX = 1024 * 1024;

/** Reads one HTTP/1 response as it arrives. */
export class ResponseReader {
  readonly #reader: MessageReader;
  readonly #body: Buffer[] = [];
  #head: HttpHead = '';
  #bytes = 0;
  #isWhole = false;
  #fault: Error | undefined;

  constructor() {
    this.#reader = new MessageReader(
      'response',
      {
        head: (head) => this.#begin(head),
        body: (bytes) => {
          if (!this.#isWhole) this.#body.push(Buffer.from(bytes));
        },
        end: () => {
          // What comes before the real answer (status 1xx) is no answer.
          this.#isWhole = statusOf(this.#head) >= 200;
        },
        unreadable: (bytes) => {
          if (!this.#isWhole) this.#fault ??= faultOfBytes(this.#head, bytes);
        },
      },
      'strict',
    );
  }

  /** @returns undefined while more is needed; an error for what no client takes */
  push(bytes: Buffer): ParsedResponse | Error | undefined {
    this.#bytes += bytes.length;
    if (this.#bytes > RESPONSE_BYTES_MAX) return endless();
    this.#reader.push(bytes);
    if (this.#fault) return this.#fault;
    if (!this.#isWhole) return undefined;
    return this.#response(this.#reader.isInside ? 0 : reusableMs(this.#head));
  }

  /** Nothing more will come: a response without a length ends here, any other was cut off. */
  finish(): ParsedResponse | Error {
    this.#reader.finish();
    return this.#fault ?? (this.#isWhole ? this.#response(0) : cutOff());
  }

  #begin(head: HttpHead): BodyFraming {
    // Nobody asked for a second response: the connection is of no further use.
    if (this.#isWhole) return 'until-end';
    this.#fault = statusOf(head) === 101 ? switchedProtocol() : faultOfHead(head);
    this.#head = head;
    return responseFraming(head, statusOf(head), 'POST');
  }

  #response(idleMs: number): ParsedResponse {
    // Without a byte-order mark, as every client takes it (RFC 8259, 8.1).
    const body = new TextDecoder().decode(contentOf(this.#head, Buffer.concat(this.#body)));
    return { answer: { status: statusOf(this.#head), body }, reusableMs: idleMs };
  }
}

function reusableMs(head: HttpHead): number {
  if (!staysOpen(head)) return 0;
  const seconds = /timeout=(\d+)/i.exec(headerOf(head, 'keep-alive') ?? '')?.[1];
  // A second of margin: the server must not close just as the next request leaves.
  return seconds === undefined ? USUAL_KEEP_ALIVE_MS : Math.max(0, Number(seconds) * 1000 - 1000);
}
