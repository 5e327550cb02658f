import { setTimeout as wait } from 'node:timers/promises';
import { headerOf, statusOf, withHeader, withTarget } from '../../kit/http1.ts';
import type { Upstream } from '../proxy/upstream.ts';
import type { StoredExchange } from '../recording.ts';
import { type Difference, differencesOf } from './differences.ts';
import { type ReplayedAnswer, ReplaySocket } from './replay-socket.ts';
import type { Restorer, WireMessage } from './restore.ts';

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
    return { head: keepHost ? there : withHeader(there, 'host', upstream.hostHeader), body };
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
