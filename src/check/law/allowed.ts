import type { TicketKind } from '../deployment/target.ts';
import { type Endpoint, isRest } from '../facts/exchange.ts';
import type { Outcome } from '../facts/reading.ts';

/**
 * What a key is to the endpoint that it is sent to. `refused` is every key that must get HTTP 401: none, an unknown or a deleted one, one of
 * the other integration type, one in the wrong place. The requests of one that is `usedUp` are spent for this month.
 */
export type KeyState = 'good' | 'scoped' | 'disabled' | 'refused' | 'usedUp';

/** What a run can make of a key that it may change (section 3.1): one that is deleted is refused. */
export type LimitedKey = Extract<KeyState, 'scoped' | 'disabled' | 'refused'>;

/** What a request shows besides its key. */
export type Shown =
  /** No code, or a body that holds none. */
  | { readonly is: 'nothing' }
  /** A code that the service did not sign, made from a ticket of this kind where that is known. */
  | { readonly is: 'forged'; readonly of?: TicketKind }
  /** `uses` tells whether uses are left; left out where that is not known. */
  | { readonly is: 'ticket'; readonly kind: TicketKind; readonly uses?: 'left' | 'none' };

/** A request, as far as its answer depends on it. */
export interface Question {
  readonly endpoint: Endpoint;
  readonly key: KeyState;
  readonly shown: Shown;
}

/** The answers that the specification allows to one request. */
export interface Allowed {
  /** Of the specification. */
  readonly section: string;
  /** For people: `rejected as expired`. */
  readonly text: string;
  /** The one that the specification names comes first. Left out where it allows every answer. */
  readonly outcomes?: readonly Outcome[];
}

/** True for a key that tickets are decided for. */
export function isAccepted(key: KeyState): boolean {
  return key === 'good' || key === 'scoped';
}

/** A refusal whose reason the specification leaves open. HTTP 429 may come at any time, and is no answer to a ticket. */
const ANY_REFUSAL: readonly Outcome[] = [
  ...(['denied', 'unauthorised', 'event_not_allowed', 'invalid_ticket', 'not_found'] as const),
  ...(['ticket_cancelled', 'not_yet_valid', 'expired', 'exhausted'] as const),
  'missing_ticket_code',
];

const ANYTHING: Allowed = { section: '5', text: 'any answer' };

/**
 * The one place that says which outcomes a request may have (sections 2.2, 2.3, 3, 4, 5 and 7). Where the specification is silent, it allows
 * everything that a reading of it allows.
 */
export function allowedAnswers({ endpoint, key, shown }: Question): Allowed {
  if (endpoint === 'heartbeat') return heartbeat(key);
  if (key === 'disabled') return only('3.1', 'a refusal', ...KEY_REFUSAL);
  if (key === 'refused') return refusedKey(endpoint, shown);
  if (key === 'usedUp') return usedUpKey(endpoint, shown);
  if (shown.is === 'nothing')
    return isRest(endpoint)
      ? only('7.2', 'HTTP 400 with missing_ticket_code', 'missing_ticket_code')
      : refusal('4.3', 'missing_ticket_code');
  const isScoped = key === 'scoped';
  return shown.is === 'forged'
    ? forgedCode(shown.of, isScoped)
    : genuineCode(endpoint, shown, isScoped);
}

/**
 * How a key may be refused where the specification shows neither status nor Note: at devices, and for a disabled key. The state of a ticket is
 * not among the reasons, because a service that tells it has accepted the key; nor is an error of the server, which refuses nothing.
 */
const KEY_REFUSAL: readonly Outcome[] = [
  ...(['unauthorised', 'denied', 'event_not_allowed', 'missing_ticket_code'] as const),
  ...(['invalid_ticket', 'not_found'] as const),
];

