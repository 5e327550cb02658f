import { counted } from '../../kit/text.ts';
import { type Endpoint, type Exchange, endpointAt, isRest, keyIn } from '../facts/exchange.ts';
import { isRecord, type JsonRecord, parsedJson } from '../facts/json.ts';
import { read } from '../facts/reading.ts';
import { isAccepted, type KeyState } from '../law/allowed.ts';
import type { ExpectedAnswers } from '../law/expected.ts';
import { codeIn } from '../law/shown.ts';
import { type Symptom, servedKind } from '../law/symptom-kinds.ts';
import { isPlain } from '../requests/scan-request.ts';
import { TELLS_OF_TICKET } from './expect.ts';

/** Members of which every answer that the specification shows has one. */
const KNOWN_MEMBERS = ['valid', 'status', 'AcsRes', 'Key', 'message'];
/** Requests before an answer that are looked at for what may have caused it. */
const LOOKED_BACK = 60;
/** Requests at one moment get each other's answers. */
export const SHARED = 'the answer of a request at the same moment';
/** A body is read at one time and not at another. */
export const UNREAD = 'a body that is read now and then';
/** Good keys are refused, and not because of what they are. */
export const SHUT_OUT = 'good keys refused after refused ones';
/** A ban is for those who try many keys. */
const BANNED_AFTER = 3;
/** A ban lasts for some time, so that it refuses at least this many good keys in a row. */
const REFUSED_IN_A_ROW = 3;

/**
 * The whole answer stands inside another object: `{"data":{"valid":true,…}}`. No case can read it, and all of them fail by that.
 * @returns one symptom for all endpoints
 */
export function envelopeSymptom({ answer, request }: Exchange): Symptom | undefined {
  const endpoint = endpointAt(request);
  const { json } = answer;
  if (!endpoint || !isRecord(json) || hasKnownMember(json)) return undefined;
  const [around] = Object.keys(json).filter((name) => hasKnownMember(json[name]));
  if (around === undefined) return undefined;
  return {
    name: `wrapped in ${around}`,
    kinds: ['a good ticket', servedKind(endpoint)],
    cause: `The answer is an object inside the member "${around}". Send its fields at the top of the JSON object.`,
  };
}

function hasKnownMember(value: unknown): value is JsonRecord {
  return isRecord(value) && KNOWN_MEMBERS.some((name) => name in value);
}

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

function isShutOut({ answer }: Exchange): boolean {
  return (
    answer.status >= 400 &&
    answer.status < 500 &&
    ['unauthorised', 'denied', 'limited'].includes(read(answer).outcome)
  );
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
    (one) => one === exchange || (isOfSender(one) && answers.isKeyGood(one)),
  );
  const at = withGoodKey.indexOf(exchange);
  const before = withGoodKey.slice(0, at).findLastIndex((one) => !isShutOut(one));
  const after = withGoodKey.findIndex((one, index) => index > at && !isShutOut(one));
  return withGoodKey.slice(before + 1, after < 0 ? undefined : after);
}

/** The requests that showed the same ticket at the same time, in words; undefined where there was none. */
export function besideOthers(exchange: Exchange, answers: ExpectedAnswers): string | undefined {
  const count = answers.besides(exchange);
  if (count === 0) return undefined;
  return `At the same time, ${counted(count, 'other request')} showed this ticket. If it is let in when it is shown alone, the server refuses instead of waiting its turn.`;
}

/**
 * An answer that another request got at the same moment, byte by byte, for another ticket: the server shares something between requests.
 * @returns one symptom for all endpoints
 */
export function sharedSymptom(exchange: Exchange, answers: ExpectedAnswers): Symptom | undefined {
  const { json, body } = exchange.answer;
  if (!isRecord(json) || typeof json['ticketId'] !== 'string') return undefined;
  if (answers.isRightOutcome(exchange) && !answers.wrongFact(exchange)) return undefined;
  // A forged code that was made from one of that ticket shows no other ticket.
  const endpoint = endpointAt(exchange.request);
  if (endpoint && codeIn(exchange.request, endpoint)?.includes(json['ticketId'])) return undefined;
  const twin = underWayWith(exchange, answers).find(
    (one) =>
      one.answer.body === body &&
      String(one.request.body) !== String(exchange.request.body) &&
      answers.isRightOutcome(one),
  );
  if (!twin) return undefined;
  return {
    name: SHARED,
    kinds: ['another ticket', 'a key by itself'],
    isWhole: true,
    isCauseOfParts: true,
    cause:
      'The same bytes were the answer to another ticket at the same moment: does the server keep what it answers where all requests see it?',
  };
}

