import { isAccountId } from '../../core/administrative-records.ts';
import { monthOf } from '../../core/clock.ts';
import type { Decision, Operation } from '../../core/decision.ts';
import type { StoredHome } from '../../core/event-home.ts';
import { USUAL_DOOR } from '../../core/key-settings.ts';
import { DEFAULT_LIMITS } from '../../core/limits.ts';
import { changesSuspected, findingInWords } from '../../core/reader-changes.ts';
import type { ApiKeyRecord, LogEntry } from '../../core/records.ts';
import type { NewLogEntry, ScanRequest, ScanSubject } from '../../core/scan-requests.ts';
import type { Ticket } from '../../core/ticket.ts';
import type { Keyring } from '../../core/ticket-code.ts';
import { eventOfTicketId, ticketIdIn } from '../../core/ticket-id.ts';
import { keyOfScanner } from '../../stores/record-rules.ts';
import type { RecordLists, RecordStore } from '../../stores/record-store.ts';
import type { Store } from '../../stores/store.ts';
import { findKey } from '../keys/rules.ts';
import { findLastUse, wasUsed } from '../log/last-use.ts';
import { isSiteStore, listSiteValues } from '../sites/site-records.ts';
import { explain, type FixedStep, type FixedSteps } from './explain.ts';
import type { Explanation } from './explanation.ts';
import { outcomeOn, type ScanFacts, type SignatureFacts, signatureFacts } from './scan-facts.ts';

export type FactStore = Pick<Store, 'list' | 'read' | 'findTicket' | 'requestsInMonth'>;

interface Question {
  readonly keyId: string;
  /** Undefined when the request held none. */
  readonly ticketCode: string | undefined;
  /** Milliseconds since 1970 UTC. */
  readonly now: number;
}

/** The key that asked, or the account; undefined for a key that was deleted. */
async function callerOf(store: RecordLists, id: string): Promise<ApiKeyRecord | undefined> {
  if (!isAccountId(id)) return (await store.list('key')).find((key) => key.id === id);
  const account = (await store.list('scanner')).find((one) => one.id === id);
  return account && keyOfScanner(account).key;
}

/** Reads the facts that a decision about this request depends on. Writes nothing. */
export async function gatherFacts(
  store: FactStore,
  keyring: Keyring,
  { keyId, ticketCode, now }: Question,
): Promise<ScanFacts> {
  return factsOf(store, signatureFacts(ticketCode, keyring), { keyId, now });
}

async function factsOf(
  store: FactStore,
  signature: SignatureFacts,
  { keyId, now }: Pick<Question, 'keyId' | 'now'>,
): Promise<ScanFacts> {
  const key = await callerOf(store, keyId);
  const organisations = await store.list('organisation');
  const owner = organisations.find(({ id }) => id === key?.organisationId);
  return {
    key,
    limits: owner?.limits ?? DEFAULT_LIMITS,
    requestsInMonth: await store.requestsInMonth(keyId, monthOf(now)),
    signature,
    ...(await ticketFacts(store, signature)),
  };
}

async function ticketFacts(
  store: FactStore,
  signature: SignatureFacts,
): Promise<Pick<ScanFacts, 'event' | 'home' | 'isSite' | 'ticket'>> {
  if (signature.kind !== 'genuine') return { event: undefined, ticket: undefined };
  const { eventId } = signature;
  const event = (await store.list('event')).find(({ id }) => id === eventId);
  const home = (await store.read('event-home', eventId))?.value as StoredHome | undefined;
  const isSite = await isSiteStore(store);
  return { event, home, isSite, ticket: event && (await store.findTicket(signature.ticketId)) };
}

/** How many of a ticket's latest scans are shown. */
const SCANS_SHOWN = 5;

export interface CodeQuestion {
  /** A code; or the id of a ticket, as it is or as it is printed: then the signature is not checked. */
  readonly code: string;
  /** A key's value, id or unique name; without it, a key that may scan the ticket's event is assumed. */
  readonly key: string | undefined;
  readonly operation: Operation;
  /** Milliseconds since 1970 UTC. */
  readonly now: number;
  /** The zone of the times in sentences, as `explain` takes it. */
  readonly timeZone: string | undefined;
}

