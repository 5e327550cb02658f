import { timesOf } from '../../kit/text.ts';
import { type Exchange, endpointAt, isRest, keyIn } from '../facts/exchange.ts';
import { read } from '../facts/reading.ts';
import { isAccepted, type KeyState } from '../law/allowed.ts';
import type { ExpectedAnswers } from '../law/expected.ts';
import { codeIn } from '../law/shown.ts';
import { type Symptom, servedKind } from '../law/symptom-kinds.ts';
import { isPlain } from '../requests/scan-request.ts';
import { TELLS_OF_TICKET } from './expect.ts';

/** Requests before an answer that are looked at for what may have caused it. */
const LOOKED_BACK = 60;
/** Good keys are refused, and not because of what they are. */
export const SHUT_OUT = 'good keys refused after refused ones';
/** A ban is for those who try many keys. */
const BANNED_AFTER = 3;
/** A ban lasts for some time, so that it refuses at least this many good keys in a row. */
const REFUSED_IN_A_ROW = 3;

/**
 * A good key that is refused after refused ones: the server shuts out who sent them (section 5). Once it does, every good key is refused
 * till the ban is over, so what counts are the requests before the first of them.
 * @returns undefined where few refused keys came before
 */
export function banSymptom(exchange: Exchange, answers: ExpectedAnswers): Symptom | undefined {
  const endpoint = endpointAt(exchange.request);
  if (!endpoint || !answers.isServed(endpoint) || !isShutOut(exchange)) return undefined;
  const key = answers.keyOf(exchange, endpoint);
  if (key && !isKnownToServer(key.state)) return undefined;
  // A key that nobody accepts is mistyped; one whose month is used up is accepted nowhere.
  if (key?.state !== 'usedUp' && !answers.wasAccepted(exchange.request)) return undefined;
  const refusals = refusedInARow(exchange, isRest(endpoint), answers);
  const [first] = refusals;
  if (!first || refusals.length < REFUSED_IN_A_ROW) return undefined;
  const refused = refusedKeysBefore(first, answers);
  if (refused < BANNED_AFTER) return undefined;
  const { status } = exchange.answer;
  return {
    name: SHUT_OUT,
    isWhole: true,
    isCauseOfParts: true,
    kinds: ['a key by itself', 'a good key', servedKind(endpoint)],
    cause: `A good key is refused with HTTP ${status} here, and was accepted before: ${refused} of the ${LOOKED_BACK} requests before the first such refusal had keys that must be refused. Does the server shut out the sender of such requests, or their connection? Devices and software behind one address share it.`,
  };
}

/** True for a key that is one: that its month is used up is no reason for 401. */
function isKnownToServer(state: KeyState): boolean {
  return isAccepted(state) || state === 'usedUp';
}

function isShutOut(exchange: Exchange): boolean {
  const { answer } = exchange;
  return (
    answer.status >= 400 &&
    answer.status < 500 &&
    ['unauthorised', 'denied', 'limited'].includes(read(answer).outcome) &&
    !isAboutItsBody(exchange)
  );
}

/** What frameworks answer to a body that they do not take, maybe before they look at the key: it says nothing about the sender. */
const REFUSED_BODIES = [400, 411, 413, 415, 422];

function isAboutItsBody({ request, answer }: Exchange): boolean {
  const endpoint = endpointAt(request);
  const isUsual = isPlain(request) && endpoint && codeIn(request, endpoint) !== undefined;
  return !isUsual && REFUSED_BODIES.includes(answer.status);
}

/** The refusals of good keys around this one, between two that were accepted: of software, or of devices, which one sender has each. */
function refusedInARow(
  exchange: Exchange,
  ofSoftware: boolean,
  answers: ExpectedAnswers,
): readonly Exchange[] {
  const isOfSender = ({ request }: Exchange) =>
    isRest(endpointAt(request) ?? 'hw/validate') === ofSoftware;
  const withGoodKey = answers.exchanges.filter(
    (one) =>
      one === exchange || (isOfSender(one) && answers.isKeyGood(one) && !isAboutItsBody(one)),
  );
  const at = withGoodKey.indexOf(exchange);
  const before = withGoodKey.slice(0, at).findLastIndex((one) => !isShutOut(one));
  const after = withGoodKey.findIndex((one, index) => index > at && !isShutOut(one));
  return withGoodKey.slice(before + 1, after < 0 ? undefined : after);
}

