import type { Socket } from 'node:net';
import {
  headerOf,
  isChunked,
  MessageReader,
  requestLine,
  responseFraming,
  statusOf,
  staysOpen,
} from '../../kit/http1.ts';
import { RawMessage } from '../proxy/raw-exchange.ts';
import type { Upstream } from '../proxy/upstream.ts';
import type { WireMessage } from './restore.ts';

/** The outcome of a request: an answer, or why it is missing. */
export type ReplayedAnswer = WireMessage | { readonly failure: string };

/** An idle connection is not used again after this: the server may be about to close it. */
const REUSE_MS = 4000;

/** One connection of a recording, opened again: one request at a time, kept open as long as the server keeps it. */
export class ReplaySocket {
  readonly #upstream: Upstream;
  readonly #timeoutMs: number;
  #socket: Socket | undefined;
  #usedAtMs = 0;

  constructor(upstream: Upstream, timeoutMs: number) {
    this.#upstream = upstream;
    this.#timeoutMs = timeoutMs;
  }

  /** Sends the bytes as they are. Never rejects, and never sends anything twice: a second post can be a second use. */
  async send(request: WireMessage): Promise<ReplayedAnswer> {
    if (performance.now() - this.#usedAtMs > REUSE_MS) this.close();
    const { promise, resolve } = Promise.withResolvers<ReplayedAnswer>();
    const socket = this.#socket ?? this.#open();
    this.#socket = socket;
    const response = new RawMessage();
    const method = requestLine(request.head)?.method ?? '';
    const done = () => resolve({ head: response.head, body: response.body });
    const reader = new MessageReader('response', {
      head: (head) => {
        // Interim responses (status 1xx) do not count as answers.
        response.head = head;
        return responseFraming(head, statusOf(head), method);
      },
      body: (bytes) => response.add(bytes),
      end: () => {
        if (statusOf(response.head) >= 200) done();
      },
      unreadable: () => resolve({ failure: 'the answer is not HTTP' }),
    });
    const fail = (failure: string) => resolve({ failure });
    listen(socket, reader, this.#upstream, fail);
    socket.setTimeout(this.#timeoutMs, () => fail(`no answer within ${this.#timeoutMs} ms`));
    socket.write(Buffer.from(request.head, 'latin1'));
    if (request.body.length > 0) socket.write(request.body);
    const answer = await promise;
    this.#settle(socket, answer);
    return answer;
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #open(): Socket {
    const socket = this.#upstream.connect(() => undefined);
    socket.on('close', () => {
      if (this.#socket === socket) this.#socket = undefined;
    });
    return socket;
  }

  #settle(socket: Socket, answer: ReplayedAnswer): void {
    for (const event of ['data', 'end', 'error', 'timeout']) socket.removeAllListeners(event);
    socket.on('error', () => undefined);
    socket.on('end', () => socket.destroy());
    socket.setTimeout(0);
    this.#usedAtMs = performance.now();
    if ('failure' in answer || !isKept(answer.head)) this.close();
  }
}

function listen(
  socket: Socket,
  reader: MessageReader,
  upstream: Upstream,
  fail: (why: string) => void,
): void {
  const wasConnected = socket.readyState === 'open';
  let connected = wasConnected;
  socket.once('connect', () => {
    connected = true;
  });
  socket.on('data', (bytes: Buffer) => reader.push(bytes));
  socket.on('end', () => {
    reader.finish();
    fail('the server closed the connection without an answer');
  });
  socket.on('close', () => fail('the connection was closed before the answer'));
  socket.on('error', (error: NodeJS.ErrnoException) =>
    fail(connected ? `the connection was lost (${error.code})` : upstream.explain(error)),
  );
}

function isKept(head: string): boolean {
  const isFramed = headerOf(head, 'content-length') !== undefined || isChunked(head);
  return isFramed && staysOpen(head);
}
