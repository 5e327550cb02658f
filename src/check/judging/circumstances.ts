import { counted } from '../../kit/text.ts';
import { type Endpoint, type Exchange, endpointAt } from '../facts/exchange.ts';
import { isRecord, type JsonRecord, parsedJson } from '../facts/json.ts';
import { type Outcome, read } from '../facts/reading.ts';
import type { ExpectedAnswers } from '../law/expected.ts';
import { codeIn } from '../law/shown.ts';
import { type Symptom, servedKind } from '../law/symptom-kinds.ts';
import { isPlain } from '../requests/scan-request.ts';

/** Members of which every answer that the specification shows has one. */
const KNOWN_MEMBERS = ['valid', 'status', 'AcsRes', 'Key', 'message'];
/** So many refusals without a grant do not come by chance. */
export const REFUSED_AT_LEAST = 3;
/** A pause in which connections and processes may have been put to rest. */
const SILENCE_MS = 2000;
/** Requests at one moment get each other's answers. */
export const SHARED = 'the answer of a request at the same moment';
/** A grant comes again without a use. */
export const STORED = 'a grant that was kept';
/** Two uses may fall into one millisecond. */
const SAME_AT_LEAST = 3;
/** A body is read at one time and not at another. */
export const UNREAD = 'a body that is read now and then';
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

/**
 * A grant that was sent before, byte by byte and with the time of its scan: the server keeps its answers, and lets in again without a use.
 * @returns one symptom for all endpoints
 */
export function storedSymptom(exchange: Exchange, answers: ExpectedAnswers): Symptom | undefined {
  const twin = sameGrants(exchange, answers).findLast(
    (one) => one.startedMs + one.durationMs <= exchange.startedMs,
  );
  if (!twin) return undefined;
  const ms = Math.round(exchange.startedMs - twin.startedMs);
  return {
    name: STORED,
    isWhole: true,
    isCauseOfParts: true,
    isDangerous: true,
    kinds: ['uses'],
    cause: `The same bytes, scannedAt included, were the answer ${ms} ms before: does the server keep an answer, and send it again where the same request comes again? A second person is let in by it, and no use is taken.`,
  };
}

/** Many grants of one ticket at one moment that do not differ, in words: they may be one that was kept. */
export function sameGrantsInWords(
  exchange: Exchange,
  answers: ExpectedAnswers,
): string | undefined {
  const others = sameGrants(exchange, answers).length;
  if (others < SAME_AT_LEAST) return undefined;
  return `${others + 1} of these answers are the same bytes, scannedAt included. Does the server keep an answer, and send it again where the same request comes again? Or it takes the same use several times within a millisecond.`;
}

