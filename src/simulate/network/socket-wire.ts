import type { Time } from '../time.ts';
import type { Pace, Receiver, Wire, WireAnswer, WireRequest } from '../wire.ts';
import { Connection, type ConnectionOwner } from './connection.ts';
import type { Endpoint } from './endpoint.ts';

/** An answer that has not come by then is waited for no longer: even a late one is of no interest any more. */
const FORGET_AFTER_MS = 60_000;
const SLOW_PIECES = 10;

/** One device's real connections: kept alive, and a second one while the first still waits for an answer. */
export class SocketWire implements Wire, ConnectionOwner {
  readonly #endpoint: Endpoint;
  readonly #time: Time;
  #idle: Connection | undefined;
  /** The connection that took a request last, while that is unanswered. */
  #current: Connection | undefined;
  #currentSinceMs = 0;
  /** Further ones that are still unanswered and since when. Undefined while there is none, to keep devices small. */
  #waiting: Map<Connection, number> | undefined;

  constructor(endpoint: Endpoint, time: Time) {
    this.#endpoint = endpoint;
    this.#time = time;
  }

  send(request: WireRequest, receiver: Receiver, pace?: Pace): void {
    const bytes = Buffer.byteLength(request.body);
    const text = this.#endpoint.requestText(request, bytes);
    const connection = this.#take();
    if (!pace) connection.send(text, receiver, bytes === request.body.length);
    else if (pace.kind === 'slow') this.#sendSlowly(connection, text, receiver, pace.durationMs);
    else this.#sendAndDrop(connection, text, receiver, pace);
  }

  close(): void {
    this.#idle?.destroy();
    this.#current?.destroy();
    for (const connection of this.#waiting?.keys() ?? []) connection.destroy();
  }

  #take(): Connection {
    const nowMs = performance.now();
    this.#forgetOld(nowMs);
    let connection = this.#idle;
    this.#idle = undefined;
    if (connection && !connection.isReusable(nowMs)) {
      connection.destroy();
      connection = undefined;
    }
    connection ??= new Connection(this.#endpoint, this);
    if (this.#current) {
      this.#waiting ??= new Map();
      this.#waiting.set(this.#current, this.#currentSinceMs);
    }
    this.#current = connection;
    this.#currentSinceMs = nowMs;
    return connection;
  }

  connectionIdle(connection: Connection): void {
    this.#forget(connection);
    if (this.#idle) connection.destroy();
    else this.#idle = connection;
  }

  connectionOver(connection: Connection): void {
    if (this.#idle === connection) this.#idle = undefined;
    this.#forget(connection);
  }

  #forget(connection: Connection): void {
    if (this.#current === connection) this.#current = undefined;
    else if (this.#waiting?.delete(connection) && this.#waiting.size === 0) {
      this.#waiting = undefined;
    }
  }

  #forgetOld(nowMs: number): void {
    for (const [connection, sentAtMs] of this.#waiting ?? []) {
      if (nowMs - sentAtMs < FORGET_AFTER_MS) return;
      connection.destroy();
    }
  }

  /** Such a connection cannot be used for another request, whatever the server makes of this one. */
  #sendAndDrop(
    connection: Connection,
    text: string,
    receiver: Receiver,
    { kind, durationMs }: Pace,
  ): void {
    const drop = (): void => (kind === 'reset' ? connection.reset() : connection.destroy());
    const answered = (answer: WireAnswer): void => {
      drop();
      receiver.answered(answer);
    };
    const sent = kind === 'half' ? text.slice(0, text.length >> 1) : text;
    connection.send(sent, { answered, failed: (failure) => receiver.failed(failure) });
    this.#time.after(durationMs, drop);
  }

  #sendSlowly(connection: Connection, text: string, receiver: Receiver, durationMs: number): void {
    const headEnd = text.indexOf('\r\n\r\n') + 4;
    connection.send(text.slice(0, headEnd), receiver);
    const body = Buffer.from(text.slice(headEnd));
    const size = Math.ceil(body.length / SLOW_PIECES);
    for (let piece = 0; piece < SLOW_PIECES; piece += 1) {
      const bytes = body.subarray(piece * size, (piece + 1) * size);
      this.#time.after(((piece + 1) * durationMs) / SLOW_PIECES, () => {
        if (!connection.socket.destroyed) connection.socket.write(bytes);
      });
    }
  }
}
