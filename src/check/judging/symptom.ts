import { DENIAL_NOTES, NOTE_BYTES_MAX, usesInNote } from '../facts/device-answer.ts';
import { isRecord } from '../facts/json.ts';
import { type Outcome, read } from '../facts/reading.ts';
import { isAccepted } from '../law/allowed.ts';
import {
  type Endpoint,
  type Exchange,
  endpointAt,
  isConsume,
  isRest,
} from '../requests/exchange.ts';
import type { Expected, ExpectedAnswers } from './expected.ts';

/**
 * What is wrong with an answer, named so that the same fault has the same name in every case that meets it. Cases that fail by one
 * symptom have one root.
 */
export interface Symptom {
  readonly name: string;
  /** Where the answer came from that shows it; left out for what the endpoints share. */
  readonly endpoint?: Endpoint;
  /** A grant that had to be a denial, or a use that was not counted: never the follower of anything else. */
  readonly isDangerous?: true;
  /** The case that states what is broken; of several, the first that failed. */
  readonly home?: string | readonly string[];
  /** A sentence on the answer; only of what was observed. */
  readonly cause?: string | undefined;
}

/** A rule on every answer, which explains why other cases cannot read one that breaks it. */
export interface AnswerRule {
  readonly id: string;
  readonly endpoints: readonly Endpoint[];
  /** Expected and observed, and the fields that are wrong; all of them where none is named. */
  readonly wrong: (
    exchange: Exchange,
    isKeyGood: boolean,
  ) => readonly [expected: string, observed: string, fields?: readonly string[]] | undefined;
}

/** The fields that a deviation is about. */
type Fields = readonly string[] | undefined;

/** In place of a field: more grants than the ticket has uses. Nothing else explains that. */
export const TOO_MANY = 'more grants than uses';

const MIXED_UP: Symptom = {
  name: 'the answer of another ticket',
  home: ['2.3/ticket-id-as-issued', '2.3/nothing-of-another-ticket'],
  cause: 'The answer is that of another ticket: its ticketId was shown for another code as well.',
};

/** In place of a field: an answer has a key in it. */
export const KEY_SHOWN = 'a key in an answer';

const SHOWN_KEY: Symptom = {
  name: KEY_SHOWN,
  isDangerous: true,
  cause: 'Logs and displays keep answers. A person who reads the key there can use it.',
};

/** What says two things at once: the door goes by AcsRes, and the display by the Note. */
function contradiction({ answer }: Exchange): Symptom | undefined {
  const { AcsRes, Note } = isRecord(answer.json) ? answer.json : {};
  if (AcsRes === '1' && DENIALS.includes(Note))
    return {
      name: 'opens with the Note of a denial',
      home: '4/refused-ticket',
      isDangerous: true,
      cause: `The door opens beside the Note "${Note}": the ticket is refused, and AcsRes is wrong.`,
    };
  if (AcsRes === '0' && usesInNote(Note))
    return {
      name: 'stays shut with the Note of a grant',
      home: '4/good-ticket',
      cause: `The door stays shut beside the Note "${Note}": the ticket is let in, and AcsRes is wrong.`,
    };
  return undefined;
}

const DENIALS: readonly unknown[] = Object.values(DENIAL_NOTES);

/** Names what is wrong with the answer by which a case failed. Undefined where only the case itself knows. */
export function symptomOf(
  exchange: Exchange,
  fields: Fields,
  answers: ExpectedAnswers,
  rules: readonly AnswerRule[],
): Symptom | undefined {
  const endpoint = endpointAt(exchange.request);
  if (endpoint === undefined) return undefined;
  const expected = answers.of(exchange);
  if (fields?.includes(TOO_MANY)) return { name: TOO_MANY, endpoint, isDangerous: true };
  if (fields?.includes(KEY_SHOWN)) return SHOWN_KEY;
  if (answers.isOfAnotherTicket(exchange)) return { ...MIXED_UP, endpoint };
  const access = accessSymptom(exchange, endpoint, answers);
  if (access) return access;
  const isRight = expected?.outcomes.includes('granted') === true;
  const contradicted =
    contradiction(exchange) ?? (isRight ? grantNoteSymptom(exchange, fields) : undefined);
  if (contradicted) return { ...contradicted, endpoint };
  const found = answerSymptom(exchange, expected, usesSymptom(exchange, expected, answers), {
    rule: rules.find((one) => explains(one, exchange, fields, answers)),
    fields,
  });
  return found && { ...(found.name === NOT_COUNTED ? {} : { endpoint }), ...found };
}

