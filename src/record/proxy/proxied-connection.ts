import type { Socket } from 'node:net';
import { cutOff } from '../../kit/answer-faults.ts';
import { connectionFailure } from '../../kit/failures.ts';
import {
  type HttpHead,
  isInterim,
  MessageReader,
  requestFraming,
  requestLine,
  responseFraming,
  statusOf,
  withHeader,
  withTarget,
} from '../../kit/http1.ts';
import type { Upstream } from './upstream.ts';

/** What a connection needs of the proxy that accepted it. */
export interface ConnectionOwner {
  readonly upstream: Upstream;
  /** Milliseconds since the recording began. */
  nowMs(): number;
  nextNumber(): number;
  /** An exchange is over, well or not. */
  finished(exchange: RawExchange): void;
  /** A warning for the user. */
  warn(text: string): void;
}

const TLS_HANDSHAKE = 0x16;
const BAD_GATEWAY =
  'HTTP/1.1 502 Bad Gateway\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: 25\r\n\r\n{"message":"Bad Gateway"}';

/**
 * One connection of a client and the one to the service that belongs to it. Bytes are passed on as they come, in both
 * directions; of a request only the values of Host and Accept-Encoding and the base path change.
 */
export class ProxiedConnection {
  readonly #number: number;
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #owner: ConnectionOwner;
  readonly #requests: MessageReader;
  readonly #responses: MessageReader;
  /** Requests without a complete answer, oldest first. */
  readonly #open: RawExchange[] = [];
  /** The request that is still arriving. */
  #arriving: RawExchange | undefined;
  #connected = false;
  /** The arriving response is an interim one (status 1xx). */
  #isInterim = false;

  constructor(number: number, client: Socket, owner: ConnectionOwner) {
    this.#number = number;
    this.#client = client;
    this.#owner = owner;
    this.#requests = new MessageReader('request', {
      head: (head) => this.#requestHead(head),
      body: (bytes) => this.#requestBody(bytes),
      end: () => {
        this.#arriving = undefined;
      },
      unreadable: (bytes) => this.#unreadableRequest(bytes),
    });
    this.#responses = new MessageReader('response', {
      head: (head) => this.#responseHead(head),
      body: (bytes) => this.#open[0]?.response.add(bytes),
      end: () => this.#responseEnd(),
      unreadable: (bytes) => this.#open[0]?.response.add(bytes),
    });
    this.#server = owner.upstream.connect(() => {
      this.#connected = true;
    });
    this.#join();
  }

  /** Ends both sides; unanswered exchanges get `why` as their failure. */
  close(why: string): void {
    this.#abandon(why);
    this.#client.destroy();
    this.#server.destroy();
  }

  #join(): void {
    const [client, server] = [this.#client, this.#server];
    client.on('data', (bytes: Buffer) => {
      this.#requests.push(bytes);
      if (server.writableNeedDrain) client.pause();
    });
    server.on('drain', () => client.resume());
    server.on('data', (bytes: Buffer) => {
      if (!client.write(bytes)) server.pause();
      this.#responses.push(bytes);
    });
    client.on('drain', () => server.resume());
    client.on('end', () => server.end());
    server.on('end', () => {
      this.#responses.finish();
      client.end();
    });
    client.on('error', () => this.close('the client disconnected before the end of the answer'));
    client.on('close', () => this.close('the client disconnected before the answer'));
    server.on('error', (error) => this.#serverFailed(error));
    server.on('close', () => {
      this.#abandon(this.#inWords(cutOff()));
      client.end();
    });
  }

  #serverFailed(error: NodeJS.ErrnoException): void {
    const { upstream } = this.#owner;
    if (this.#connected) {
      this.close(this.#inWords(error));
      return;
    }
    const why = upstream.explain(error);
    this.#owner.warn(why);
    this.#abandon(why);
    this.#client.end(BAD_GATEWAY, () => this.#client.destroy());
  }

  #inWords(error: Error): string {
    return connectionFailure(error, this.#owner.upstream.shownUrl).what;
  }

  #begin(): RawExchange {
    const { nowMs, nextNumber } = this.#owner;
    const exchange = new RawExchange(nextNumber(), this.#number, nowMs());
    this.#open.push(exchange);
    return exchange;
  }

  #requestHead(head: HttpHead) {
    const { upstream } = this.#owner;
    this.#arriving = this.#begin();
    this.#arriving.request.head = head;
    const there = withTarget(head, (target) => upstream.basePath + target);
    // A compressed answer could hide a key from us.
    const plain = withHeader(there, 'accept-encoding', 'identity');
    this.#server.write(withHeader(plain, 'host', upstream.hostHeader), 'latin1');
    return requestFraming(head);
  }

  #requestBody(bytes: Buffer): void {
    this.#arriving?.request.add(bytes);
    this.#server.write(bytes);
  }

  #unreadableRequest(bytes: Buffer): void {
    if (!this.#arriving) {
      this.#arriving = this.#begin();
      this.#arriving.request.note = 'this is not an HTTP/1 request; it was forwarded unchanged';
      if (bytes[0] === TLS_HANDSHAKE) {
        this.#owner.warn(
          'A client uses TLS on a plain HTTP port: set the client to http://, or add --tls-self-signed here.',
        );
      }
    }
    this.#requestBody(bytes);
  }

  #responseHead(head: HttpHead) {
    const exchange = this.#open[0];
    const status = statusOf(head);
    this.#isInterim = isInterim(status);
    exchange?.response.addHead(head);
    const method = requestLine(exchange?.request.head ?? '')?.method ?? '';
    return status === 101 ? 'until-end' : responseFraming(head, status, method);
  }

  #responseEnd(): void {
    if (this.#isInterim) return;
    const exchange = this.#open.shift();
    if (!exchange) return;
    // A server may answer before it has read the whole request.
    if (this.#arriving === exchange)
      exchange.request.note ??= 'it was answered before it was complete';
    this.#finish(exchange);
  }

  #abandon(why: string): void {
    const held = this.#requests.takeHeld();
    if (held.some((byte) => byte !== 0x0d && byte !== 0x0a)) {
      const exchange = this.#begin();
      exchange.request.add(held);
      exchange.request.note = 'the connection ended within the head';
    } else if (this.#arriving) {
      this.#arriving.request.note ??= 'the connection ended within the body';
    }
    this.#arriving = undefined;
    for (const exchange of this.#open.splice(0)) {
      exchange.failure = why;
      if (!exchange.response.isEmpty) exchange.response.note ??= 'it was cut off';
      this.#finish(exchange);
    }
  }

  #finish(exchange: RawExchange): void {
    exchange.durationMs = this.#owner.nowMs() - exchange.atMs;
    this.#owner.finished(exchange);
  }
}