/** The other grants of consume for the same ticket with the same bytes, which name the time of the scan. */
function sameGrants(exchange: Exchange, answers: ExpectedAnswers): readonly Exchange[] {
  const { answer, request } = exchange;
  const isTimed = isRecord(answer.json) && typeof answer.json['scannedAt'] === 'string';
  if (!isTimed || read(answer).outcome !== 'granted') return [];
  return answers
    .about(exchange)
    .filter(
      (one) =>
        one !== exchange && one.request.path === request.path && one.answer.body === answer.body,
    );
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
  if (answers.alike(exchange).every((one) => isUnread(one, answers))) return undefined;
  const unread = answers.exchanges.filter((one) => isUnread(one, answers));
  const afterLonger = unread.filter((one) => {
    const before = answers.exchanges[answers.exchanges.indexOf(one) - 1];
    return before && lengthOf(before) > lengthOf(one);
  });
  const guess =
    afterLonger.length === 0
      ? 'What came before it on the server, another body or its refusal, seems to stay.'
      : `A longer body came right before ${afterLonger.length} of them. Does the server keep the rest of another body, or decide before the whole body has come?`;
  return {
    name: UNREAD,
    isWhole: true,
    isCauseOfParts: true,
    kinds: ['a good ticket'],
    cause: `${unread.length} bodies with a code were answered as if they had none, and this one was read in another request. ${guess}`,
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
  const isOfReader = here.length >= REFUSED_AT_LEAST && !here.some(isLetIn);
  if (!isOfReader || !elsewhere.some(isLetIn)) return undefined;
  return {
    name: `refused at Reader ${reader}`,
    endpoint,
    kinds: ['any reader', 'a good ticket'],
    cause: `All ${here.length} good tickets that this run showed to ${exchange.request.path} with Reader ${reader} were refused, and ${elsewhere.filter(isLetIn).length} with other Readers were let in.`,
  };
}

/** The number of the reader that a device sends; undefined for one that sends none. */
export function readerIn({ request }: Pick<Exchange, 'request'>): number | undefined {
  const body = parsedJson(String(request.body ?? ''));
  const { Reader } = isRecord(body) ? body : {};
  return typeof Reader === 'number' ? Reader : undefined;
}

/** What a code or body is that a server may fail to read, by what the specification answers to it. */
const UNREADABLE: Readonly<Partial<Record<Outcome, string>>> = {
  missing_ticket_code: 'that carry no usable code',
  invalid_ticket: 'whose code is not genuine',
};

/** How often an endpoint answers with an error of its own, and to which requests, or how much it had to do at once. */
export function errorsInWords(exchange: Exchange, answers: ExpectedAnswers): string | undefined {
  const { path } = exchange.request;
  const all = answers.exchanges.filter((one) => one.request.path === path);
  const failed = all.filter(({ answer }) => answer.status >= 500);
  const beginning = `${failed.length} of ${counted(all.length, 'request')} to ${path} got a 5xx`;
  const silence = afterSilence(exchange, answers);
  if (silence !== undefined) return `${beginning}, this one ${silence}.`;
  const longer = shortestOfLonger(failed, all);
  if (longer !== undefined)
    return `${beginning}, all of them with a body of ${longer} bytes or more, and none with a shorter one: is there a bound for bodies, or for codes?`;
  const unreadable = unreadableOf(exchange, failed, answers);
  if (unreadable !== undefined)
    return `${beginning}, only ones ${unreadable}; this request got it whenever it was sent.`;
  const beside = underWayWith(exchange, answers).length;
  return `${beginning}, this one while ${counted(beside, 'other request was', 'other requests were')} under way.`;
}

/** What all failed requests have in common that can make a server fail by itself, in words; undefined where one of them was answered well at another time. */
function unreadableOf(
  { request }: Exchange,
  failed: readonly Exchange[],
  answers: ExpectedAnswers,
): string | undefined {
  const kinds = new Set(failed.map((one) => UNREADABLE[answers.of(one)?.outcomes[0] ?? 'granted']));
  const [kind] = kinds;
  const again = answers.exchanges.filter(
    (one) => one.request.path === request.path && String(one.request.body) === String(request.body),
  );
  const isAlways = again.every(({ answer }) => answer.status >= 500);
  return kinds.size === 1 && isAlways ? kind : undefined;
}

/** The bytes of the shortest body that failed, where every body that was answered is shorter; undefined where that is no reason. */
function shortestOfLonger(
  failed: readonly Exchange[],
  all: readonly Exchange[],
): number | undefined {
  const answered = all.filter((one) => !failed.includes(one)).map(lengthOf);
  const shortest = Math.min(...failed.map(lengthOf));
  return answered.length > 0 && shortest > Math.max(...answered) ? shortest : undefined;
}

/** How long nobody had asked the server, in words; undefined for a moment. */
function afterSilence(exchange: Exchange, { exchanges }: ExpectedAnswers): string | undefined {
  const before = exchanges.filter(({ startedMs }) => startedMs < exchange.startedMs);
  const last = Math.max(...before.map(({ startedMs, durationMs }) => startedMs + durationMs));
  const ms = exchange.startedMs - last;
  if (before.length === 0 || ms < SILENCE_MS) return undefined;
  return `as the first after ${(ms / 1000).toFixed(1)} s without a request`;
}
