import { minuteOf, monthOf, msUntilNextMonth } from './clock.ts';
import type { BodyIssue, Decision, Operation } from './decision.ts';
import { actionTaken, decideAtReader, isGranted } from './decision.ts';
import { type Direction, directionOf } from './direction.ts';
import { type KeyTerms, keyHolds, type UsedValue } from './key-terms.ts';
import { isSameRate, type RateLimit } from './limits.ts';
import type { DeviceRecord, LogEntry } from './records.ts';
import { type CountedBy, countedBy } from './scan-count.ts';
import type { Ticket } from './ticket.ts';

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

/** One request of a batch. */
export type BatchRequest = ScanRequest | HeartbeatRequest | LimitedRequest;

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

/** What a store answers to one request of a batch. */
export type ScanOutcome = ScanAnswer | HeartbeatAnswer | RateChanged | DeviceChanged;

/** The outcomes of requests of this kind. */
export type OutcomeOf<Request extends BatchRequest> =
  | RateChanged
  | DeviceChanged
  | { scan: ScanAnswer; heartbeat: HeartbeatAnswer; limited: Refusal }[Request['kind']];

/** The state of a key that is not deleted. */
export interface KeyState extends KeyTerms {
  readonly active: boolean;
  readonly organisationId: string;
  /** Section 5.4: every event of the organisation, or the selected ones. */
  readonly events: 'all' | ReadonlySet<string>;
  readonly quotaPerMonth: number;
  readonly rate: RateLimit;
}

/** A scan in the log, before the store numbers it. */
export interface NewLogEntry
  extends Omit<LogEntry, 'sequence' | 'operation' | 'status' | 'undo' | 'undoneBy'> {
  readonly operation: Operation;
  readonly status: Decision['status'];
}

/**
 * The state on which a batch is decided. Inside one batch every read sees earlier writes; a store makes the
 * batch atomic and durable.
 */
export interface ScanState {
  key(keyId: string): KeyState | undefined;
  organisationOf(eventId: string): string | undefined;
  ticket(ticketId: string): Ticket | undefined;
  requestsInMonth(keyId: string, month: number): number;
  storedAnswer(keyId: string, name: string): StoredAnswer | undefined;
  /** @param minute when, to the minute: the key was used last then */
  countRequest(keyId: string, month: number, minute: number): void;
  saveUse(ticket: Ticket): void;
  /** Somebody went in or out. */
  countPassage(eventId: string, direction: Direction): void;
  storeAnswer(keyId: string, name: string, answer: StoredAnswer): void;
  appendLog(entry: NewLogEntry): void;
  /** Counts one scan for the statistics. */
  countScan(scan: CountedBy): void;
  saveContact(keyId: string, contact: DeviceContact, at: number): void;
}

/**
 * Answers one request of a batch on the locked state, and records it.
 * Order of precedence (ADR 0003): key, rate, quota, retry, body, signature, event scope, then the ticket's own rules.
 */
export function answerRequest(request: BatchRequest, state: ScanState): ScanOutcome {
  const key = state.key(request.keyId);
  if (!key || !keyHolds(key, request, request.now)) return { kind: 'key_refused' };
  if (request.rate && !isSameRate(request.rate, key.rate)) {
    return { kind: 'rate_changed', rate: key.rate };
  }
  if (request.device !== undefined && request.device !== (key.device ?? '')) {
    return { kind: 'device_changed' };
  }
  switch (request.kind) {
    case 'limited':
      return refusedFor(request.waitMs, 'limited');
    case 'heartbeat':
      if (request.contact) state.saveContact(request.keyId, request.contact, request.now);
      return { kind: 'alive' };
    case 'scan':
      return answerScan(request, inScopeOf(request, key), state);
  }
}

/** How an account scans at a way out: as at an exit that is open, so that everybody who came in is let out. */
const WAY_OUT = { readers: { '*': 'out' }, onExit: 'open' } as const;

