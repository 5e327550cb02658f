import { minuteOf, monthOf, msUntilNextMonth } from './clock.ts';
import type { Decision } from './decision.ts';
import { actionTaken, decideAtReader, isGranted } from './decision.ts';
import { type Direction, directionOf } from './direction.ts';
import type { StoredHome } from './event-home.ts';
import { type KeyTerms, keyHolds } from './key-terms.ts';
import { isSameRate, type RateLimit } from './limits.ts';
import { type CountedBy, countedBy } from './scan-count.ts';
import type {
  AskedRequest,
  DecidedElsewhere,
  DeviceContact,
  EncodedDecision,
  NewLogEntry,
  Refusal,
  RetryToken,
  ScanAnswer,
  ScanOutcome,
  ScanRequest,
  StoredAnswer,
} from './scan-requests.ts';
import type { Ticket } from './ticket.ts';

/** The state of a key that is not deleted. */
export interface KeyState extends KeyTerms {
  readonly active: boolean;
  readonly organisationId: string;
  /** Section 5.4: every event of the organisation, or the selected ones. */
  readonly events: 'all' | ReadonlySet<string>;
  readonly quotaPerMonth: number;
  readonly rate: RateLimit;
}

/**
 * The state on which a batch is decided. Inside one batch every read sees earlier writes; a store makes the
 * batch atomic and durable.
 */
export interface ScanState {
  key(keyId: string): KeyState | undefined;
  organisationOf(eventId: string): string | undefined;
  /** The home of an event that has left its centre; undefined for every other. */
  homeOf(eventId: string): StoredHome | undefined;
  /** Whether this is the store of a site: it decides what it took from its centre, and nothing else. */
  isSite(): boolean;
  /** The last row of a site that is here. */
  rowsOf(site: string): number;
  saveRowsOf(site: string, number: number): void;
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
export function answerRequest(request: AskedRequest, state: ScanState): ScanOutcome {
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
      return (
        decidedElsewhere(request, key, state) ?? answerScan(request, inScopeOf(request, key), state)
      );
  }
}

/** Everywhere but at its home a scan of an event is neither granted nor denied. Another organisation does not learn where its home is. */
function decidedElsewhere(
  { subject }: ScanRequest,
  key: KeyState,
  state: ScanState,
): DecidedElsewhere | undefined {
  if (subject.kind !== 'ticket') return undefined;
  const { eventId } = subject;
  const owner = state.organisationOf(eventId);
  if (owner !== undefined && owner !== key.organisationId) return undefined;
  const home = state.homeOf(eventId);
  const where = home ? home.elsewhere : state.isSite() ? 'the centre of this site' : null;
  return where === null ? undefined : { kind: 'elsewhere', eventId, where };
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
