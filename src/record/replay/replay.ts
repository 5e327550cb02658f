import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import {
  cutOff,
  endless,
  faultOfBytes,
  faultOfHead,
  notConnected,
  switchedProtocol,
  tooLate,
} from '../../kit/answer-faults.ts';
import {
  headerOf,
  isChunked,
  isInterim,
  MessageReader,
  requestLine,
  responseFraming,
  statusOf,
  staysOpen,
  withHeader,
  withTarget,
} from '../../kit/http1.ts';
import { RawMessage } from '../proxy/proxied-connection.ts';
import type { Upstream } from '../proxy/upstream.ts';
import type { StoredExchange } from '../recording.ts';
import type { Restorer, WireMessage } from '../secrets/placeholders.ts';
import { type Difference, differencesOf, type ReplayedAnswer } from './differences.ts';

export interface ReplayOptions {
  readonly upstream: Upstream;
  readonly restorer: Restorer;
  /** `original` sends each request when it was sent, on connections as they were; `fast` one after the other. */
  readonly pace: 'original' | 'fast';
  /** Sends the header Host as it was recorded. */
  readonly keepHost: boolean;
  /** Members of answers that differ from run to run. */
  readonly volatile: ReadonlySet<string>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** The outcome of one exchange. */
export interface Replayed {
  readonly exchange: StoredExchange;
  readonly answer: ReplayedAnswer;
  readonly differences: readonly Difference[];
}

/** Longer than any wait that a rate limit asks for; a spent quota is not waited for. */
const RETRY_AFTER_MAX_S = 60;

/** Sends the exchanges to a server and reports each one, in the order in which they end. */
export async function replay(
  exchanges: readonly StoredExchange[],
  options: ReplayOptions,
  tell: (replayed: Replayed) => void,
): Promise<void> {
  const connections = new Map<number, Lane>();
  const startedAt = performance.now() - (exchanges[0]?.atMs ?? 0);
  try {
    for (const exchange of exchanges) {
      const lane = connections.get(exchange.connection) ?? new Lane(options);
      connections.set(exchange.connection, lane);
      await untilDue(exchange, startedAt, options);
      if (options.signal.aborted) break;
      const sent = lane.send(exchange).then(tell);
      if (options.pace === 'fast') await sent;
    }
    await Promise.all([...connections.values()].map((lane) => lane.idle()));
  } finally {
    for (const lane of connections.values()) lane.close();
  }
}

async function untilDue(
  { atMs }: StoredExchange,
  startedAt: number,
  { pace, signal }: ReplayOptions,
) {
  const restMs = startedAt + atMs - performance.now();
  if (pace === 'original' && restMs > 1)
    await wait(restMs, undefined, { signal }).catch(() => undefined);
}

/** One connection of the recording: its requests follow each other. */
class Lane {
  readonly #options: ReplayOptions;
  readonly #socket: ReplaySocket;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: ReplayOptions) {
    this.#options = options;
    this.#socket = new ReplaySocket(options.upstream, options.timeoutMs);
  }

  send(exchange: StoredExchange): Promise<Replayed> {
    const replayed = this.#last.then(() => this.#replay(exchange));
    this.#last = replayed;
    return replayed;
  }

  async idle(): Promise<void> {
    await this.#last;
  }

  close(): void {
    this.#socket.close();
  }

