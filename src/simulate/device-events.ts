import type { FaultKind, Operation } from './wire.ts';

/** Why an answer of the server did not get through to the device. */
export type UnseenReason = 'late-answer' | 'network-cut' | 'power-cycle' | FaultKind;

/** A card as it is held in front of a reader. `label` stands for it in events: a code is as good as a ticket. */
export interface Card {
  readonly code: string;
  readonly label: string;
}

/** How one presentation of a card ended for the device. */
export interface ScanOutcome {
  readonly result: 'granted' | 'denied' | 'timeout' | 'error';
  /** From the post to its outcome, milliseconds. */
  readonly latencyMs: number;
  /** True when the door opened, be it on a grant or because the device is fail-safe. */
  readonly opened: boolean;
  /** HTTP status; undefined when no answer came. */
  readonly status: number | undefined;
  readonly name: string;
  readonly note: string;
  /** True when no connection came about, so that the server cannot have decided anything. */
  readonly unreachable: boolean;
  /** For an error: what happened, for people. */
  readonly message: string | undefined;
}

/** A card in front of a reader, what is to go wrong with it, and who wants to know. */
export interface Presentation {
  readonly card: Card;
  readonly fault?: FaultKind | undefined;
  /** Called once, unless the card was ignored or the power went. */
  readonly done?: ((outcome: ScanOutcome) => void) | undefined;
  /** Called for each answer that the server gave and the device never got. */
  readonly unseen?: ((usesSpent: number, why: UnseenReason) => void) | undefined;
}

interface Common {
  /** Milliseconds since the run began. */
  readonly t: number;
  /** The device's serial. */
  readonly device: string;
}

type Plain =
  | 'power-on'
  | 'power-off'
  | 'online'
  | 'offline'
  | 'network-cut'
  | 'network-restored'
  | 'passed'
  | 'turned-back'
  | 'door-closed';

/** What happens at a device, in the order in which it happens. One JSON object a line where it is printed. */
export type DeviceEvent =
  | ({ readonly event: Plain } & Common)
  | ({ readonly event: 'read'; readonly card: string } & Common)
  | ({
      readonly event: 'ignored';
      readonly card: string;
      readonly why: 'off' | 'busy' | 'repeat';
    } & Common)
  | ({
      readonly event: 'post';
      readonly card: string;
      readonly operation: Operation;
      readonly index: number;
      readonly fault?: FaultKind;
    } & Common)
  | ({ readonly event: 'granted' | 'denied'; readonly card: string } & AnswerFacts & Common)
  | ({
      readonly event: 'timeout';
      readonly card: string;
      readonly latencyMs: number;
      readonly door: 'open' | 'closed';
    } & Common)
  | ({
      readonly event: 'error';
      readonly card: string;
      readonly latencyMs: number;
      readonly door: 'open' | 'closed';
      readonly message: string;
      readonly unreachable: boolean;
    } & Common)
  | ({
      readonly event: 'unseen';
      readonly card: string;
      readonly why: UnseenReason;
      readonly granted: boolean;
      /** Uses of the ticket that the server registered while no door opened for them. */
      readonly usesSpent: number;
    } & Common)
  | ({ readonly event: 'door-open'; readonly relay: string; readonly seconds: number } & Common)
  | ({
      readonly event: 'heartbeat';
      readonly ok: boolean;
      readonly latencyMs: number;
      readonly status?: number;
      readonly message?: string;
      readonly unreachable?: boolean;
    } & Common)
  | ({
      /** The device reported whether the person passed. */
      readonly event: 'passage';
      readonly turnedBack: boolean;
      readonly ok: boolean;
      readonly status?: number;
      readonly message?: string;
    } & Common)
  | ({ readonly event: 'deviation'; readonly what: string } & Common);

interface AnswerFacts {
  readonly latencyMs: number;
  readonly status: number;
  readonly name: string;
  readonly note: string;
}

/** An event as the device emits it; time and place are added. */
export type EventFacts = WithoutPlace<DeviceEvent>;
type WithoutPlace<T> = T extends unknown ? Omit<T, 't' | 'device'> : never;

/** Called for everything that a device does, in order. */
export type DeviceListener = (event: DeviceEvent) => void;

/** Times in events are rounded to a tenth of a millisecond, the precision of such a clock. */
export function tenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}