/** True where other requests were under way when this one was answered. */
export function isBesideOthers(exchange: Exchange, answers: ExpectedAnswers): boolean {
  return underWayWith(exchange, answers).length > 0;
}

function underWayWith(exchange: Exchange, { exchanges }: ExpectedAnswers): Exchange[] {
  const end = exchange.startedMs + exchange.durationMs;
  return exchanges.filter(
    (one) =>
      one !== exchange &&
      one.startedMs < end &&
      one.startedMs + one.durationMs > exchange.startedMs,
  );
}

/**
 * A body that was read in another request is answered as one without a code: what is wrong is how the server takes bodies from a connection.
 * @returns one symptom for all endpoints
 */
export function unreadSymptom(exchange: Exchange, answers: ExpectedAnswers): Symptom | undefined {
  if (!isUnread(exchange, answers)) return undefined;
  const same = answers.exchanges.filter((one) => isSameRequest(one, exchange));
  if (same.every((one) => isUnread(one, answers))) return undefined;
  const unread = answers.exchanges.filter((one) => isUnread(one, answers));
  const afterLonger = unread.filter((one) => {
    const before = answers.exchanges[answers.exchanges.indexOf(one) - 1];
    return before && lengthOf(before) > lengthOf(one);
  });
  return {
    name: UNREAD,
    isWhole: true,
    isCauseOfParts: true,
    kinds: ['a good ticket'],
    cause: `${unread.length} bodies with a code were answered as if they had none, and this one was read in another request. A longer body came right before ${afterLonger.length} of them. Does the server keep the rest of another body, or decide before the whole body has come?`,
  };
}

function isUnread(exchange: Exchange, answers: ExpectedAnswers): boolean {
  return (
    isPlain(exchange.request) &&
    read(exchange.answer).outcome === 'missing_ticket_code' &&
    !answers.isRightOutcome(exchange)
  );
}

function lengthOf({ request: { body = '' } }: Exchange): number {
  return Buffer.byteLength(body);
}

/** Good tickets are refused at one Reader, always, and let in at others: the number of the reader is what the server errs by. */
export function readerSymptom(
  exchange: Exchange,
  endpoint: Endpoint,
  answers: ExpectedAnswers,
): Symptom | undefined {
  const reader = readerIn(exchange);
  if (reader === undefined || read(exchange.answer).outcome === 'granted') return undefined;
  const good = answers.exchanges.filter(
    (one) =>
      one.request.path === exchange.request.path && answers.of(one)?.outcomes.join() === 'granted',
  );
  if (!good.includes(exchange)) return undefined;
  const isLetIn = (one: Exchange) => read(one.answer).outcome === 'granted';
  const here = good.filter((one) => readerIn(one) === reader);
  const elsewhere = good.filter((one) => readerIn(one) !== reader);
  const isOfReader = here.length >= REFUSED_IN_A_ROW && !here.some(isLetIn);
  if (!isOfReader || !elsewhere.some(isLetIn)) return undefined;
  return {
    name: `refused at Reader ${reader}`,
    endpoint,
    kinds: ['any reader', 'a good ticket'],
    cause: `All ${here.length} good tickets that this run showed to ${exchange.request.path} with Reader ${reader} were refused, and ${elsewhere.filter(isLetIn).length} with other Readers were let in.`,
  };
}

function readerIn({ request }: Exchange): number | undefined {
  const body = parsedJson(String(request.body ?? ''));
  const { Reader } = isRecord(body) ? body : {};
  return typeof Reader === 'number' ? Reader : undefined;
}

