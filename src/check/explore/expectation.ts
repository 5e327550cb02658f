import { type Endpoint, isConsume, isRest } from '../requests/exchange.ts';
import type { TicketKind } from '../target/target.ts';
import type { Step } from './history.ts';
import { isRefusal, type Outcome } from './reading.ts';

/** The answers that a request may get after any history; uses are counted elsewhere. */
interface Expectation {
  readonly section: string;
  /** For people: `refused with HTTP 401`. */
  readonly text: string;
  allows(outcome: Outcome): boolean;
}

const ANYTHING: Expectation = { section: '5', text: 'any answer', allows: () => true };

/** @returns what the specification allows; where it is silent, everything that it could mean */
export function expectationOf(step: Step): Expectation {
  const { endpoint, ticket } = step;
  if (endpoint === 'heartbeat') return heartbeatExpectation(step);
  const keyRefusal = isRest(endpoint) ? restKeyRefusal(step) : deviceKeyRefusal(step);
  if (keyRefusal) return keyRefusal;
  if (!ticket) {
    return isRest(endpoint)
      ? only('7.2', 'HTTP 400 with missing_ticket_code', 'missing_ticket_code')
      : refusal('4.3');
  }
  const expectation = step.forge
    ? forgeryExpectation(ticket.kind, isScoped(step))
    : ticketExpectation(endpoint, ticket.kind, isScoped(step));
  if (!step.retry) return expectation;
  // one that is sent again before its answer may be refused until then: nothing is said about it
  return {
    ...expectation,
    allows: (outcome) => outcome === 'denied' || expectation.allows(outcome),
  };
}

function heartbeatExpectation(step: Step): Expectation {
  // whether a disabled key still beats is not said
  if (step.key === 'hardwareDisabled') return ANYTHING;
  return deviceKeyRefusal(step) ?? only('4.5', 'a JSON object with Key', 'confirmed');
}

function deviceKeyRefusal({ key }: Step): Expectation | undefined {
  return key === 'hardware' || key === 'hardwareScoped' ? undefined : refusal('5');
}

function restKeyRefusal({ key, ticket }: Step): Expectation | undefined {
  if (key === 'rest' || key === 'restScoped') return undefined;
  // how a disabled key is refused is not said
  if (key === 'disabled' || key === 'hardwareDisabled') return refusal('3.1');
  // nor whether the key or the body is looked at first
  if (!ticket) return refusal('7.2');
  return only('7.2', 'HTTP 401 with the message Forbidden', 'unauthorised');
}

function isScoped({ key }: Step): boolean {
  return key === 'restScoped' || key === 'hardwareScoped';
}

/** Whether the scope or the signature is looked at first is not said. */
function forgeryExpectation(kind: TicketKind, scoped: boolean): Expectation {
  const isOutOfScope = scoped && (kind.startsWith('otherEvent') || kind === 'unknown');
  const also: Outcome[] = isOutOfScope ? ['event_not_allowed'] : [];
  return only('2.2', 'rejected as invalid_ticket', 'invalid_ticket', ...also);
}

function ticketExpectation(endpoint: Endpoint, kind: TicketKind, scoped: boolean): Expectation {
  const granted = isConsume(endpoint) ? 'consumed' : 'validated';
  switch (kind) {
    case 'unknown':
      // whether the scope or the existence is looked at first is not said
      if (scoped) return only('7.1', 'not_found', 'not_found', 'event_not_allowed');
      return only('7.1', 'not_found', 'not_found');
    case 'cancelled':
      if (!isRest(endpoint)) return refusal('2.3');
      return only('2.3', 'rejected as ticket_cancelled', 'ticket_cancelled');
    case 'notYetValid':
      return only('2.3', 'rejected as not_yet_valid', 'not_yet_valid');
    case 'expired':
      return only('2.3', 'rejected as expired', 'expired');
    case 'exhausted':
      return only('3.2', 'exhausted', 'exhausted');
    case 'permanentEnded':
      // section 2.2 calls a permanent card unlimited, section 3.2 counts it
      return ANYTHING;
    case 'otherOrganisation':
    case 'otherEventCancelled':
    case 'otherEventExpired':
      // which is looked at first, the scope or the state, is not said
      return refusal('5');
    default:
      if (kind === 'otherEvent' && scoped)
        return only('5', 'refused as event_not_allowed', 'event_not_allowed');
      return only('3.2', `${granted}, or exhausted`, granted, 'exhausted');
  }
}

function only(section: string, text: string, ...outcomes: Outcome[]): Expectation {
  return { section, text, allows: (outcome) => outcomes.includes(outcome) };
}

function refusal(section: string): Expectation {
  return { section, text: 'a refusal', allows: isRefusal };
}