/** @returns how many of the requests before this answer carried a key that must be refused, as far as `LOOKED_BACK` reaches */
function refusedKeysBefore(exchange: Exchange, answers: ExpectedAnswers): number {
  const at = Math.max(0, answers.exchanges.indexOf(exchange));
  const before = answers.exchanges.slice(Math.max(0, at - LOOKED_BACK), at);
  return before.filter((one) => {
    const endpoint = endpointAt(one.request);
    const key = endpoint && answers.keyOf(one, endpoint);
    return key && !isKnownToServer(key.state);
  }).length;
}

/** What explains that a request gets what its key may not have. */
export const KEPT = 'an answer kept for another key';
export const ASKED_AGAIN = 'let through when it asks again';
export const AFTER_OTHER_KEY = 'let through after another key asked';

/**
 * A key that must be refused is answered with what another one got before (section 5): something keeps answers and does not know the key. It
 * must be so for most of them.
 */
export function keptSymptom(exchange: Exchange, answers: ExpectedAnswers): Symptom | undefined {
  if (!answers.of(exchange)?.isKeyRefused || !tellsOfTicket(exchange)) return undefined;
  if (!isRepeated(exchange, answers)) return undefined;
  const { known, isMemory } = barredAt(exchange, answers, 'alike');
  const repeated = known.filter((one) => isRepeated(one, answers));
  if (!isMemory || repeated.length <= known.length / 2) return undefined;
  return {
    name: KEPT,
    isWhole: true,
    isCauseOfParts: true,
    kinds: ['a key by itself', 'a refused key'],
    isDangerous: true,
    cause:
      'The same bytes were the answer to the same request with another key before, and this key is refused where no other was shown: does a cache keep answers without their key?',
  };
}

/**
 * The same request was refused before, as its key demands (sections 3.1 and 5), and is let through here.
 * @returns one symptom for all endpoints
 */
export function askedAgainSymptom(
  exchange: Exchange,
  answers: ExpectedAnswers,
): Symptom | undefined {
  const what = whyBarred(exchange, answers);
  // Whether a key was changed as it was asked for is not known.
  if (what === undefined || answers.of(exchange)?.isKeyChanged || answers.isRightOutcome(exchange))
    return undefined;
  const isKeyRefused = answers.of(exchange)?.isKeyRefused;
  const isThrough = isKeyRefused
    ? tellsOfTicket(exchange)
    : read(exchange.answer).outcome === 'granted';
  if (!isPlain(exchange.request) || !isThrough) return undefined;
  const refused = answers
    .alike(exchange)
    .filter(
      (one) =>
        one.startedMs < exchange.startedMs &&
        keyIn(one.request) === keyIn(exchange.request) &&
        whyBarred(one, answers) === what &&
        answers.isRightOutcome(one),
    );
  const [first] = refused;
  if (!first) return undefined;
  const isAfterOther =
    barredAt(exchange, answers, 'about').isMemory &&
    byOthersBefore(exchange, answers.about(exchange)).some(
      (one) => one.startedMs > first.startedMs && tellsOfTicket(one),
    );
  const before = `The same request was refused ${timesOf(refused.length)} before in this run, as it must be, and is let through here`;
  return {
    name: isAfterOther ? AFTER_OTHER_KEY : ASKED_AGAIN,
    isWhole: true,
    isCauseOfParts: true,
    ...(isAfterOther ? { partOf: [KEPT] } : {}),
    kinds: isKeyRefused ? ['a refused key'] : ['a ticket out of scope'],
    isDangerous: true,
    cause: isAfterOther
      ? `${before}, after another key asked for the same ticket: does the server remember its decision without the key?`
      : `${before}. Does the server look at the key of some requests only, such as the first of a connection, or let in who asks often enough?`,
  };
}