/** How often an endpoint answers with an error of its own, and how much it had to do at once. */
export function errorsInWords(exchange: Exchange, answers: ExpectedAnswers): string | undefined {
  const { path } = exchange.request;
  const all = answers.exchanges.filter((one) => one.request.path === path);
  const failed = all.filter(({ answer }) => answer.status >= 500);
  const beside = underWayWith(exchange, answers).length;
  return `${failed.length} of ${counted(all.length, 'request')} to ${path} got a 5xx, this one while ${counted(beside, 'other request was', 'other requests were')} under way.`;
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
  const { known, isMemory } = barredAt(exchange, answers, isSameRequest);
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
  if (what === undefined || answers.isRightOutcome(exchange)) return undefined;
  const isKeyRefused = answers.of(exchange)?.isKeyRefused;
  const isThrough = isKeyRefused
    ? tellsOfTicket(exchange)
    : read(exchange.answer).outcome === 'granted';
  if (!isPlain(exchange.request) || !isThrough) return undefined;
  const refused = answers.exchanges.filter(
    (one) =>
      one.startedMs < exchange.startedMs &&
      isSameRequest(one, exchange) &&
      keyIn(one.request) === keyIn(exchange.request) &&
      whyBarred(one, answers) === what &&
      answers.isRightOutcome(one),
  );
  const [first] = refused;
  if (!first) return undefined;
  const isAfterOther =
    barredAt(exchange, answers, showsSameTicket).isMemory &&
    shownByOthersBefore(exchange, answers, showsSameTicket).some(
      (one) => one.startedMs > first.startedMs && tellsOfTicket(one),
    );
  const times = refused.length === 1 ? 'once' : `${refused.length} times`;
  const before = `The same request was refused ${times} before in this run, as it must be, and is let through here`;
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

/** What a request shows, in words, where its key or the scope of it must be refused. */
function whyBarred(exchange: Exchange, answers: ExpectedAnswers): string | undefined {
  const { what, isKeyRefused, outcomes } = answers.of(exchange) ?? {};
  return isKeyRefused || outcomes?.[0] === 'event_not_allowed' ? what : undefined;
}

/**
 * What a path answered to those that must be refused for their key.
 * @param isSame what another key must have asked before, for the server to remember it
 * @returns those that asked what another key was answered before; and whether the server may remember that, because nobody else is let through
 */
function barredAt({ request }: Exchange, answers: ExpectedAnswers, isSame: typeof isSameRequest) {
  const barred = answers.exchanges.filter(
    (one) => one.request.path === request.path && whyBarred(one, answers) !== undefined,
  );
  const known = barred.filter((one) =>
    shownByOthersBefore(one, answers, isSame).some(tellsOfTicket),
  );
  const others = barred.filter((one) => !known.includes(one));
  const isMemory =
    others.length > 0 && !others.some((one) => tellsOfTicket(one) && !answers.isRightOutcome(one));
  return { known, isMemory };
}

function tellsOfTicket({ answer }: Exchange): boolean {
  return [...TELLS_OF_TICKET, 'confirmed'].includes(read(answer).outcome);
}

function isSameRequest(one: Exchange, other: Exchange): boolean {
  return (
    one.request.path === other.request.path &&
    String(one.request.body) === String(other.request.body)
  );
}

function showsSameTicket({ request: one }: Exchange, { request: other }: Exchange): boolean {
  const [from, to] = [endpointAt(one), endpointAt(other)];
  const code = from && codeIn(one, from);
  return code !== undefined && to !== undefined && code === codeIn(other, to);
}

/** The answers to the same question with other keys, which were sent before. */
function shownByOthersBefore(
  later: Exchange,
  { exchanges }: ExpectedAnswers,
  isSame: typeof isSameRequest,
): Exchange[] {
  return exchanges.filter(
    (one) =>
      one.startedMs < later.startedMs &&
      keyIn(one.request) !== keyIn(later.request) &&
      isSame(one, later),
  );
}

/** True for the answer that the same request got before, byte by byte. */
export function isAsBefore(exchange: Exchange, { exchanges }: ExpectedAnswers): boolean {
  return exchanges.some(
    (one) =>
      one.startedMs < exchange.startedMs &&
      isSameRequest(one, exchange) &&
      one.answer.body === exchange.answer.body,
  );
}

/** True for the answer that the same request got with another key before, byte by byte. The echo of a heartbeat is the same for every key. */
function isRepeated(exchange: Exchange, answers: ExpectedAnswers): boolean {
  if (endpointAt(exchange.request) === 'heartbeat') return false;
  return shownByOthersBefore(exchange, answers, isSameRequest).some(
    ({ answer }) => answer.body === exchange.answer.body,
  );
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
