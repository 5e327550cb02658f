import type { Time } from './time.ts';

/** What a device asks of the server; each has its own URL (section 4). */
export type Operation = 'consume' | 'validate' | 'heartbeat';

/** One request as the device means it. The transport knows the address and the API key. */
export interface WireRequest {
  /** `passage` is the report that a person passed, or nobody: only devices of files send it, with a route. */
  readonly operation: Operation | 'passage';
  readonly contentType: string;
  readonly body: string;
  /** What the reader read from the card, for people; the body has it in the form of the device. */
  readonly code?: string;
  /** The route of a device that is described in a file; without it the Card URL or the Heart URL. */
  readonly route?: WireRoute;
}

/** Where a request goes below the address with the key. */
export interface WireRoute {
  readonly method: string;
  readonly path: string;
  /** The query without a question mark; empty for none. */
  readonly query: string;
}

/** An answer as a device reads it from the wire. */
export interface WireAnswer {
  readonly status: number;
  readonly body: string;
}

/** `unreachable`: no connection came about. `broken`: there was one, but no answer came of it. */
export interface WireFailure {
  readonly kind: 'unreachable' | 'broken';
  /** What happened and what to look at, for people. */
  readonly message: string;
}

/** Receives the outcome of a request. At most one of `answered` and `failed` is called, once. */
export interface Receiver {
  answered(answer: WireAnswer): void;
  failed(failure: WireFailure): void;
  /** The server answered, but that answer does not get through to the device. */
  unseen(answer: WireAnswer): void;
}

/** Things that go wrong between the device and the server. */
const WIRE_FAULTS = [
  'lost-answer',
  'late-answer',
  'reset',
  'slow-body',
  'half-request',
  'duplicate-post',
] as const;
export type WireFaultKind = (typeof WIRE_FAULTS)[number];

/** Why no whole answer came. */
export interface WireFault {
  readonly kind: WireFaultKind;
  /** How long the answer is held back by `late-answer`, or sending takes with `slow-body`; milliseconds. */
  readonly durationMs: number;
}

/** Everything that can be made to go wrong with one presentation of a card. */
export const FAULT_KINDS = [
  ...WIRE_FAULTS,
  'double-presentation',
  'bad-base64',
  'wrong-clock',
  'wrong-content-type',
  'power-cycle',
] as const;
/** A fault that the network or the device can be given, such as `power-cycle`. */
export type FaultKind = (typeof FAULT_KINDS)[number];

export function isFaultKind(text: string): text is FaultKind {
  return (FAULT_KINDS as readonly string[]).includes(text);
}

export function isWireFault(kind: FaultKind): kind is WireFaultKind {
  return (WIRE_FAULTS as readonly string[]).includes(kind);
}

/** One device's way to the server. */
export interface Transport {
  send(request: WireRequest, receiver: Receiver, fault?: WireFault): void;
  /** Drops the connections, as a power cut does. The transport can be used again afterwards. */
  close(): void;
}

/** How the bytes of a request leave: over some time, half of them, or whole and then the connection is reset. */
export interface Pace {
  readonly kind: 'slow' | 'half' | 'reset';
  readonly durationMs: number;
}

/** What carries requests, and knows no faults but in how bytes leave. */
export interface Wire {
  send(request: WireRequest, receiver: Receiver, pace?: Pace): void;
  close(): void;
}

/** Time for the request to reach the server before the connection is reset. */
const RESET_AFTER_MS = 20;

/** The same wire, on which faults can be injected. */
export function faulty(wire: Wire, time: Time): Transport {
  return {
    close: () => wire.close(),
    send(request, receiver, fault) {
      const failed = (failure: WireFailure): void => receiver.failed(failure);
      const unseen = (answer: WireAnswer): void => receiver.unseen(answer);
      const { kind, durationMs = 0 } = fault ?? {};
      const late = (answer: WireAnswer): void =>
        void time.after(durationMs, () => receiver.answered(answer));
      switch (kind) {
        case 'lost-answer':
          return wire.send(request, { answered: unseen, failed, unseen });
        case 'late-answer':
          return wire.send(request, { answered: late, failed, unseen });
        case 'duplicate-post':
          wire.send(request, receiver);
          return wire.send(request, { answered: unseen, failed, unseen });
        case 'reset':
          return sendAndReset(wire, request, receiver, time);
        case 'slow-body':
          return wire.send(request, receiver, { kind: 'slow', durationMs });
        case 'half-request':
          return wire.send(request, receiver, { kind: 'half', durationMs });
        default:
          return wire.send(request, receiver);
      }
    },
  };
}

/** An answer that was quicker than the reset is known here, but the device never sees it. */
function sendAndReset(wire: Wire, request: WireRequest, receiver: Receiver, time: Time): void {
  let over = false;
  const reset = (): void => {
    if (!over) receiver.failed({ kind: 'broken', message: 'the device reset the connection' });
    over = true;
  };
  const answered = (answer: WireAnswer): void => {
    if (!over) receiver.unseen(answer);
    reset();
  };
  const failed = (failure: WireFailure): void => {
    if (!over) receiver.failed(failure);
    over = true;
  };
  wire.send(
    request,
    { answered, failed, unseen: answered },
    { kind: 'reset', durationMs: RESET_AFTER_MS },
  );
  time.after(RESET_AFTER_MS, reset);
}