/** Longer bodies are forwarded completely, but stored only up to here: scans are shorter. */
const KEPT_BYTES_MAX = 1024 * 1024;

/** A message as it arrives, piece by piece. */
export class RawMessage {
  head: HttpHead = '';
  /** Why it is incomplete. */
  note: string | undefined;
  readonly #parts: Buffer[] = [];
  #length = 0;

  add(bytes: Buffer): void {
    const kept = bytes.subarray(0, Math.max(0, KEPT_BYTES_MAX - this.#length));
    this.#length += bytes.length;
    this.#parts.push(Buffer.from(kept));
    if (this.#length > KEPT_BYTES_MAX)
      this.note = `only the first ${KEPT_BYTES_MAX} bytes are kept`;
  }

  /** Interim responses come before the head of the answer; a server may send them without end. */
  addHead(head: HttpHead): void {
    const isTooMuch = this.head.length + head.length > KEPT_BYTES_MAX;
    if (isTooMuch) this.note = 'of its interim responses only the last are kept';
    this.head = isTooMuch ? head : this.head + head;
  }

  get body(): Buffer {
    return Buffer.concat(this.#parts);
  }

  get isEmpty(): boolean {
    return this.head === '' && this.#length === 0;
  }
}

/** A request and its response as they are on the wire, with every secret still in them. */
export class RawExchange {
  readonly number: number;
  readonly connection: number;
  readonly atMs: number;
  readonly request = new RawMessage();
  readonly response = new RawMessage();
  durationMs = 0;
  failure: string | undefined;

  constructor(number: number, connection: number, atMs: number) {
    this.number = number;
    this.connection = connection;
    this.atMs = atMs;
  }
}
