import { type Action, type Card, consumes, isDevice, type Step } from '../histories/history.ts';
import { isRefusal, type Meaning } from './meaning.ts';

/** The answers that a request may get after any history; uses are counted elsewhere. */
export interface Expectation {
  readonly section: string;
  /** For people: `refused with HTTP 401`. */
  readonly text: string;
  allows(meaning: Meaning): boolean;
}

const REFUSED: Expectation = { section: '5', text: 'a refusal', allows: isRefusal };
const ANYTHING: Expectation = { section: '5', text: 'any answer', allows: () => true };

/** @returns what the specification allows; where it is silent, everything that it could mean */
export function expectationOf(step: Step): Expectation {
  if (step.action === 'heartbeat') return heartbeatExpectation(step);
  const refused = keyRefusal(step);
  if (refused) return refused;
  if (!step.card) {
    return isDevice(step.action)
      ? { ...REFUSED, section: '4.3' }
      : only('7.2', 'HTTP 400 with missing_ticket_code', 'missing_ticket_code');
  }
  const expectation = cardExpectation(step.action, step.card, isScoped(step));
  if (!step.retry) return expectation;
  // one that is sent again before its answer may be refused until then: nothing is said about it
  return {
    ...expectation,
    allows: (meaning) => meaning === 'denied' || expectation.allows(meaning),
  };
}

function heartbeatExpectation({ key }: Step): Expectation {
  if (key === 'hardware' || key === 'hardwareScoped')
    return only('4.5', 'a JSON object with Key', 'alive');
  // whether a disabled key still beats is not said
  return key === 'hardwareDisabled' ? ANYTHING : REFUSED;
}

function keyRefusal({ key, action, card }: Step): Expectation | undefined {
  if (isDevice(action)) {
    return key === 'hardware' || key === 'hardwareScoped' ? undefined : REFUSED;
  }
  if (key === 'rest' || key === 'restScoped') return undefined;
  // how a disabled key is refused is not said
  if (key === 'disabled' || key === 'hardwareDisabled') return { ...REFUSED, section: '3.1' };
  // nor whether the key or the body is looked at first
  if (!card) return { ...REFUSED, section: '7.2' };
  return only('7.2', 'HTTP 401 with the message Forbidden', 'unauthorised');
}

function isScoped({ key }: Step): boolean {
  return key === 'restScoped' || key === 'hardwareScoped';
}

function cardExpectation(action: Action, { ticket, forged }: Card, scoped: boolean): Expectation {
  // whether the scope or the signature, the scope or the existence is looked at first is not said
  const outOfScope: Meaning[] = scoped ? ['event_not_allowed'] : [];
  const { kind } = ticket;
  if (forged) {
    const also = kind.startsWith('otherEvent') || kind === 'unknown' ? outOfScope : [];
    return only('2.2', 'rejected as invalid_ticket', 'invalid_ticket', ...also);
  }
  switch (kind) {
    case 'unknown':
      return only('7.1', 'not_found', 'not_found', ...outOfScope);
    case 'cancelled':
      if (isDevice(action)) return { ...REFUSED, section: '2.3' };
      return only('2.3', 'rejected as ticket_cancelled', 'ticket_cancelled');
    case 'notYetValid':
      return only('2.3', 'rejected as not_yet_valid', 'not_yet_valid');
    case 'expired':
      return only('2.3', 'rejected as expired', 'expired');
    case 'exhausted':
      return only('3.2', 'exhausted', 'exhausted');
    case 'otherOrganisation':
      return { ...REFUSED, section: '5' };
    case 'permanentEnded':
      // section 2.2 calls a permanent card unlimited, section 3.2 counts it
      return ANYTHING;
    case 'otherEventCancelled':
    case 'otherEventExpired':
      // which is looked at first, the scope or the state, is not said
      return { ...REFUSED, section: '5' };
    case 'otherEvent':
      if (scoped) return only('5', 'refused as event_not_allowed', 'event_not_allowed');
      return good(action);
    default:
      return good(action);
  }
}

function good(action: Action): Expectation {
  const granted = consumes(action) ? 'consumed' : 'validated';
  return only('3.2', `${granted}, or exhausted`, granted, 'exhausted');
}

function only(section: string, text: string, ...meanings: Meaning[]): Expectation {
  return { section, text, allows: (meaning) => meanings.includes(meaning) };
}