/** The key, or what an account may scan in place of one, and which way it stands. */
function inScopeOf({ events, direction }: ScanRequest, key: KeyState): KeyState {
  if (events === undefined) return key;
  const scope = events === 'all' ? 'all' : new Set(events);
  return { ...key, events: scope, ...(direction === 'out' && WAY_OUT) };
}

function refusedFor(ms: number, kind: 'limited' | 'quota_exceeded'): Refusal {
  return { kind, retryAfterSeconds: Math.max(1, Math.ceil(ms / 1000)) };
}

/** Scans alone count: a controller beats every few seconds, and its door must open on the last day of the month too. */
function answerScan(request: ScanRequest, key: KeyState, state: ScanState): ScanAnswer {
  const month = monthOf(request.now);
  if (state.requestsInMonth(request.keyId, month) >= key.quotaPerMonth) {
    return refusedFor(msUntilNextMonth(request.now), 'quota_exceeded');
  }
  state.countRequest(request.keyId, month, minuteOf(request.now));
  if (request.subject.kind === 'bad_retry_name') return { kind: 'bad_retry_name' };
  return answerOnce(request, key, state);
}

function answerOnce(request: ScanRequest, key: KeyState, state: ScanState): ScanAnswer {
  const { retry, keyId } = request;
  if (retry) {
    const stored = state.storedAnswer(keyId, retry.name);
    if (stored && isAnswerFor(stored, retry, request.now) && !isOfGone(stored, request, state)) {
      if (stored.bodyHash !== retry.bodyHash) return { kind: 'retry_conflict' };
      state.appendLog(logEntry(request, key, stored.decision, true));
      return { kind: 'decided', decision: stored.decision };
    }
  }
  const decision = takeUses(request, key, state);
  if ('kind' in decision) return decision;
  if (retry) {
    const { bodyHash, expiresAt, language } = retry;
    const outcome = language ? { ...decision, language } : decision;
    state.storeAnswer(keyId, retry.name, { bodyHash, expiresAt, decision: outcome });
  }
  return { kind: 'decided', decision };
}

type TooFewUses = Extract<Refusal, { kind: 'too_few_uses' }>;

/** Decides, and records it; takes several uses of one ticket, each with a log entry of its own, or none. */
function takeUses(
  request: ScanRequest,
  key: KeyState,
  state: ScanState,
): EncodedDecision | TooFewUses {
  const first = decideInScope(request, key, state);
  const { uses = 1 } = request;
  const usesLeft = usesLeftBefore(first);
  if (usesLeft === undefined || uses === 1) return record(request, key, state, first);
  if (usesLeft < uses) return { kind: 'too_few_uses', usesLeft };
  let decision = record(request, key, state, first);
  // Each use is decided on the ticket that the use before it left.
  for (let taken = 1; taken < uses; taken += 1) {
    decision = record(request, key, state, decideInScope(request, key, state));
  }
  return { ...decision, uses };
}

/** How many uses the ticket had before this decision took one; undefined where it took none. */
function usesLeftBefore(decision: Decision): number | undefined {
  if (decision.status !== 'consumed') return undefined;
  const { usesAllowed, usesConsumed } = decision.ticket;
  return usesAllowed - usesConsumed + 1;
}

/** Saves what was decided: the use, who passed, the log entry and its count. @returns the decision */
function record(
  request: ScanRequest,
  key: KeyState,
  state: ScanState,
  decision: EncodedDecision,
): EncodedDecision {
  if (decision.status === 'consumed') state.saveUse(decision.ticket);
  countPassage(request, decision, state);
  const entry = logEntry(request, key, decision, false);
  state.appendLog(entry);
  const ticket = 'ticket' in decision ? decision.ticket : undefined;
  state.countScan(countedBy(entry, ticket, isOfOwnEvent(request, key, state)));
  return decision;
}

