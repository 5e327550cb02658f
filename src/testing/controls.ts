import type { GivenWindow, TicketKind } from '../core/ticket.ts';
import type { Explanation } from '../features/explain/explanation.ts';
import type { TARGET_KEYS, TARGET_TICKETS } from '../target-file/names.ts';
import type { VariationName } from './vary/variations.ts';

/** Sample data: every kind of key and tickets in every state, or keys and events alone. */
export type Seed = 'all-states' | 'keys-only';

/** The states in which sample tickets come; what each means is in docs/testing/testing.md. */
export type TicketState = (typeof TARGET_TICKETS)[number];

/** Which of the sample's keys is meant. */
export type KeyName = (typeof TARGET_KEYS)[number];

/** The device file of a key. */
export interface BoundDevice {
  /** Its `name`. */
  readonly file: string;
}

/** What sample the service starts with. */
export interface SeedOptions {
  readonly seed: Seed;
  /** 5 by default. */
  readonly ticketsPerState?: number | undefined;
  /** The limits of every key; the specification's by default. */
  readonly limits?:
    | {
        readonly ratePerSecond?: number | undefined;
        readonly burst?: number | undefined;
        readonly quotaPerMonth?: number | undefined;
      }
    | undefined;
  /** Device files by the key whose devices they describe, of the files that the service was started with. */
  readonly devices?: { readonly [Name in KeyName]?: BoundDevice | undefined } | undefined;
}

/** What a seed made. */
export interface Sample {
  readonly events: { readonly main: string; readonly other: string };
  /** Values of keys, ready to send. */
  readonly keys: Readonly<Record<KeyName, string>>;
  /** Ticket codes, ready to send. */
  readonly tickets: Readonly<Record<TicketState, readonly string[]>>;
}

/** A point in time: a `Date`, milliseconds since 1970 UTC, or ISO 8601. */
export type Time = Date | number | string;

/** A length of time: milliseconds, or text such as `2h`, `90s`, `1d 12h`, `250ms`. */
export type Duration = number | string;

/** What the clock of the service shows and whether it runs. */
export interface ClockState {
  /** What the service takes for the time, ISO 8601. */
  readonly now: string;
  /** True while it is stopped. */
  readonly frozen: boolean;
  /** How far it is ahead of the machine's clock, milliseconds. */
  readonly offsetMs: number;
}

/** A request to a scan path and what became of it. Keys and the signatures of tickets are not in it. */
export interface RecordedExchange {
  /** Counts up from 1 since the last reset. */
  readonly number: number;
  /** When it arrived, by the service's clock, ISO 8601. */
  readonly at: string;
  readonly endpoint: string;
  /** The key as the service knows it; null when it knows none of that value. */
  readonly key: { readonly id: string; readonly name: string } | null;
  readonly request: {
    readonly contentType: string | null;
    readonly idempotencyKey: string | null;
    /** Null when it was too long or no text. */
    readonly body: string | null;
  };
  /** Who asked, on the hardware endpoints. */
  readonly device: {
    readonly model: string;
    readonly serial: string | null;
    readonly reader: string | null;
  } | null;
  /** Read in the code, genuine or not; null when there is none. */
  readonly ticketId: string | null;
  /** What the service answered; null when it was kept from answering. A fault may have lost or changed it on the way. */
  readonly answer: { readonly status: number; readonly body: string } | null;
  /** Why, step by step; null when a fault kept the request from being decided. */
  readonly explanation: Explanation | null;
  /** What was done to it on purpose. */
  readonly faults: readonly { readonly id: string; readonly effect: FaultEffect }[];
  /** How the answer on the wire differs from `answer`, where the service varies its answers. */
  readonly variations: readonly VariationName[];
  /** The time that the answer took, by the machine's clock. */
  readonly durationMs: number;
}

export const FAULT_EFFECTS = [
  'delay',
  'too-many-requests',
  'server-error',
  'hang',
  'reset',
  'truncated-body',
  'malformed-body',
  'lost-answer',
] as const;
/**
 * `delay` answers late. `too-many-requests` is a 429, `server-error` a 500, each in the caller's own format. `hang` never
 * answers, `reset` breaks the connection. `truncated-body` ends in the middle, `malformed-body` is whole but no JSON.
 * `lost-answer` decides (a use is taken) and then breaks the connection.
 */
export type FaultEffect = (typeof FAULT_EFFECTS)[number];

/** Milliseconds, or a log-normal distribution around its median. */
type FaultDelay = number | { readonly medianMs: number; readonly sigma: number };