function answerSymptom(
  exchange: Exchange,
  expected: Expected | undefined,
  uses: Symptom | undefined,
  { rule, fields }: { rule: AnswerRule | undefined; fields: Fields },
): Symptom | undefined {
  const { outcome } = read(exchange.answer);
  const wrong = wrongOutcome(exchange, expected, uses);
  // an answer that is well made and says something else: its form explains nothing
  if (wrong && !UNCLEAR.includes(outcome))
    return { ...wrong, ...(outcome === 'granted' ? { isDangerous: true } : {}) };
  if (rule) return { name: `rule ${rule.id}`, home: rule.id };
  return wrong ?? (expected && detailSymptom(exchange, expected, fields, uses));
}

function wrongOutcome(
  exchange: Exchange,
  expected: Expected | undefined,
  uses: Symptom | undefined,
): Symptom | undefined {
  const { outcome } = read(exchange.answer);
  if (!expected || expected.outcomes.includes(outcome)) return undefined;
  // a denial whose text is unknown is a denial: its text is what is wrong
  const note = outcome === 'denied' ? noteSymptom(exchange, expected) : undefined;
  return note ?? uses ?? outcomeSymptom(expected, outcome, exchange.answer.status);
}

const UNCLEAR: readonly Outcome[] = ['strange', 'denied', 'error', 'limited'];

/** A good key is refused, or every answer of the endpoint is an error: then every case fails there. */
function accessSymptom(
  { request, answer }: Exchange,
  endpoint: Endpoint,
  answers: ExpectedAnswers,
): Symptom | undefined {
  const key = answers.keyOf(request, endpoint);
  const isRefused = key !== undefined && isAccepted(key.state) && answer.status === 401;
  const home = endpoint === 'heartbeat' ? '4.5/answers' : '4/good-ticket';
  if (isRefused && answers.wasAccepted(request))
    return {
      name: `${key.what} refused now and then`,
      home: ['5/good-key-accepted', home].flat(),
      cause: `${capital(key.what)} is refused with HTTP 401 here, and other requests of this run were answered with it.`,
    };
  if (isRefused)
    return {
      name: `${key.what} refused`,
      home: key.state === 'scoped' ? '5/own-event' : home,
      cause: `${capital(key.what)} of the target file is refused with HTTP 401. Is it a key of this deployment, enabled and of the right type?`,
    };
  if (answers.isServed(endpoint)) return undefined;
  return {
    name: 'not served',
    home,
    cause: `POST ${request.path} answers every request of the run with an HTTP error, here with ${answer.status}.`,
    endpoint,
  };
}

/** The outcome is right: is it the status, the count or the text of the display that the case is about? */
function detailSymptom(
  exchange: Exchange,
  expected: Expected,
  fields: Fields,
  uses: Symptom | undefined,
): Symptom | undefined {
  const isAbout = (...names: readonly string[]) =>
    fields === undefined || fields.some((name) => names.includes(name));
  const word = isAbout('status') ? statusWordSymptom(exchange) : undefined;
  if (word) return word;
  const status = isAbout('HTTP status') ? statusSymptom(exchange, expected) : undefined;
  if (status) return status;
  return (isAbout(...COUNTS) ? uses : undefined) ?? noteSymptom(exchange, expected);
}