export interface ExplainedCode {
  readonly explanation: Explanation;
  /** Undefined when the code is not genuine or the store has none. */
  readonly ticket: Ticket | undefined;
  /** The name of the ticket's event; undefined when nobody has it. */
  readonly eventName: string | undefined;
  /** The ticket's latest scans, oldest first. */
  readonly lastScans: readonly LogEntry[];
  /** Undefined when the ticket was not used. */
  readonly lastUse: LastUse | undefined;
  /** The zone of the organisation whose ticket it is; undefined where none was set. */
  readonly timeZone: string | undefined;
  /** The names by id, of the keys that are not deleted, of accounts that scan, and of sites. */
  readonly keyNames: ReadonlyMap<string, string>;
}

/** The last use of a ticket: when and where. */
export interface LastUse {
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  /** Undefined when it is not in the log: it was pruned or imported. */
  readonly entry: LogEntry | undefined;
}

/**
 * Explains how a scan of this code would be answered. Registers nothing.
 * @throws TicketscanError `not_found`, `usage` when the named key does not exist
 */
export async function explainCode(
  store: Store,
  keyring: Keyring,
  { code, key, operation, now, timeZone }: CodeQuestion,
): Promise<ExplainedCode> {
  const named = key === undefined ? undefined : await findKey(store, key);
  const ticketId = ticketIdIn(code);
  const signature = ticketId === undefined ? signatureFacts(code, keyring) : asGenuine(ticketId);
  const gathered = await factsOf(store, signature, { keyId: named?.id ?? '', now });
  const facts = named ? gathered : { ...gathered, key: anyKeyOf(gathered) };
  const request = requestFor(facts, { operation, now });
  const explanation = explain(request, facts, outcomeOn(facts, request), {
    timeZone,
    fixedSteps: {
      ...(named ? NOT_ASKED : NO_KEY_NAMED),
      ...(ticketId !== undefined && NO_CODE),
    },
  });
  const { ticket } = facts;
  const lastScans = ticket ? await store.readLog({ ticketId: ticket.id, limit: SCANS_SHOWN }) : [];
  const sites = (await listSiteValues(store, 'site')).map(({ value }) => value);
  const callers = [...(await store.list('key')), ...(await store.list('scanner')), ...sites];
  return {
    explanation,
    ticket,
    lastScans,
    eventName: facts.event?.name,
    lastUse: await lastUseOf(store, ticket),
    timeZone: await timeZoneOf(store, facts),
    keyNames: new Map(callers.map(({ id, name }) => [id, name])),
  };
}

async function timeZoneOf(store: Store, { event }: ScanFacts): Promise<string | undefined> {
  const organisations = await store.list('organisation');
  return organisations.find(({ id }) => id === event?.organisationId)?.timeZone;
}

async function lastUseOf(store: Store, ticket: Ticket | undefined): Promise<LastUse | undefined> {
  if (!ticket || !wasUsed(ticket)) return undefined;
  return { at: ticket.lastConsumedAt, entry: await findLastUse(store, ticket) };
}

const notAsked = (because: string): FixedStep => ({ result: 'not_asked', because });

const NOT_ASKED: FixedSteps = {
  rate: notAsked(
    'The rate limit is not checked: only the running server knows the latest requests.',
  ),
  retry: notAsked('Explained as a first request, without Idempotency-Key.'),
};

const NO_KEY_NAMED: FixedSteps = {
  ...NOT_ASKED,
  key: notAsked('No key was named.'),
  quota: notAsked('No key was named.'),
  scope: notAsked('No key was named; a key with access to the event is assumed.'),
};

/** An identifier is judged by the rules of a genuine code; `NO_CODE` says that nobody saw one. */
function asGenuine(ticketId: string): SignatureFacts {
  const eventId = eventOfTicketId(ticketId) ?? '';
  const ofNone = { format: 'TS1', signingKeyId: '', signingKeyState: 'active' } as const;
  return { kind: 'genuine', ticketId, eventId, ...ofNone };
}

const NO_CODE: FixedSteps = {
  body: notAsked(
    'The id of a ticket was given. An id is not a code: the code itself is not judged.',
  ),
  signature: notAsked(
    'Not checked: this needs the code. The other rules are those of a genuine code.',
  ),
};