/** Which requests go wrong, and how. What is left out matches everything. */
export interface FaultRule {
  readonly effect: FaultEffect;
  /** Only for `delay`. */
  readonly delay?: FaultDelay | undefined;
  /** When `delay`, `server-error`, `hang` and `reset` happen: before anything is decided (the default), or after. */
  readonly when?: 'before' | 'after' | undefined;
  /** Paths such as `/scan/consume`. */
  readonly endpoint?: string | readonly string[] | undefined;
  /** A key's value, id or unique name. */
  readonly key?: string | undefined;
  /** A ticket's code or id. */
  readonly ticket?: string | undefined;
  /** The fault ends after this number of hits; without it, it stays. */
  readonly times?: number | undefined;
  /** The share of matching requests that are hit, from 0 to 1; 1 by default. */
  readonly probability?: number | undefined;
  /** Makes chance and log-normal delays repeatable; drawn, and returned, when it is left out. */
  readonly seed?: number | undefined;
}

/** A fault that is in force. */
export interface Fault {
  readonly id: string;
  readonly effect: FaultEffect;
  readonly when: 'before' | 'after';
  readonly delay: FaultDelay | null;
  /** Empty for all. */
  readonly endpoints: readonly string[];
  readonly keyId: string | null;
  readonly ticketId: string | null;
  /** How often it may still hit; null for always. */
  readonly timesLeft: number | null;
  readonly probability: number;
  readonly seed: number;
  readonly hits: number;
}

/** Which requests are meant; a condition that is left out is none. */
export interface RequestFilter {
  /** How many of the newest; all that are kept by default. */
  readonly last?: number | undefined;
  readonly endpoint?: string | undefined;
  /** A ticket's code or id. */
  readonly ticket?: string | undefined;
}

/** A ticket to make. */
export interface TicketRequest extends GivenWindow<Time> {
  /** `single` by default. */
  readonly type?: TicketKind | undefined;
  /** Needed for a multi-use card, 2 to 100. */
  readonly uses?: number | undefined;
  /** Id or unique name of an event; the sample's main event by default. */
  readonly event?: string | undefined;
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
}

/** A new ticket with the text of its QR code. */
export interface MadeTicket {
  readonly ticketId: string;
  readonly code: string;
}

/** Names a state to go back to. */
export interface Snapshot {
  readonly id: string;
}

/**
 * Everything that a test can turn. The same in a service of the test's own process (`startTicketscan`) and in another
 * one (`connectTicketscan`).
 *
 * Every method rejects with a `TicketscanError` that says what to do, code `usage` for options that do not fit.
 */
export interface TestControls {
  /**
   * Back to the beginning: data, clock, buckets, faults, recorded requests. Exchanges that a fault holds are broken off.
   * With `options`, to a new sample.
   */
  reset(options?: SeedOptions): Promise<void>;
  /** Remembers data and clock. */
  snapshot(): Promise<Snapshot>;
  /** Data and clock as they were; buckets are full. Can be done again and again. */
  restore(snapshot: Snapshot): Promise<void>;
  clock(): Promise<ClockState>;
  /** Sets the time. Windows, the month of the quota and, when it goes forward, the buckets follow. */
  setClock(time: Time): Promise<ClockState>;
  /** Lets time pass. */
  advance(duration: Duration): Promise<ClockState>;
  /** Stops the clock, at `time` if given. `advance` and `setClock` still move it. */
  freezeClock(time?: Time): Promise<ClockState>;
  /** Lets it run on from its present time. */
  resumeClock(): Promise<ClockState>;
  /** Lets requests go wrong from now on. */
  fail(rule: FaultRule): Promise<Fault>;
  /** The active faults. */
  faults(): Promise<readonly Fault[]>;
  /** Ends all faults, or one. */
  clearFaults(id?: string): Promise<void>;
  /** The exchanges so far, oldest first; the newest 1000 are kept. */
  requests(filter?: RequestFilter): Promise<readonly RecordedExchange[]>;
  /** Every exchange from now on, as it ends. Ends with `signal`, or when the caller stops reading. */
  watchRequests(signal?: AbortSignal): AsyncIterable<RecordedExchange>;
  /** Makes a ticket and puts it into the store. */
  mint(request?: TicketRequest): Promise<MadeTicket>;
}

/** A service that a test drives. */
export interface TicketscanService extends TestControls, AsyncDisposable {
  /** Where it listens, for example `http://127.0.0.1:41234`. */
  readonly url: string;
  /** Lets another process use the controls over HTTP (`connectTicketscan`); of this run alone. */
  readonly testToken: string;
  readonly events: Sample['events'];
  readonly keys: Sample['keys'];
  /** All of the sample, by state. */
  readonly tickets: Sample['tickets'];
  /** The code of a ticket in that state that was not taken since the last reset. Throws when none is left. */
  ticket(state: TicketState): string;
  close(): Promise<void>;
}
