import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { messageOf, TicketscanError } from '../../core/errors.ts';
import { openSockets } from '../../kit/connections.ts';
import { inSentences, listenFailure } from '../../kit/failures.ts';
import { keepFirstBytes, tlsFacts } from '../../kit/first-bytes.ts';
import { CONNECTION_REFUSALS, connectionRefusal } from '../../kit/refused-connections.ts';
import { SERVED_TLS } from '../../kit/served-tls.ts';
import { ProxiedConnection, type RawExchange } from './proxied-connection.ts';
import type { Upstream } from './upstream.ts';

export interface ProxyOptions {
  readonly host: string;
  /** 0 picks any free port. */
  readonly port: number;
  /** PEM texts; undefined speaks plain HTTP to clients. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  readonly upstream: Upstream;
  /** Called for each exchange when it is over, with every secret still in it. */
  readonly finished: (exchange: RawExchange) => void;
  readonly warn: (text: string) => void;
}

/** Exchanges under way get so long to end by themselves when the recording stops. */
const GRACE_MS = 2000;

/** A proxy between clients and a service that reports every exchange. It forwards bytes: an HTTP library would repair bad requests. */
export class RecordingProxy {
  readonly #options: ProxyOptions;
  readonly #server: Server;
  readonly #sockets: ReadonlySet<Socket>;
  readonly #connections = new Set<ProxiedConnection>();
  readonly #startedAt = performance.now();
  #accepted = 0;
  #numbers = 0;
  #open = 0;

  private constructor(options: ProxyOptions) {
    this.#options = options;
    const accept = (socket: Socket) => this.#accept(socket);
    const half = { allowHalfOpen: true, noDelay: true };
    if (options.tls) {
      const secure = createTlsServer({ ...SERVED_TLS, ...options.tls, ...half }, accept);
      keepFirstBytes(secure);
      secure.on('tlsClientError', (error: Error, socket: Socket) => {
        options.warn(whyNoTls(error, socket));
        socket.destroy();
      });
      this.#server = secure;
    } else this.#server = createServer(half, accept);
    this.#sockets = openSockets(this.#server);
  }

  /** Resolves when it listens. @throws TicketscanError `usage` when the port cannot be had */
  static async listen(options: ProxyOptions): Promise<RecordingProxy> {
    const { host, port } = options;
    const proxy = new RecordingProxy(options);
    try {
      proxy.#server.listen({ host, port });
      await once(proxy.#server, 'listening');
    } catch (error) {
      throw new TicketscanError('usage', inSentences(listenFailure(error, host, port)));
    }
    proxy.#server.on('error', (error) => options.warn(messageOf(error)));
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Accepts no more connections, finishes pending exchanges, and closes. All exchanges are reported before it resolves. */
  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    const deadline = performance.now() + GRACE_MS;
    while (this.#open > 0 && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    for (const connection of this.#connections) connection.close('the recording was stopped');
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #accept(socket: Socket): void {
    this.#accepted += 1;
    const { upstream, finished, warn } = this.#options;
    const connection = new ProxiedConnection(this.#accepted, socket, {
      upstream,
      warn,
      nowMs: () => performance.now() - this.#startedAt,
      nextNumber: () => {
        this.#open += 1;
        this.#numbers += 1;
        return this.#numbers;
      },
      finished: (exchange) => {
        this.#open -= 1;
        finished(exchange);
      },
    });
    this.#connections.add(connection);
    socket.once('close', () => this.#connections.delete(connection));
  }
}

/** Says what a client sent or lacks, as `serve` does. */
function whyNoTls(error: Error, socket: Socket): string {
  const facts = { head: '', isInBody: false, ...tlsFacts(socket) };
  const reason = connectionRefusal(error, facts);
  if (!reason) return `A client's TLS handshake failed: ${messageOf(error)}.`;
  const { what, advice } = CONNECTION_REFUSALS[reason];
  return `A client's TLS handshake failed: ${what}. ${advice}`;
}