function heartbeat(key: KeyState): Allowed {
  // Section 3.1 says that a disabled key is refused for scans, and a heartbeat is not a scan; nor does 7.1 say that it counts.
  if (key === 'disabled' || key === 'usedUp') return ANYTHING;
  return key === 'refused'
    ? only('5', 'a refusal', ...KEY_REFUSAL)
    : only('4.5', 'a JSON object with Key', 'confirmed');
}

function refusedKey(endpoint: Endpoint, shown: Shown): Allowed {
  // Section 7.3 shows neither the status nor the Note with which a device is told.
  if (!isRest(endpoint)) return only('5', 'a refusal', ...KEY_REFUSAL);
  // Whether the key or the body is looked at first is not said.
  if (shown.is === 'nothing')
    return only('7.2', 'a refusal', 'unauthorised', 'missing_ticket_code');
  return only('7.2', 'HTTP 401 with the message Forbidden', 'unauthorised');
}

function usedUpKey(endpoint: Endpoint, shown: Shown): Allowed {
  // Section 7.3 shows no Note for it: a device is refused in some way.
  if (!isRest(endpoint)) return only('7.1', 'HTTP 429, or a refusal', 'limited', ...KEY_REFUSAL);
  // Whether the month or the body is looked at first is not said.
  if (shown.is === 'nothing') return only('7.1', 'HTTP 429', 'limited', 'missing_ticket_code');
  return only('7.1', 'HTTP 429', 'limited');
}

/** Whether the scope or the signature is looked at first is not said. */
function forgedCode(kind: TicketKind | undefined, isScoped: boolean): Allowed {
  const mayBeOutside = kind === undefined || kind === 'unknown' || kind.startsWith('otherEvent');
  const also: Outcome[] = isScoped && mayBeOutside ? ['event_not_allowed'] : [];
  return only('2.2', 'rejected as invalid_ticket', 'invalid_ticket', ...also);
}

type Genuine = Extract<Shown, { is: 'ticket' }>;

function genuineCode(endpoint: Endpoint, { kind, uses }: Genuine, isScoped: boolean): Allowed {
  switch (kind) {
    case 'unknown':
      // Whether the scope or the existence is looked at first is not said.
      return only('7.1', 'not_found', 'not_found', ...(isScoped ? OUT_OF_SCOPE : []));
    case 'cancelled':
      return isRest(endpoint)
        ? only('2.3', 'rejected as ticket_cancelled', 'ticket_cancelled')
        : // No Note of section 7.3 says that a ticket is cancelled.
          refusal('2.3', 'ticket_cancelled');
    case 'notYetValid':
      return only('2.3', 'rejected as not_yet_valid', 'not_yet_valid');
    case 'expired':
      return only('2.3', 'rejected as expired', 'expired');
    case 'exhausted':
      return only('3.2', 'exhausted', 'exhausted');
    case 'permanentEnded':
      // Section 2.2 calls a permanent card unlimited, and section 3.2 counts it.
      return ANYTHING;
    case 'otherOrganisation':
    case 'otherEventCancelled':
    case 'otherEventExpired':
      // Whether the scope or the state is looked at first is not said.
      return refusal('5');
    default:
      if (kind === 'otherEvent' && isScoped)
        return only('5', 'refused as event_not_allowed', ...OUT_OF_SCOPE);
      return goodTicket(uses);
  }
}

const OUT_OF_SCOPE: readonly Outcome[] = ['event_not_allowed'];

function goodTicket(uses: Genuine['uses']): Allowed {
  if (uses === 'left') return only('3.2', 'granted', 'granted');
  if (uses === 'none') return only('3.2', 'exhausted', 'exhausted');
  return only('3.2', 'granted, or exhausted', 'granted', 'exhausted');
}

function only(section: string, text: string, ...outcomes: readonly Outcome[]): Allowed {
  return { section, text, outcomes };
}

/** @param first the reason that the specification comes nearest to */
function refusal(section: string, first: Outcome = 'denied'): Allowed {
  const others = ANY_REFUSAL.filter((one) => one !== first);
  return { section, text: 'a refusal', outcomes: [first, ...others] };
}
