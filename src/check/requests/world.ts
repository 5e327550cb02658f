import type { Answer, RequestSpec } from '../facts/exchange.ts';
import type { Clock } from '../time/clock.ts';

/** Where a service is, and how long it is waited for. */
export interface HttpClientOptions {
  readonly baseUrl: URL;
  /** For opening a connection, and time limit for one complete request: from the first byte sent to the last received. */
  readonly timeoutMs: number;
  /** PEM certificates to trust besides the system's. */
  readonly ca?: string | undefined;
  /** Accepts any certificate: for test servers only. */
  readonly insecureTls?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What a request can be sent over. */
export interface Sender {
  /** @throws TransportFailure when no complete answer came */
  send(spec: RequestSpec): Promise<Answer>;
}

/** One HTTP/1.1 connection. Requests may be sent before earlier ones are answered; answers come in their order. */
export interface Line extends Sender {
  /** False once it was closed. */
  readonly isOpen: boolean;
  /** True when it carried a request before. */
  readonly wasUsed: boolean;
  close(): void;
}

/** Everything outside of a run that it depends on: the time, and the connections to a service. */
export interface World extends Clock {
  /** Opens one connection. @throws TransportFailure */
  connect(options: HttpClientOptions): Promise<Line>;
  /** Waits until the other side has accepted this number of connections. Then requests can leave over all of them at one moment. */
  accepted(count: number): Promise<void>;
}
