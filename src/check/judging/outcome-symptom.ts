import { capital } from '../../kit/text.ts';
import { type Answer, type Exchange, keyIn, type RequestSpec } from '../facts/exchange.ts';
import { type Outcome, read } from '../facts/reading.ts';
import type { Expected } from '../law/expected.ts';
import type { Symptom, SymptomKind } from '../law/symptom-kinds.ts';
import { isPlain } from '../requests/scan-request.ts';
import { UNREAD } from './circumstances.ts';
import { AFTER_OTHER_KEY, ASKED_AGAIN, KEPT } from './key-circumstances.ts';
import { NOT_COUNTED } from './uses-symptom.ts';

const KIND_OF_KEY: Readonly<Record<string, SymptomKind>> = {
  'a request with a disabled key': 'a disabled key',
  'a request with a deleted key': 'a deleted key',
  'a request with a key in the wrong place': 'a key in the wrong place',
};
const KIND_OF_OUTCOME: Readonly<Partial<Record<Outcome, SymptomKind>>> = {
  granted: 'a good ticket',
  invalid_ticket: 'a forged code',
  event_not_allowed: 'a ticket out of scope',
  missing_ticket_code: 'a body without a code',
  confirmed: 'a heartbeat',
};

/** Outcomes that are about no ticket: the key was refused, if not as it had to be. */
const KEY_REFUSALS: readonly Outcome[] = ['denied', 'error', 'limited', 'strange', 'unauthorised'];

const WITHOUT_A_KEY = 'a request with no key accepted';
/** A server that does one of these does not look at the key of each request: what other keys get from it follows. */
const LETS_KEYS_THROUGH = [KEPT, AFTER_OTHER_KEY, ASKED_AGAIN, WITHOUT_A_KEY];

export function outcomeSymptom(expected: Expected, outcome: Outcome, exchange: Exchange): Symptom {
  const { request, answer } = exchange;
  const { status } = answer;
  if (expected.isKeyRefused && KEY_REFUSALS.includes(outcome))
    return {
      name: `key refused with HTTP ${status}`,
      kinds: ['a refused key', 'a deleted key'],
      cause: `${capital(expected.what)} is refused with HTTP ${status}, not with ${expected.outcomes[0] === 'limited' ? 429 : 401}.`,
    };
  if (expected.isKeyRefused)
    return {
      name: `${expected.what} accepted`,
      ...(isWithoutAnyKey(request) ? { isWhole: true } : { partOf: LETS_KEYS_THROUGH }),
      kinds: [KIND_OF_KEY[expected.what] ?? 'a refused key'],
      isDangerous: true,
      cause: `${capital(expected.what)} is accepted: ${
        outcome === 'confirmed'
          ? 'the heartbeat is confirmed.'
          : `the answer "${outcome}" says something about a ticket.`
      }${afterChange(expected)}`,
    };
  const kind = KIND_OF_OUTCOME[expected.outcomes[0] ?? 'strange'] ?? 'a refused ticket';
  return {
    name: `${expected.what}: ${expected.outcomes[0]}, not ${outcome}`,
    kinds: [kind],
    partOf: wholesOf(expected.outcomes[0], outcome, answer),
    ...refusedAlike(expected, outcome, kind),
    cause: `${capital(expected.what)} ${told(expected, outcome, status)}${afterChange(expected)}`,
  };
}

/** What is wrong with an answer, in words. */
function told({ outcomes }: Expected, outcome: Outcome, status: number): string {
  if (status === 429 && outcome === 'granted')
    return 'is let in with HTTP 429: the limit changes the status of the answer and not the answer.';
  return `is answered as "${outcome}", not as ${allowedInWords(outcomes)}.`;
}

/** More outcomes than these are not listed: the specification asks for a refusal, and leaves its words open. */
const LISTED_MAX = 4;

function allowedInWords(outcomes: Expected['outcomes']): string {
  if (outcomes.length > LISTED_MAX && !outcomes.includes('granted'))
    return `"${outcomes[0]}" or any other refusal`;
  return `"${outcomes.join('" or "')}"`;
}

/** What else may be wrong where the run has changed the key. */
function afterChange({ isKeyChanged }: Expected): string {
  return isKeyChanged
    ? ' The server still goes by what the key was before, or the hook did not change it.'
    : '';
}

/** What may explain that a ticket gets this outcome in place of the right one. */
function wholesOf(right: Outcome | undefined, outcome: Outcome, answer: Answer): readonly string[] {
  if (right === 'granted' && outcome === 'exhausted') return [NOT_COUNTED];
  if (right === 'exhausted' && outcome === 'granted') {
    const { used = 0, allowed = Number.POSITIVE_INFINITY } = read(answer);
    // One that shows no use left contradicts itself: its count is right.
    return used < allowed ? [NOT_COUNTED] : [];
  }
  if (outcome === 'missing_ticket_code' || outcome === 'invalid_ticket') return [UNREAD];
  return right === 'event_not_allowed' && outcome === 'granted' ? LETS_KEYS_THROUGH : [];
}

/**
 * The name and the kinds of what is wrong alike with every kind of ticket: its code is not known as genuine, its event not as one of the
 * key, or that it is used up is told otherwise.
 */
function refusedAlike(
  { kind: ticket, outcomes }: Expected,
  outcome: Outcome,
  kind: SymptomKind,
): Pick<Symptom, 'name' | 'kinds'> | undefined {
  if (ticket !== undefined && outcome === 'invalid_ticket')
    return { name: 'a genuine code taken for a forged one', kinds: ['a good ticket', kind] };
  if (outcomes[0] === 'granted' && outcome === 'event_not_allowed')
    return {
      name: 'a ticket in the scope of the key refused for its event',
      kinds: ['a key for its own event', kind],
    };
  if (outcomes[0] === 'exhausted' && outcome !== 'granted')
    return { name: `a used-up ticket: exhausted, not ${outcome}`, kinds: [kind] };
  return undefined;
}

function isWithoutAnyKey(request: RequestSpec): boolean {
  return keyIn(request) === undefined && isPlain(request);
}