function requestFor(
  { key, signature }: ScanFacts,
  { operation, now }: Pick<CodeQuestion, 'operation' | 'now'>,
): ScanRequest {
  const subject: ScanSubject =
    signature.kind === 'genuine'
      ? { kind: 'ticket', ticketId: signature.ticketId, eventId: signature.eventId }
      : { kind: 'forged', excerpt: '' };
  return { ...OF_NOBODY, keyId: key?.id ?? '', operation, subject, now };
}

const OF_NOBODY = { kind: 'scan', serial: null, reader: null, retry: null } as const;

/** A key that may scan everything of the organisation whose event it is. */
function anyKeyOf({ event }: ScanFacts): ApiKeyRecord {
  return {
    id: '',
    organisationId: event?.organisationId ?? '',
    name: '',
    type: 'api',
    events: 'all',
    active: true,
    ...USUAL_DOOR,
    createdAt: 0,
  };
}

export type EntryStore = RecordLists & Pick<RecordStore, 'findTicket'>;

/**
 * Why a scan that is in the log was answered as it was. The answer and the count of uses are those of then; key, event
 * and window are shown as they are now, because the log does not repeat them.
 * @param timeZone of the times in its sentences, as `explain` takes it
 * @returns undefined for an undo entry, which is not a scan
 */
export async function explainLogEntry(
  store: EntryStore,
  entry: LogEntry,
  timeZone?: string,
): Promise<Explanation | undefined> {
  if (!isScan(entry)) return undefined;
  const now = entry.ticketId === null ? undefined : await store.findTicket(entry.ticketId);
  const ticket = now && ticketAtScan(now, entry);
  const eventId = entry.ticketId === null ? undefined : eventOfTicketId(entry.ticketId);
  const event = (await store.list('event')).find(({ id }) => id === eventId);
  const facts: ScanFacts = {
    key: await callerOf(store, entry.keyId),
    limits: DEFAULT_LIMITS,
    requestsInMonth: 0,
    signature: { kind: 'forged', why: whyRefused(entry.excerpt ?? '') },
    event,
    ticket,
  };
  const outcome = { kind: 'decided', decision: decisionOf(entry, ticket) } as const;
  return explain(requestOf(entry), facts, outcome, {
    isReplay: entry.replayed,
    atOpenExit: entry.done === 'opened' || entry.reason === 'not_used',
    fixedSteps: NOT_LOGGED,
    timeZone,
  });
}

/** The log keeps the beginning of a code that was not genuine. */
function whyRefused(excerpt: string): string {
  const finding = changesSuspected(excerpt);
  return `It began with ${excerpt}${finding ? ` ${findingInWords(finding)}` : ''}`;
}

type ScanEntry = LogEntry & NewLogEntry;

function isScan(entry: LogEntry): entry is ScanEntry {
  return entry.operation !== 'undo';
}

const passed = (because: string): FixedStep => ({ result: 'passed', because });
const NOT_LOGGED: FixedSteps = {
  rate: passed('Within the rate: requests over it are not logged.'),
  quota: passed('Within the quota: requests over it are not logged.'),
  retry: passed('Not a repeated request.'),
  signature: passed('The code was genuine; the log does not say which key signed it.'),
};

/** The ticket with the uses and the cancellation that the scan found. */
function ticketAtScan(
  ticket: Ticket,
  { usesConsumed, status, reason, replayed }: ScanEntry,
): Ticket {
  const taken = status === 'consumed' && !replayed ? 1 : 0;
  return {
    ...ticket,
    usesConsumed: (usesConsumed ?? ticket.usesConsumed) - taken,
    lastConsumedAt: null,
    cancelledAt: reason === 'ticket_cancelled' ? ticket.cancelledAt : null,
  };
}

function decisionOf({ at, status, reason }: ScanEntry, ticket: Ticket | undefined): Decision {
  // The store no longer has this ticket: only its logged decision is known.
  const { [status]: make } = {
    validated: () => ({ status: 'validated', ticket }),
    consumed: () => ({ status: 'consumed', ticket, scannedAt: at }),
    exhausted: () => ({ status: 'exhausted', ticket }),
    rejected: () => ({ status: 'rejected', reason, ticket }),
    not_found: () => ({ status: 'not_found' }),
  };
  return make() as Decision;
}

function requestOf({ keyId, operation, at: now, serial, reader }: ScanEntry): ScanRequest {
  const subject = { kind: 'unreadable' } as const;
  return { ...OF_NOBODY, keyId, operation, subject, now, serial, reader };
}
