import type { Time } from '../time.ts';
import type { Receiver, Transport, WireAnswer, WireFault, WireRequest } from '../wire.ts';
import { Connection, type ConnectionOwner, type Exchange } from './connection.ts';
import type { Endpoint } from './endpoint.ts';

/** An answer that has not come by then is waited for no longer: even a late one is of no interest any more. */
const FORGET_AFTER_MS = 60_000;
const SLOW_PIECES = 10;
/** Time for the request to reach the server before the connection is reset. */
const RESET_AFTER_MS = 20;

/** One device's real connections: kept alive, and a second one while the first still waits for an answer. */
export class SocketTransport implements Transport, ConnectionOwner {
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

  send(request: WireRequest, receiver: Receiver, fault?: WireFault): void {
    const bytes = Buffer.byteLength(request.body);
    const text = this.#endpoint.requestText(request, bytes);
    if (!fault) {
      this.#take().send(text, receiver, bytes === request.body.length);
      return;
    }
    const { durationMs } = fault;
    switch (fault.kind) {
      case 'lost-answer':
        this.#take().send(
          text,
          withAnswer(receiver, (answer) => receiver.unseen(answer)),
        );
        return;
      case 'late-answer':
        this.#take().send(
          text,
          withAnswer(receiver, (answer) => {
            this.#time.after(durationMs, () => receiver.answered(answer));
          }),
        );
        return;
      case 'duplicate-post':
        this.#take().send(text, receiver);
        this.#take().send(
          text,
          withAnswer(receiver, (answer) => receiver.unseen(answer)),
        );
        return;
      case 'reset':
        this.#sendAndReset(text, receiver);
        return;
      case 'half-request':
        this.#sendHalf(text, receiver, durationMs);
        return;
      case 'slow-body':
        this.#sendSlowly(text, receiver, durationMs);
        return;
    }
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

  /** An answer that was quicker than the reset is known here, but the device never sees it. */
  #sendAndReset(text: string, receiver: Receiver): void {
    const connection = this.#take();
    let over = false;
    const reset = (): void => {
      if (over) return;
      over = true;
      connection.reset();
      receiver.failed({ kind: 'broken', message: 'the device reset the connection' });
    };
    const answered = (answer: WireAnswer): void => {
      receiver.unseen(answer);
      reset();
    };
    connection.send(text, withAnswer(receiver, answered));
    this.#time.after(RESET_AFTER_MS, reset);
  }

  /** A connection with half a request on it cannot be used for another, whatever the server makes of it. */
  #sendHalf(text: string, receiver: Receiver, durationMs: number): void {
    const connection = this.#take();
    const answered = (answer: WireAnswer): void => {
      connection.destroy();
      receiver.answered(answer);
    };
    connection.send(text.slice(0, text.length >> 1), withAnswer(receiver, answered));
    this.#time.after(durationMs, () => connection.destroy());
  }

  #sendSlowly(text: string, receiver: Receiver, durationMs: number): void {
    const connection = this.#take();
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

function withAnswer(receiver: Receiver, answered: Exchange['answered']): Exchange {
  return { answered, failed: (failure) => receiver.failed(failure) };
}
