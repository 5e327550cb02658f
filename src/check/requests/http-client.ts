import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { TransportFailure } from '../judging/deviation.ts';
import { Connection, dial, type HttpClientOptions } from './connection.ts';
import { type Answer, mayTakeUse, type RequestSpec } from './exchange.ts';

const ACCEPT_MS = 20;
const END_MS = 3;

/** What a request can be sent over. */
export interface Sender {
  /** @throws TransportFailure when no complete answer came */
  send(spec: RequestSpec): Promise<Answer>;
}

/** A plain HTTP client: follows no redirect, reads at most 256 KiB of a body, gives up in time, and repeats only what never arrived. */
export class HttpClient implements Sender {
  readonly #options: HttpClientOptions;
  readonly #idle: KeepAliveConnection[] = [];

  constructor(options: HttpClientOptions) {
    this.#options = options;
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
    return new KeepAliveConnection(this.#options);
  }

  /** Open connections, for requests that must leave at the same instant. */
  async connectMany(count: number): Promise<Connection[]> {
    const tries = await Promise.allSettled(Array.from({ length: count }, () => this.connect()));
    const connections = tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const failed = tries.find((one) => one.status === 'rejected');
    if (!failed) {
      await accepted(count);
      return connections;
    }
    for (const connection of connections) connection.close();
    throw failed.reason;
  }

  /** Opens one connection. @throws TransportFailure */
  async connect(): Promise<Connection> {
    return new Connection(await dial(this.#options), this.#options);
  }

  close(): void {
    for (const line of this.#idle) line.close();
  }
}

/**
 * Requests one after the other, over one connection as long as the server keeps it open. A request that finds it closed
 * never arrived: it is sent once more over another, but for one that may take a use.
 */
export class KeepAliveConnection implements Sender {
  readonly #options: HttpClientOptions;
  #connection: Connection | undefined;

  constructor(options: HttpClientOptions) {
    this.#options = options;
  }

  async send(spec: RequestSpec): Promise<Answer> {
    // the end of a connection may be under way: after it, nothing must be sent that may take a use
    if (this.#connection?.isOpen && mayTakeUse(spec)) await sleep(END_MS);
    if (this.#connection?.isOpen) {
      try {
        return await this.#connection.send(spec);
      } catch (error) {
        const isStale = error instanceof TransportFailure && error.kind === 'reset';
        if (!isStale || mayTakeUse(spec)) throw error;
      }
    }
    this.#connection = new Connection(await dial(this.#options), this.#options);
    return this.#connection.send(spec);
  }

  close(): void {
    this.#connection?.close();
  }
}

/**
 * Resolves when the other side has accepted these connections: it does so a moment after they are open on this side, one
 * after the other, and requests that leave before are answered one by one. A server in this process needs turns of its own.
 */
async function accepted(count: number): Promise<void> {
  await sleep(ACCEPT_MS);
  for (let turns = 0; turns < 2 * count; turns += 1) await turn();
}