/** A grant at a device whose Note shows no uses: whatever is about the Note or the uses cannot be read. Bytes and length have rules of their own. */
function grantNoteSymptom({ answer }: Exchange, fields: Fields): Symptom | undefined {
  const { AcsRes, Note } = isRecord(answer.json) ? answer.json : {};
  if (AcsRes !== '1' || typeof Note !== 'string' || usesInNote(Note)) return undefined;
  if (answer.isBroken || Buffer.byteLength(Note) > NOTE_BYTES_MAX) return undefined;
  if (fields && !fields.some((name) => COUNTS.includes(name))) return undefined;
  return { name: 'Note of a grant', home: ['7.3/note-of-a-grant', '2.4/every-grant-opens'] };
}

const COUNTS: readonly string[] = ['usesConsumed', 'usesRemaining', 'Note', 'usesAllowed'];

function explains(
  { endpoints, wrong }: AnswerRule,
  exchange: Exchange,
  fields: Fields,
  answers: ExpectedAnswers,
): boolean {
  const endpoint = endpointAt(exchange.request);
  if (!endpoint || !endpoints.includes(endpoint)) return false;
  const found = wrong({ ...exchange, level: 'stated' }, answers.isKeyGood(exchange.request));
  if (!found) return false;
  const [, , broken] = found;
  return (
    broken === undefined || fields === undefined || broken.some((name) => fields.includes(name))
  );
}

const HOME_OF_KEY: Readonly<Record<string, string>> = {
  'a request with a disabled key': '3.1/disabled-key-refused',
  'a request with a deleted key': '3.1/deleted-key-refused',
  'a request with a key in the wrong place': '5/key-in-other-places',
};
const HOME_OF_OUTCOME: Readonly<Partial<Record<Outcome, string>>> = {
  granted: '4/good-ticket',
  invalid_ticket: '2.2/forged-code',
  event_not_allowed: '5/out-of-scope-refused',
  missing_ticket_code: '7.1/bad-body',
  confirmed: '4.5/answers',
};

/** Outcomes that are about no ticket: the key was refused, if not as it had to be. */
const KEY_REFUSALS: readonly Outcome[] = ['denied', 'error', 'limited', 'strange'];

function outcomeSymptom(expected: Expected, outcome: Outcome, status: number): Symptom {
  if (expected.isKeyRefused && KEY_REFUSALS.includes(outcome))
    return {
      name: `key refused with HTTP ${status}`,
      home: ['5/refused-key', '3.1/deleted-key-refused'],
      cause: `${capital(expected.what)} is refused with HTTP ${status}, not with 401.`,
    };
  if (expected.isKeyRefused)
    return {
      name: `${expected.what} accepted`,
      home: HOME_OF_KEY[expected.what] ?? '5/refused-key',
      isDangerous: true,
      cause: `${capital(expected.what)} is accepted: the answer "${outcome}" says something about a ticket.`,
    };
  return {
    name: `${expected.what}: ${expected.outcomes[0]}, not ${outcome}`,
    home: HOME_OF_OUTCOME[expected.outcomes[0] ?? 'strange'] ?? '4/refused-ticket',
    cause: `${capital(expected.what)} is answered as "${outcome}", not as "${expected.outcomes.join('" or "')}".`,
  };
}

/** Uses that were granted and do not show, or show and were not granted. */
export const NOT_COUNTED = 'uses not counted';
/** What every case takes for granted that follows a ticket through its uses. */
export const BEFORE_COUNTING: readonly string[] = [
  ...['4/good-ticket', '2.2/forged-code', '2.4/any-sender', '2.2/uses-allowed'],
];

/** The cases on counting: each takes those before it for granted. */
export const COUNTING_CASES: readonly string[] = [
  '3.2/validate-changes-nothing',
  '3.2/consume-counts-one',
  '3.2/single-only-once',
  '3.2/counter-is-shared',
  '3.2/tickets-count-apart',
  '3.2/keys-share-the-counter',
  '3.2/uses-on-one-connection',
  '3.2/exhausted-stays-exhausted',
  '3.2/card-up-to-its-limit',
  '3.2/each-use-is-counted',
  '5/out-of-scope-keeps-its-use',
];

