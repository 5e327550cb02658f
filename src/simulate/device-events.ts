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
  /** The time from the post to its outcome, milliseconds. */
  readonly latencyMs: number;
  /** True when the door opened, be it on a grant or because the device is fail-safe. */
  readonly opened: boolean;
  /** HTTP status; undefined when no answer came. */
  readonly status: number | undefined;
  readonly name: string;
  readonly note: string;
  /** True when no connection came about, so that the server cannot have decided anything. */
  readonly unreachable: boolean;
  /** What happened in an error, for people. */
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

interface Answered {
  readonly card: string;
  readonly latencyMs: number;
  readonly status: number;
  readonly name: string;
  readonly note: string;
}

interface Unanswered {
  readonly card: string;
  readonly latencyMs: number;
  readonly door: 'open' | 'closed';
}

interface Told {
  readonly ok: boolean;
  readonly status?: number;
  readonly message?: string;
}

type Nothing = Readonly<Record<never, never>>;

/** What each event says beside its name, its time and its device. */
interface Facts {
  readonly 'power-on': Nothing;
  readonly 'power-off': Nothing;
  readonly online: Nothing;
  readonly offline: Nothing;
  readonly 'network-cut': Nothing;
  readonly 'network-restored': Nothing;
  readonly read: { readonly card: string };
  readonly ignored: { readonly card: string; readonly why: 'off' | 'busy' | 'repeat' };
  readonly post: {
    readonly card: string;
    readonly operation: Operation;
    readonly index: number;
    readonly fault?: FaultKind;
  };
  readonly granted: Answered;
  readonly denied: Answered;
  readonly timeout: Unanswered;
  readonly error: Unanswered & { readonly message: string; readonly unreachable: boolean };
  /** `usesSpent`: uses of the ticket that the server registered while no door opened for them. */
  readonly unseen: {
    readonly card: string;
    readonly why: UnseenReason;
    readonly granted: boolean;
    readonly usesSpent: number;
  };
  readonly 'door-open': { readonly relay: string; readonly seconds: number };
  readonly 'door-closed': Nothing;
  readonly passed: Nothing;
  readonly 'turned-back': Nothing;
  readonly heartbeat: Told & { readonly latencyMs: number; readonly unreachable?: boolean };
  /** The device reported whether the person passed. */
  readonly passage: Told & { readonly turnedBack: boolean };
  readonly deviation: { readonly what: string };
}

/** An event as the device emits it; time and place are added. */
export type EventFacts = {
  [Name in keyof Facts]: { readonly event: Name } & Facts[Name];
}[keyof Facts];

/** What happens at a device, in the order in which it happens: milliseconds since the run began, and the serial. */
export type DeviceEvent = EventFacts & { readonly t: number; readonly device: string };

/** Called for everything that a device does, in order. */
export type DeviceListener = (event: DeviceEvent) => void;

/** Times in events are rounded to a tenth of a millisecond, the precision of such a clock. */
export function tenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}
