import type { BodyIssue, Decision, Operation } from './decision.ts';
import type { Direction } from './direction.ts';
import type { placeOfRow, SentRow } from './event-home.ts';
import type { UsedValue } from './key-terms.ts';
import type { RateLimit } from './limits.ts';
import type { DeviceRecord, LogEntry } from './records.ts';

/** What a scan asks about. Everything that needs no state was checked before: body, signature. */
export type ScanSubject =
  | {
      readonly kind: 'ticket';
      readonly ticketId: string;
      readonly eventId: string;
      /** Set for an identifier that a person typed: nobody signed it, so that everybody can make one of any event. */
      readonly typed?: true;
    }
  /** The signature is wrong. `excerpt` is for the log and never the whole code. */
  | { readonly kind: 'forged'; readonly excerpt: string }
  /** The body has no ticket code. */
  | { readonly kind: 'unreadable'; readonly issue?: BodyIssue }
  /** Its `Idempotency-Key` is malformed. */
  | { readonly kind: 'bad_retry_name' };

/** What every request of a batch says. */
export interface KeyRequest extends UsedValue {
  /** The id of a key, or of the account of a person who scans in the page. */
  readonly keyId: string;
  /** One time for the whole request, milliseconds since 1970 UTC. */
  readonly now: number;
  /**
   * Set when the request takes a token: the limits of the bucket that was asked for it. A store that several machines
   * share then asks the key's one bucket too.
   */
  readonly rate?: RateLimit | undefined;
  /** The device file of the key when a device's request was read, empty for none. Absent for software, which no file reads. */
  readonly device?: string | undefined;
}

/** A scan (sections 4.1 to 4.4). */
export interface ScanRequest extends KeyRequest {
  readonly kind: 'scan';
  readonly operation: Operation;
  readonly subject: ScanSubject;
  readonly serial: string | null;
  readonly reader: string | null;
  /** Set when a repeated request is to get its first answer again. */
  readonly retry: RetryToken | null;
  /** The events that an account may scan, as they were when the request began: it has none in the store of keys. */
  readonly events?: 'all' | readonly string[];
  /** Set when a person chose the ticket, and no code was read: the log says so. */
  readonly byHand?: true;
  /** How many uses a consume takes, all or none; 1 if this is missing. */
  readonly uses?: number;
  /** Set when an account stands at a way out: a consume counts a person out, and takes no use. */
  readonly direction?: 'out';
}

/** A device says that it is there (section 4.5). */
export interface HeartbeatRequest extends KeyRequest {
  readonly kind: 'heartbeat';
  /** Null when the heartbeat could not be read. */
  readonly contact: DeviceContact | null;
}

/** A scan or heartbeat over its rate: asks only whether the key still holds, because a refused key comes before a limit. */
export interface LimitedRequest extends KeyRequest {
  readonly kind: 'limited';
  /** The time until the key's bucket has another token. */
  readonly waitMs: number;
}

/** A scan that a site has answered, on its way into the log of the centre. The key may be deleted since. */
export interface RelayedRequest extends KeyRequest {
  readonly kind: 'relayed';
  readonly row: SentRow;
  readonly entry: NewLogEntry;
}

/** A request that a key makes. */
export type AskedRequest = ScanRequest | HeartbeatRequest | LimitedRequest;

/** One request of a batch. */
export type BatchRequest = AskedRequest | RelayedRequest;

export interface RetryToken {
  readonly name: string;
  /** Distinguishes a retry from another request with the same Idempotency-Key. */
  readonly bodyHash: string;
  readonly expiresAt: number;
  /** The language of the answer; absent for devices, which have only one. */
  readonly language?: Language;
}

/** Languages of scan results for software. */
export type Language = 'en' | 'de';

/** A decision with what its answer depends on besides: a repeat gets the same language and direction. */
export type EncodedDecision = Decision & {
  readonly language?: Language;
  /** The direction that is configured for the reader; absent when none is. */
  readonly direction?: Direction;
  /** How many uses it took, where that is more than one. */
  readonly uses?: number;
};

export interface StoredAnswer {
  readonly bodyHash: string;
  readonly expiresAt: number;
  readonly decision: EncodedDecision;
}

/** The data of a device in a heartbeat, as text; empty when missing. */
export interface DeviceContact
  extends Pick<DeviceRecord, 'model' | 'serial' | 'address' | 'firmware'> {
  /** Its clock, in the device's own format; absent when missing. */
  readonly clock?: string;
}

/** Why a request was not decided. */
export type Refusal =
  | { readonly kind: 'key_refused' }
  | { readonly kind: 'limited' | 'quota_exceeded'; readonly retryAfterSeconds: number }
  | { readonly kind: 'retry_conflict' }
  | { readonly kind: 'bad_retry_name' }
  /** The ticket has fewer uses left than were asked for at once: none was taken. */
  | { readonly kind: 'too_few_uses'; readonly usesLeft: number };

/** The answer to a scan. The decision has a language when it was returned before. */
export type ScanAnswer = { readonly kind: 'decided'; readonly decision: EncodedDecision } | Refusal;
export type HeartbeatAnswer = { readonly kind: 'alive' } | Refusal;

/** The bucket that was asked had other limits than hold now: nothing was decided, and the request is to ask again. */
export interface RateChanged {
  readonly kind: 'rate_changed';
  readonly rate: RateLimit;
}

/** The key has another device file by now: nothing was decided, and the request is to be read again. */
export interface DeviceChanged {
  readonly kind: 'device_changed';
}

/** The event has its home elsewhere: nothing was decided here, and no request was counted. */
export interface DecidedElsewhere {
  readonly kind: 'elsewhere';
  readonly eventId: string;
  /** The home, in words for the log. */
  readonly where: string;
}

/** What became of a row of a site. */
export interface RowKept {
  readonly kind: 'relayed';
  readonly place: ReturnType<typeof placeOfRow>;
  /** The last row of the site that is here. */
  readonly stored: number;
}

/** What a store answers to one request of a batch. */
export type ScanOutcome =
  | ScanAnswer
  | HeartbeatAnswer
  | RateChanged
  | DeviceChanged
  | DecidedElsewhere
  | RowKept;

/** The outcomes of requests of this kind. */
export type OutcomeOf<Request extends BatchRequest> =
  | RateChanged
  | DeviceChanged
  | {
      scan: ScanAnswer | DecidedElsewhere;
      heartbeat: HeartbeatAnswer;
      limited: Refusal;
      relayed: RowKept;
    }[Request['kind']];

/** A scan in the log, before the store numbers it. */
export interface NewLogEntry
  extends Omit<LogEntry, 'sequence' | 'operation' | 'status' | 'undo' | 'undoneBy'> {
  readonly operation: Operation;
  readonly status: Decision['status'];
}