  async #replay(exchange: StoredExchange): Promise<Replayed> {
    const { restorer, volatile } = this.#options;
    const recorded = exchange.response ? restorer.restore(exchange.response) : undefined;
    const request = this.#request(restorer.restore(exchange.request));
    const limited = recorded !== undefined && statusOf(recorded.head) === 429;
    const answer = await this.#send(request, limited);
    return { exchange, answer, differences: differencesOf(recorded, answer, volatile) };
  }

  #request({ head, body }: WireMessage): WireMessage {
    const { upstream, keepHost } = this.#options;
    const there = withTarget(head, (target) => upstream.basePath + target);
    // As when it was recorded: a compressed answer cannot be compared.
    const plain = withHeader(there, 'accept-encoding', 'identity');
    return { head: keepHost ? plain : withHeader(plain, 'host', upstream.hostHeader), body };
  }

  /** A refusal by the rate limit takes no use: where the recording has none, the replay was too fast. */
  async #send(request: WireMessage, isLimitExpected: boolean): Promise<ReplayedAnswer> {
    for (;;) {
      const answer = await this.#socket.send(request);
      if (isLimitExpected || 'failure' in answer || statusOf(answer.head) !== 429) return answer;
      const seconds = Number(headerOf(answer.head, 'retry-after'));
      if (!(seconds > 0) || seconds > RETRY_AFTER_MAX_S) return answer;
      const { signal } = this.#options;
      await wait(seconds * 1000, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return answer;
    }
  }
}

/** No answer of this service is as long, with all that comes before it. */
const ANSWER_BYTES_MAX = 1024 * 1024;
/** An idle connection is not used again after this: the server may be about to close it. */
const REUSE_MS = 4000;

/** One connection of a recording, opened again: one request at a time, kept open as long as the server keeps it. */
class ReplaySocket {
  readonly #upstream: Upstream;
  readonly #timeoutMs: number;
  #socket: Socket | undefined;
  /** The request could go out: over TLS, the handshake is done. */
  #isOpen = false;
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
    const fail = (error: Error) => resolve({ failure: this.#upstream.explain(error) });
    const reader = new MessageReader(
      'response',
      {
        head: (head) => {
          // Interim responses (status 1xx) do not count as answers.
          response.head = head;
          const status = statusOf(head);
          const fault = status === 101 ? switchedProtocol() : faultOfHead(head);
          if (fault) fail(fault);
          return responseFraming(head, status, method);
        },
        body: (bytes) => response.add(bytes),
        end: () => {
          if (isInterim(statusOf(response.head))) return;
          resolve({ head: response.head, body: response.body });
        },
        unreadable: (bytes) => fail(faultOfBytes(response.head, bytes)),
      },
      'strict',
    );
    listen(socket, reader, fail);
    // From the beginning to the end, whatever arrives meanwhile: interim responses may never end.
    const late = setTimeout(() => fail(this.#isOpen ? tooLate() : notConnected()), this.#timeoutMs);
    socket.write(Buffer.from(request.head, 'latin1'));
    if (request.body.length > 0) socket.write(request.body);
    const answer = await promise;
    clearTimeout(late);
    this.#settle(socket, answer);
    return answer;
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #open(): Socket {
    this.#isOpen = false;
    const socket = this.#upstream.connect(() => {
      this.#isOpen = true;
    });
    socket.on('close', () => {
      if (this.#socket === socket) this.#socket = undefined;
    });
    return socket;
  }

  #settle(socket: Socket, answer: ReplayedAnswer): void {
    for (const event of ['data', 'end', 'error']) socket.removeAllListeners(event);
    socket.on('error', () => undefined);
    socket.on('end', () => socket.destroy());
    this.#usedAtMs = performance.now();
    if ('failure' in answer || !isKept(answer.head)) this.close();
  }
}

function listen(socket: Socket, reader: MessageReader, fail: (error: Error) => void): void {
  let arrived = 0;
  socket.on('data', (bytes: Buffer) => {
    arrived += bytes.length;
    if (arrived > ANSWER_BYTES_MAX) fail(endless());
    else reader.push(bytes);
  });
  socket.on('end', () => {
    reader.finish();
    fail(cutOff());
  });
  socket.on('close', () => fail(cutOff()));
  socket.on('error', fail);
}

function isKept(head: string): boolean {
  const isFramed = headerOf(head, 'content-length') !== undefined || isChunked(head);
  return isFramed && staysOpen(head);
}
