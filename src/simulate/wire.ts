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
  /** Of a device that is described in a file; without it the Card URL or the Heart URL. */
  readonly route?: WireRoute;
}

/** Where a request goes below the address with the key. */
export interface WireRoute {
  readonly method: string;
  readonly path: string;
  /** Without a question mark; empty for none. */
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
  /** For people: what happened and what to look at. */
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
export const WIRE_FAULTS = [
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
  /** For `late-answer` how long the answer is held back, for `slow-body` how long sending takes; milliseconds. */
  readonly durationMs: number;
}

/** One device's way to the server. */
export interface Transport {
  send(request: WireRequest, receiver: Receiver, fault?: WireFault): void;
  /** Drops the connections, as a power cut does. The transport can be used again afterwards. */
  close(): void;
}
