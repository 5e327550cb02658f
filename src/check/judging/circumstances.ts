import { counted } from '../../kit/text.ts';
import { type Exchange, endpointAt } from '../facts/exchange.ts';
import { isRecord } from '../facts/json.ts';
import { type Outcome, read } from '../facts/reading.ts';
import { isAccepted } from '../law/allowed.ts';
import type { ExpectedAnswers } from '../law/expected.ts';
import type { Symptom } from '../law/symptom-kinds.ts';
import { servedKind } from '../law/symptom-kinds.ts';

/** Members of which every answer that the specification shows has one. */
const KNOWN_MEMBERS = ['valid', 'status', 'AcsRes', 'Key', 'message'];
/** Requests before an answer that are looked at for what may have caused it. */
const LOOKED_BACK = 20;
/** A ban is for those who try many keys. */
const BANNED_AFTER = 3;

/**
 * The whole answer stands inside another object: `{"data":{"valid":true,…}}`. No case can read it, and all of them fail by that.
 * @returns one symptom for all endpoints
 */
export function envelopeSymptom({ answer, request }: Exchange): Symptom | undefined {
  if (!isRecord(answer.json) || KNOWN_MEMBERS.some((name) => name in Object(answer.json)))
    return undefined;
  const wrapped = Object.entries(answer.json).find(
    ([, value]) => isRecord(value) && KNOWN_MEMBERS.some((name) => name in value),
  );
  const endpoint = endpointAt(request);
  if (!wrapped || !endpoint) return undefined;
  return {
    name: `wrapped in ${wrapped[0]}`,
    kinds: ['a good ticket', servedKind(endpoint)],
    cause: `The whole answer stands in a member "${wrapped[0]}": its fields belong at the top of the JSON object.`,
  };
}

/**
 * A good key that is refused after refused ones: the server shuts out who sent them (section 5).
 * @returns undefined where few refused keys came before
 */
export function banSymptom(exchange: Exchange, answers: ExpectedAnswers): Symptom | undefined {
  const { status } = exchange.answer;
  const endpoint = endpointAt(exchange.request);
  const key = endpoint && answers.keyOf(exchange.request, endpoint);
  if (!endpoint || !key || !isAccepted(key.state) || status < 400 || status >= 500)
    return undefined;
  if (!['unauthorised', 'denied', 'limited'].includes(read(exchange.answer).outcome))
    return undefined;
  if (!answers.isServed(endpoint) || !answers.wasFormAccepted(exchange.request)) return undefined;
  const refused = answers.refusedKeysBefore(exchange, LOOKED_BACK);
  if (refused < BANNED_AFTER) return undefined;
  return {
    name: 'good keys refused after refused ones',
    kinds: ['a key by itself', 'a good key', servedKind(endpoint)],
    cause: `A good key is refused with HTTP ${status} here, and was accepted before: ${refused} of the ${LOOKED_BACK} requests before had keys that must be refused. Does the server shut out the sender of such requests? Devices and software behind one address share it.`,
  };
}

/** The requests that showed the same ticket at the same time, in words; undefined where there was none. */
export function besideOthers(exchange: Exchange, answers: ExpectedAnswers): string | undefined {
  const count = answers.besides(exchange);
  if (count === 0) return undefined;
  return `At the same time, ${counted(count, 'other request')} showed this ticket. If it is let in when it is shown alone, the server refuses instead of waiting its turn.`;
}

/** What says something about a ticket. */
const TELLING: readonly Outcome[] = [
  ...([
    'granted',
    'exhausted',
    'expired',
    'not_yet_valid',
    'ticket_cancelled',
    'not_found',
  ] as const),
];

/** A refused key is answered with what an accepted one got before (section 5): something keeps answers and does not know the key. */
export function keptSymptom(exchange: Exchange, answers: ExpectedAnswers): Symptom | undefined {
  const expected = answers.of(exchange);
  // A heartbeat answers with a part of its request, and a refusal is the same for everybody.
  if (!expected?.isKeyRefused || !TELLING.includes(read(exchange.answer).outcome)) return undefined;
  if (!answers.isKeptForOtherKey(exchange)) return undefined;
  return {
    name: 'an answer kept for another key',
    kinds: ['a key by itself', 'a refused key'],
    isDangerous: true,
    cause:
      'The same bytes were the answer to the same request with another key before, and this key is refused where no other was shown: does a cache keep answers without their key?',
  };
}