function isOfOwnEvent({ subject }: ScanRequest, key: KeyState, state: ScanState): boolean {
  return subject.kind === 'ticket' && state.organisationOf(subject.eventId) === key.organisationId;
}

/** A validate lets nobody in or out. */
function countPassage(request: ScanRequest, decision: EncodedDecision, state: ScanState): void {
  const { subject, operation } = request;
  if (operation !== 'consume' || subject.kind !== 'ticket' || !isGranted(decision)) return;
  state.countPassage(subject.eventId, decision.direction ?? 'in');
}

/** Requests of several processes reach the store in another order than they read their clocks, which differ a little. */
const CLOCKS_DIFFER_MS = 5000;

/**
 * A stored answer that expired before this may be removed: it is over by each clock that differs by five seconds at most.
 * @param now of this process
 */
export function expiredForAll(now: number): number {
  return now - CLOCKS_DIFFER_MS;
}

/**
 * A stored answer is valid from its time until it expires. One from the future was written before the clock was
 * set back and is ignored; otherwise a step of a day would make a window of seconds one of a day.
 */
function isAnswerFor(stored: StoredAnswer, retry: RetryToken, now: number): boolean {
  const windowMs = retry.expiresAt - now;
  const aheadMs = stored.expiresAt - retry.expiresAt;
  return stored.expiresAt > now && aheadMs < Math.min(windowMs, CLOCKS_DIFFER_MS);
}

/** The ticket was deleted with its event since: the first answer must not admit anybody again, nor name the holder. */
function isOfGone({ decision }: StoredAnswer, { subject }: ScanRequest, state: ScanState): boolean {
  if (subject.kind !== 'ticket' || !('ticket' in decision)) return false;
  return state.organisationOf(subject.eventId) === undefined;
}

function decideInScope(request: ScanRequest, key: KeyState, state: ScanState): EncodedDecision {
  const { subject } = request;
  if (subject.kind === 'unreadable') {
    const { issue } = subject;
    return { status: 'rejected', reason: 'missing_ticket_code', ...(issue && { fault: issue }) };
  }
  if (subject.kind !== 'ticket') return { status: 'rejected', reason: 'invalid_ticket' };
  const { eventId, ticketId, typed } = subject;
  const owner = state.organisationOf(eventId);
  // An event that nobody has is still to be imported, or was deleted. Tickets that may be left of it are not looked at.
  // A typed identifier proves nothing: its answer must not tell whether another organisation has the event.
  const isUnknown = owner === undefined || (typed === true && owner !== key.organisationId);
  if (isUnknown && key.events === 'all') return decideAtReader(undefined, request, key);
  if (owner !== key.organisationId || (key.events !== 'all' && !key.events.has(eventId)))
    return { status: 'rejected', reason: 'event_not_allowed' };
  return decideAtReader(state.ticket(ticketId), request, key);
}

function logEntry(
  request: ScanRequest,
  key: KeyState,
  decision: EncodedDecision,
  replayed: boolean,
): NewLogEntry {
  const { subject } = request;
  return {
    at: decision.status === 'consumed' && !replayed ? decision.scannedAt : request.now,
    keyId: request.keyId,
    serial: request.serial,
    reader: request.reader,
    operation: request.operation,
    status: decision.status,
    reason: decision.status === 'rejected' ? decision.reason : null,
    ticketId: subject.kind === 'ticket' ? subject.ticketId : null,
    excerpt: subject.kind === 'forged' ? subject.excerpt : null,
    usesConsumed: 'ticket' in decision ? decision.ticket.usesConsumed : null,
    replayed,
    ...(request.byHand && { byHand: true }),
    ...(key.readers && {
      direction: decision.direction ?? directionOf(key, request.reader) ?? 'in',
    }),
    ...(key.readers &&
      !replayed &&
      isGranted(decision) && { done: actionTaken(request, key, decision) }),
  };
}