/** A ticket whose uses this run has taken: does the answer show them? */
function usesSymptom(
  exchange: Exchange,
  expected: Expected | undefined,
  answers: ExpectedAnswers,
): Symptom | undefined {
  const { code, isKeyRefused, outcomes: [right] = [] } = expected ?? {};
  if (code === undefined || isKeyRefused) return undefined;
  const before = answers.usesBefore(exchange, code);
  if (before === undefined) return undefined;
  const isGood = right === 'granted' || (before === 0 && answers.wasGood(exchange, code));
  const atFirst = answers.usesAtFirst(code);
  const { outcome } = read(exchange.answer);
  // never good and never used: it is refused, not miscounted
  if (outcome === 'exhausted' && before === 0 && !answers.wasGood(exchange, code)) return undefined;
  const cause = isGood
    ? whyMiscounted(exchange, before, atFirst)
    : whyLetInAgain(exchange, before, right);
  return cause === undefined ? undefined : { name: NOT_COUNTED, home: COUNTING_CASES, cause };
}

function whyLetInAgain({ answer }: Exchange, before: number, right: Outcome | undefined) {
  return right === 'exhausted' && before > 0 && read(answer).outcome === 'granted'
    ? `A use that was granted is not counted: after ${before} granted uses the ticket was let in again.`
    : undefined;
}

function whyMiscounted({ answer, request }: Exchange, before: number, atFirst: number) {
  const { outcome, used } = read(answer);
  if (outcome === 'exhausted')
    return `A good ticket is answered as used up after ${before} granted uses in this run.`;
  const endpoint = endpointAt(request);
  const granted = before + (endpoint && isConsume(endpoint) && outcome === 'granted' ? 1 : 0);
  return used === undefined || used === granted + atFirst
    ? undefined
    : `The answer shows ${used} uses where ${granted + atFirst} were granted in this run.`;
}

/** A grant that calls itself by the word of the other endpoint. */
function statusWordSymptom({ answer, request }: Exchange): Symptom | undefined {
  const endpoint = endpointAt(request);
  if (!isRest(endpoint) || read(answer).outcome !== 'granted' || !isRecord(answer.json))
    return undefined;
  const right = endpoint === 'consume' ? 'consumed' : 'validated';
  const { status } = answer.json;
  if (status === right) return undefined;
  return { name: `granted as ${status}`, home: '4/good-ticket' };
}

const STATUS_OF: Readonly<Partial<Record<Outcome, number>>> = {
  event_not_allowed: 403,
  not_found: 404,
  missing_ticket_code: 400,
  unauthorised: 401,
};

function statusSymptom({ answer, request }: Exchange, { what }: Expected): Symptom | undefined {
  const { outcome } = read(answer);
  if (!isRest(endpointAt(request)) || outcome === 'invalid_ticket') return undefined;
  const right = STATUS_OF[outcome] ?? 200;
  if (answer.status === right) return undefined;
  return {
    name: `${outcome} with HTTP ${answer.status}`,
    home: '7.1/status',
    cause: `${capital(what)} is answered with HTTP ${answer.status}.`,
  };
}

const NOTES: Readonly<Partial<Record<Outcome, string>>> = {
  exhausted: DENIAL_NOTES.exhausted,
  expired: DENIAL_NOTES.expired,
  invalid_ticket: DENIAL_NOTES.forged,
  not_found: DENIAL_NOTES.unknown,
  not_yet_valid: DENIAL_NOTES.notYetValid,
  event_not_allowed: DENIAL_NOTES.outOfScope,
};

function noteSymptom({ answer }: Exchange, { outcomes }: Expected): Symptom | undefined {
  const note = NOTES[outcomes[0] ?? 'strange'];
  const { AcsRes, Note } = isRecord(answer.json) ? answer.json : {};
  if (AcsRes === undefined || note === undefined || Note === note) return undefined;
  return { name: `Note of ${outcomes[0]}`, home: '7.3/note' };
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
