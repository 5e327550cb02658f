import type { Time } from '../time.ts';
import type {
  Receiver,
  Transport,
  WireAnswer,
  WireFailure,
  WireFault,
  WireRequest,
} from '../wire.ts';

const GONE: WireFailure = { kind: 'unreachable', message: 'the service at virtual: is stopped' };
const BROKEN: WireFailure = { kind: 'broken', message: 'the connection was lost' };
const RESET: WireFailure = { kind: 'broken', message: 'the device reset the connection' };
const REFUSED_AFTER_MS = 0.5;
const RESET_AFTER_MS = 20;

/** What the transport needs of the service. */
export interface StandInHost {
  readonly time: Time;
  readonly up: boolean;
  /** Changes at every stop: earlier requests are lost. */
  readonly generation: number;
  /** When a request that is sent now is looked at, milliseconds from now. */
  delayMs(): number;
  handle(request: WireRequest): WireAnswer;
}

/** A device's way to the stand-in service: no sockets, but the same faults as on real ones. */
export class StandInTransport implements Transport {
  readonly #server: StandInHost;
  #connection = 0;

  constructor(server: StandInHost) {
    this.#server = server;
  }

  close(): void {
    this.#connection += 1;
  }

  send(request: WireRequest, receiver: Receiver, fault?: WireFault): void {
    const { time } = this.#server;
    switch (fault?.kind) {
      case undefined:
        this.#exchange(request, receiver, (answer) => receiver.answered(answer));
        return;
      case 'lost-answer':
        this.#exchange(request, receiver, (answer) => receiver.unseen(answer));
        return;
      case 'late-answer':
        this.#exchange(request, receiver, (answer) => {
          time.after(fault.durationMs, () => receiver.answered(answer));
        });
        return;
      case 'duplicate-post':
        this.#exchange(request, receiver, (answer) => receiver.answered(answer));
        this.#exchange(request, receiver, (answer) => receiver.unseen(answer));
        return;
      case 'reset':
        this.#sendAndReset(request, receiver);
        return;
      case 'slow-body':
        time.after(fault.durationMs, () => this.send(request, receiver));
        return;
      case 'half-request':
        // The server waits for the rest, and the device for an answer.
        return;
    }
  }

  /** An answer that was quicker than the reset is known here, but the device never sees it. */
  #sendAndReset(request: WireRequest, receiver: Receiver): void {
    let over = false;
    const reset = (): void => {
      if (!over) receiver.failed(RESET);
      over = true;
    };
    this.#exchange(request, receiver, (answer) => {
      if (over) return;
      receiver.unseen(answer);
      reset();
    });
    this.#server.time.after(RESET_AFTER_MS, reset);
  }

  #exchange(request: WireRequest, receiver: Receiver, deliver: (answer: WireAnswer) => void): void {
    const { time } = this.#server;
    if (!this.#server.up) {
      time.after(REFUSED_AFTER_MS, () => receiver.failed(GONE));
      return;
    }
    const { generation } = this.#server;
    const connection = this.#connection;
    time.after(this.#server.delayMs(), () => {
      if (generation !== this.#server.generation) {
        receiver.failed(BROKEN);
        return;
      }
      const answer = this.#server.handle(request);
      if (connection === this.#connection) deliver(answer);
    });
  }
}
