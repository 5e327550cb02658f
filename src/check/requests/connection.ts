import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { Client, type Dispatcher, errors } from 'undici';
import { parsedJson } from '../facts/json.ts';
import { TransportFailure } from '../judging/deviation.ts';
import { type HttpClientOptions, withinLimits } from './dial.ts';
import type { Answer, RequestSpec } from './exchange.ts';
import { joinUrl, transportFailureOf } from './http-failure.ts';

/** More of a body is not read: an answer of this service has a few hundred bytes. */
const BODY_BYTES_MAX = 256 * 1024;
const CUT_BODY_CHARACTERS_KEPT = 2000;
const REQUESTS_AT_ONCE_MAX = 1024;
/** `100 Continue` with its headers, at the beginning of what has arrived. */
const CONTINUE = /^HTTP\/1\.1 100\b[^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n/;
const CONTINUE_BYTES_MAX = 4096;

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

/** undici closes a connection on which a `100 Continue` comes unasked, which HTTP allows: it never sees one. */
function hideContinue(socket: Socket): void {
  const read = socket.read.bind(socket);
  socket.read = (size) => {
    const bytes: Buffer | null = read(size);
    const found = bytes && CONTINUE.exec(bytes.toString('latin1', 0, CONTINUE_BYTES_MAX));
    if (!found) return bytes;
    socket.unshift(bytes.subarray(found[0].length));
    return socket.read(size);
  };
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
  const text = Buffer.concat(chunks).toString('utf8');
  return {
    status: response.statusCode,
    headers: Object.fromEntries(
      Object.entries(response.headers).map(([name, value]) => [name, [value].flat().join(', ')]),
    ),
    body: cut ? text.slice(0, CUT_BODY_CHARACTERS_KEPT) : text,
    json: cut ? undefined : parsedJson(text),
    cut,
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
