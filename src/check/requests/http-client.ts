import { type Answer, mayTakeUse, type RequestSpec } from '../facts/exchange.ts';
import { TransportFailure } from '../facts/failures.ts';
import type { HttpClientOptions, Line, Sender, World } from './world.ts';

const END_MS = 3;

/** A plain HTTP client: follows no redirect, reads at most 256 KiB of a body, gives up in time, and repeats only what never arrived. */
export class HttpClient implements Sender {
  readonly #options: HttpClientOptions;
  readonly #world: World;
  readonly #idle: KeepAliveConnection[] = [];

  constructor(options: HttpClientOptions, world: World) {
    this.#options = options;
    this.#world = world;
  }

  /** Sends one request. What may take a use goes over a connection of its own, anything else over one that is kept alive. */
  async send(spec: RequestSpec): Promise<Answer> {
    if (mayTakeUse(spec)) return this.#sendAlone(spec);
    const line = this.#idle.pop() ?? this.openKeptAlive();
    try {
      return await line.send(spec);
    } finally {
      this.#idle.push(line);
    }
  }

  async #sendAlone(spec: RequestSpec): Promise<Answer> {
    const connection = await this.connect();
    try {
      return await connection.send(spec);
    } finally {
      connection.close();
    }
  }

  openKeptAlive(): KeepAliveConnection {
    return new KeepAliveConnection(this.#options, this.#world);
  }

  /** Open connections, for requests that must leave at the same instant. */
  async connectMany(count: number): Promise<Line[]> {
    const tries = await Promise.allSettled(Array.from({ length: count }, () => this.connect()));
    const connections = tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const failed = tries.find((one) => one.status === 'rejected');
    if (!failed) {
      await this.#world.accepted(count);
      return connections;
    }
    for (const connection of connections) connection.close();
    throw failed.reason;
  }

  /** Opens one connection. @throws TransportFailure */
  connect(): Promise<Line> {
    return this.#world.connect(this.#options);
  }

  close(): void {
    for (const line of this.#idle) line.close();
  }
}

/** Requests were answered over this connection: a server that closes it then loses no answer, and need not say so before. */
function closedAtThisMoment(cause: TransportFailure): TransportFailure {
  return new TransportFailure(
    'reset',
    'the server closed a connection at the moment at which a request that may take a use was sent over it; the answers before it were whole',
    {
      cause,
      advice: 'Let the server say "Connection: close" in the answer after which it closes.',
    },
  );
}

/**
 * Requests one after the other, over one connection as long as the server keeps it open. A request that finds it closed
 * never arrived: it is sent once more over another, but for one that may take a use.
 */
export class KeepAliveConnection implements Sender {
  readonly #options: HttpClientOptions;
  readonly #world: World;
  #connection: Line | undefined;

  constructor(options: HttpClientOptions, world: World) {
    this.#options = options;
    this.#world = world;
  }

  async send(spec: RequestSpec): Promise<Answer> {
    // the end of a connection may be under way: after it, nothing must be sent that may take a use
    if (this.#connection?.isOpen && mayTakeUse(spec)) await this.#world.sleep(END_MS);
    if (this.#connection?.isOpen) {
      try {
        return await this.#connection.send(spec);
      } catch (error) {
        const isStale = error instanceof TransportFailure && error.kind === 'reset';
        if (!isStale) throw error;
        if (mayTakeUse(spec)) throw closedAtThisMoment(error);
      }
    }
    this.#connection = await this.#world.connect(this.#options);
    return this.#connection.send(spec);
  }

  close(): void {
    this.#connection?.close();
  }
}