/**
 * A ticket that a key has access to is refused for its event, after another key without access was (section 5). It must be so for all that
 * are refused in this way: else the server errs in what it takes for the scope.
 * @returns one symptom for all endpoints
 */
export function refusedAlikeSymptom(
  exchange: Exchange,
  answers: ExpectedAnswers,
): Symptom | undefined {
  if (!isRefusedForEvent(exchange, answers)) return undefined;
  const alike = answers.exchanges.filter((one) => isRefusedForEvent(one, answers));
  if (!alike.every((one) => wasRefusedToOther(one, answers))) return undefined;
  return {
    name: 'refused after another key was',
    kinds: ['a key by itself', 'a key for its own event'],
    cause:
      'Another key was refused for the event of this ticket before, as it must be, and this one has access: does the server remember its decision without the key?',
  };
}

/** True where the ticket had to be let in, and its event is the reason why it is not. */
function isRefusedForEvent(exchange: Exchange, answers: ExpectedAnswers): boolean {
  return (
    read(exchange.answer).outcome === 'event_not_allowed' &&
    answers.of(exchange)?.outcomes[0] === 'granted' &&
    !answers.isRightOutcome(exchange)
  );
}

function wasRefusedToOther(exchange: Exchange, answers: ExpectedAnswers): boolean {
  return byOthersBefore(exchange, answers.about(exchange)).some(
    (one) => read(one.answer).outcome === 'event_not_allowed' && answers.isRightOutcome(one),
  );
}

/** What a request shows, in words, where its key or the scope of it must be refused. */
function whyBarred(exchange: Exchange, answers: ExpectedAnswers): string | undefined {
  const { what, isKeyRefused, outcomes } = answers.of(exchange) ?? {};
  return isKeyRefused || outcomes?.[0] === 'event_not_allowed' ? what : undefined;
}

/**
 * What a path answered to those that must be refused for their key.
 * @param what the question that another key must have asked before, for the server to remember its answer
 * @returns those that asked what another key was answered before; and whether the server may remember that, because nobody else is let through
 */
function barredAt({ request }: Exchange, answers: ExpectedAnswers, what: 'alike' | 'about') {
  const barred = answers.exchanges.filter(
    (one) =>
      one.request.path === request.path &&
      whyBarred(one, answers) !== undefined &&
      !answers.of(one)?.isKeyChanged,
  );
  const known = barred.filter((one) => byOthersBefore(one, answers[what](one)).some(tellsOfTicket));
  const others = barred.filter((one) => !known.includes(one));
  const isMemory =
    others.length > 0 && !others.some((one) => tellsOfTicket(one) && !answers.isRightOutcome(one));
  return { known, isMemory };
}

function tellsOfTicket({ answer }: Exchange): boolean {
  return [...TELLS_OF_TICKET, 'confirmed'].includes(read(answer).outcome);
}

/** Those of these answers that were sent before, with other keys. */
function byOthersBefore(later: Exchange, answers: readonly Exchange[]): Exchange[] {
  return answers.filter(
    (one) => one.startedMs < later.startedMs && keyIn(one.request) !== keyIn(later.request),
  );
}

/** True for the answer that the same request got before, byte by byte. */
export function isAsBefore(exchange: Exchange, answers: ExpectedAnswers): boolean {
  return answers
    .alike(exchange)
    .some(
      ({ startedMs, answer }) =>
        startedMs < exchange.startedMs && answer.body === exchange.answer.body,
    );
}

/** True for the answer that the same request got with another key before, byte by byte. The echo of a heartbeat is the same for every key. */
function isRepeated(exchange: Exchange, answers: ExpectedAnswers): boolean {
  if (endpointAt(exchange.request) === 'heartbeat') return false;
  return byOthersBefore(exchange, answers.alike(exchange)).some(
    ({ answer }) => answer.body === exchange.answer.body,
  );
}
