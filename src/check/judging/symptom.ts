import { capital } from '../../kit/text.ts';
import { DENIAL_NOTES, NOTE_BYTES_MAX, usesInNote } from '../facts/device-answer.ts';
import { type Endpoint, type Exchange, endpointAt, isConsume } from '../facts/exchange.ts';
import { isRecord } from '../facts/json.ts';
import { type Outcome, read } from '../facts/reading.ts';
import { isAccepted } from '../law/allowed.ts';
import type { AnswerRule } from '../law/answer-rule.ts';
import type { Expected, ExpectedAnswers } from '../law/expected.ts';
import { wrongNote, wrongStatus, wrongStatusWord } from '../law/form.ts';
import { type FactName, type Symptom, type SymptomKind, servedKind } from '../law/symptom-kinds.ts';
import {
  besideOthers,
  envelopeSymptom,
  errorsInWords,
  isBesideOthers,
  REFUSED_AT_LEAST,
  readerSymptom,
  SHARED,
  sameGrantsInWords,
  sharedSymptom,
  storedSymptom,
  unreadSymptom,
} from './circumstances.ts';
import {
  askedAgainSymptom,
  banSymptom,
  keptSymptom,
  refusedAlikeSymptom,
  SHUT_OUT,
} from './key-circumstances.ts';
import { outcomeSymptom } from './outcome-symptom.ts';
import { NOT_COUNTED, usesSymptom } from './uses-symptom.ts';
import { NEAR_ITS_WINDOW, windowSymptom } from './window-symptom.ts';

/** The fields that a deviation is about. */
type Fields = readonly string[] | undefined;

/** In place of a field: more grants than the ticket has uses. Nothing else explains that. */
export const TOO_MANY = 'more grants than uses';

/** A ticket is let in although all of its uses are taken, and the answer itself shows it. */
const BEYOND = 'let in beyond its uses';
/** The counter of a ticket is one for all endpoints. */
const WHEREVER: readonly string[] = [NOT_COUNTED, BEYOND, ...NEAR_ITS_WINDOW];

const MIXED_UP: Symptom = {
  name: 'the answer of another ticket',
  kinds: ['another ticket'],
  cause: 'The answer is that of another ticket: its ticketId was shown for another code as well.',
};

/** In place of a field: an answer has a key in it. */
export const KEY_SHOWN = 'a key in an answer';

/** In place of a field: more requests at once than the limit allows. Software and devices have one limit, so that one cause is enough for both. */
export const LARGER_BURST = 'a burst beyond the limit';

const TOO_LARGE: Symptom = { name: LARGER_BURST, root: '8/429-beyond-the-limit' };

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
      kinds: ['a refused ticket'],
      isDangerous: true,
      cause: `The door opens beside the Note "${Note}": the ticket is refused, and AcsRes is wrong.`,
    };
  if (AcsRes === '0' && usesInNote(Note))
    return {
      name: 'stays shut with the Note of a grant',
      kinds: ['a good ticket'],
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
  if (fields?.includes(TOO_MANY))
    return (
      sizeSymptom(exchange, endpoint, undefined, answers) ?? {
        name: TOO_MANY,
        endpoint,
        isWhole: true,
        isDangerous: true,
        // A ticket that is let in beyond its uses when it is shown alone shows no race, nor do grants of other requests.
        partOf: [BEYOND, SHARED],
        cause: sameGrantsInWords(exchange, answers),
      }
    );
  if (fields?.includes(KEY_SHOWN)) return SHOWN_KEY;
  if (fields?.includes(LARGER_BURST)) return TOO_LARGE;
  const found = wrongIn(exchange, endpoint, fields, { answers, rules });
  // Requests at one moment may have got each other's answers.
  const isItself = found?.name === SHARED || found?.isConsequence;
  return found && !isItself && isBesideOthers(exchange, answers)
    ? { ...found, partOf: [...(found.partOf ?? []), SHARED] }
    : found;
}

function wrongIn(
  exchange: Exchange,
  endpoint: Endpoint,
  fields: Fields,
  { answers, rules }: { readonly answers: ExpectedAnswers; readonly rules: readonly AnswerRule[] },
): Symptom | undefined {
  const expected = answers.of(exchange);
  if (answers.isOfAnotherTicket(exchange)) return { ...MIXED_UP, endpoint };
  const around =
    circumstanceSymptom(exchange, endpoint, answers) ??
    consequenceSymptom(exchange, fields, answers, rules);
  if (around) return around;
  const size = sizeSymptom(exchange, endpoint, fields, answers);
  if (size) return size;
  const contradicted = contradictionSymptom(exchange, fields, expected);
  if (contradicted) return { ...contradicted, endpoint };
  const found =
    answerSymptom(exchange, expected, usesSymptom(exchange, expected, answers), {
      endpoint,
      answers,
      rule: rules.find((one) => explains(one, exchange, fields, answers)),
      fields,
    }) ?? factSymptom(exchange, fields, answers);
  return found && { ...(WHEREVER.includes(found.name) ? {} : { endpoint }), ...found };
}

/** What other answers of the run show to be wrong here. */
function circumstanceSymptom(
  exchange: Exchange,
  endpoint: Endpoint,
  answers: ExpectedAnswers,
): Symptom | undefined {
  return (
    envelopeSymptom(exchange) ??
    banSymptom(exchange, answers) ??
    keptSymptom(exchange, answers) ??
    sharedSymptom(exchange, answers) ??
    storedSymptom(exchange, answers) ??
    askedAgainSymptom(exchange, answers) ??
    unreadSymptom(exchange, answers) ??
    refusedAlikeSymptom(exchange, answers) ??
    accessSymptom(exchange, endpoint, answers) ??
    readerSymptom(exchange, endpoint, answers)
  );
}

/** An answer that contradicts itself, or a grant whose Note cannot be read. */
function contradictionSymptom(
  exchange: Exchange,
  fields: Fields,
  expected: Expected | undefined,
): Symptom | undefined {
  const isRight = expected?.outcomes.includes('granted') === true;
  return contradiction(exchange) ?? (isRight ? grantNoteSymptom(exchange, fields) : undefined);
}

/** What an answer shows of a use that its ticket had to be refused is right after that, and wrong by it. */
function consequenceSymptom(
  exchange: Exchange,
  fields: Fields,
  answers: ExpectedAnswers,
  rules: readonly AnswerRule[],
): Symptom | undefined {
  // A key that is accepted is wrong whatever its ticket has had.
  if (answers.of(exchange)?.isKeyRefused) return undefined;
  const grant = answers.wrongGrantBefore(exchange);
  if (!grant || fields?.some((name) => !SHOWS_USES.includes(name))) return undefined;
  const isLetIn = read(exchange.answer).outcome === 'granted';
  if (isLetIn && !answers.isRightOutcome(exchange)) return undefined;
  const { isDangerous: _, ...symptom } = symptomOf(grant, undefined, answers, rules) ?? {};
  return 'name' in symptom ? { ...symptom, isConsequence: true } : undefined;
}

function answerSymptom(
  exchange: Exchange,
  expected: Expected | undefined,
  uses: Symptom | undefined,
  {
    endpoint,
    answers,
    rule,
    fields,
  }: {
    readonly endpoint: Endpoint;
    readonly answers: ExpectedAnswers;
    readonly rule: AnswerRule | undefined;
    readonly fields: Fields;
  },
): Symptom | undefined {
  const { outcome } = read(exchange.answer);
  const wrong = wrongOutcome(exchange, expected, uses, answers);
  // an answer that is well made and says something else: its form explains nothing
  if (wrong && !UNCLEAR.includes(outcome))
    return { ...wrong, ...(outcome === 'granted' ? { isDangerous: true } : {}) };
  const { status } = exchange.answer;
  if (rule) {
    const tooSoon = usedUpTooSoon(exchange);
    return {
      name: `rule ${rule.id}`,
      root: rule.id,
      partOf: tooSoon === undefined ? wholesOfRefusal(exchange) : [NOT_COUNTED],
      cause: status >= 500 ? errorsInWords(exchange, answers) : tooSoon,
    };
  }
  return wrong ?? (expected && detailSymptom(exchange, expected, uses, { endpoint, fields }));
}

/** What may have taken more uses than the refused ticket has, where the refusal shows them. */
function wholesOfRefusal({ answer }: Exchange): readonly string[] {
  const { outcome, used = 0, allowed = used } = read(answer);
  return outcome === 'exhausted' && used > allowed ? [BEYOND, TOO_MANY] : [];
}

/** An answer that says of its ticket that it is used up, and that it is not: in words. */
function usedUpTooSoon({ answer }: Exchange): string | undefined {
  const { outcome, used, allowed } = read(answer);
  if (outcome !== 'exhausted' || used === undefined || allowed === undefined) return undefined;
  if (used >= allowed) return undefined;
  return `The answer calls the ticket used up, and shows ${used} of ${allowed} uses: is it refused before its last use, or is a number wrong?`;
}

function wrongOutcome(
  exchange: Exchange,
  expected: Expected | undefined,
  uses: Symptom | undefined,
  answers: ExpectedAnswers,
): Symptom | undefined {
  const { outcome } = read(exchange.answer);
  if (!expected || expected.outcomes.includes(outcome)) return undefined;
  // a denial whose text is unknown is a denial: its text is what is wrong
  const note = outcome === 'denied' ? noteSymptom(exchange, expected) : undefined;
  const found =
    note ?? (isBeyondItsUses(exchange) ? beyondSymptom(exchange, expected, uses) : uses);
  if (found) return found;
  const symptom =
    windowSymptom(exchange, expected, answers) ?? outcomeSymptom(expected, outcome, exchange);
  const beside = isGranting(expected) ? besideOthers(exchange, answers) : undefined;
  if (beside === undefined) return symptom;
  if (isRefusedFromThenOn(exchange, answers))
    return {
      ...symptom,
      isConsequence: true,
      cause: whyUsedUp(exchange, answers) ?? symptom.cause,
    };
  return {
    name: 'a good ticket refused beside other requests',
    kinds: ['uses at one moment', ...(symptom.kinds ?? [])],
    cause: `${symptom.cause} ${beside}`,
  };
}

/** True where the ticket was shown again, and never let in: then the requests at the same moment are no reason. */
function isRefusedFromThenOn(exchange: Exchange, answers: ExpectedAnswers): boolean {
  const end = exchange.startedMs + exchange.durationMs;
  const later = answers.about(exchange).filter(({ startedMs }) => startedMs >= end);
  const isLetIn = ({ answer }: Exchange) => read(answer).outcome === 'granted';
  return later.length >= REFUSED_AT_LEAST && !later.some(isLetIn);
}

/** What the refusals of a ticket show of its uses, in words. */
function whyUsedUp(exchange: Exchange, answers: ExpectedAnswers): string | undefined {
  for (const one of [exchange, ...answers.about(exchange)]) {
    const why = usedUpTooSoon(one);
    if (why !== undefined) return why;
  }
  return undefined;
}

/** True where the answer itself shows that it lets in a ticket without a use left. */
function isBeyondItsUses({ request, answer }: Exchange): boolean {
  const endpoint = endpointAt(request);
  const { outcome, used, allowed } = read(answer);
  if (outcome !== 'granted' || used === undefined || allowed === undefined) return false;
  return endpoint !== undefined && isConsume(endpoint) ? used > allowed : used >= allowed;
}

function beyondSymptom(
  { answer }: Exchange,
  { what, outcomes }: Expected,
  uses: Symptom | undefined,
): Symptom | undefined {
  if (outcomes[0] !== 'exhausted') return uses;
  const { used, allowed } = read(answer);
  return {
    name: BEYOND,
    isWhole: true,
    kinds: ['uses', 'a refused ticket'],
    cause: `The limit is not kept: ${what} is let in, and the answer shows ${used} of ${allowed} uses.`,
  };
}

function isGranting({ outcomes }: Expected): boolean {
  return outcomes[0] === 'granted';
}

const UNCLEAR: readonly Outcome[] = ['strange', 'denied', 'error', 'limited'];

/** A good key is refused, or every answer of the endpoint is an error: then every case fails there. */
function accessSymptom(
  exchange: Exchange,
  endpoint: Endpoint,
  answers: ExpectedAnswers,
): Symptom | undefined {
  const { request, answer } = exchange;
  const key = answers.keyOf(exchange, endpoint);
  const isRefused = key !== undefined && isAccepted(key.state) && answer.status === 401;
  const kind = servedKind(endpoint);
  if (isRefused && answers.wasAccepted(request))
    return {
      name: 'a good key refused now and then',
      partOf: [SHUT_OUT],
      kinds: ['a good key', kind],
      cause: `${capital(key.what)} is refused with HTTP 401 here, and other requests of this run were answered with it.`,
    };
  if (isRefused)
    return {
      name: `${key.what} refused`,
      kinds: [key.state === 'scoped' ? 'a key for its own event' : kind],
      cause: `${capital(key.what)} of the target file is refused with HTTP 401. Is it a key of this deployment, enabled and of the right type?`,
    };
  if (answers.isServed(endpoint)) return undefined;
  return {
    name: 'not served',
    kinds: [kind],
    cause: `POST ${request.path} answers every request of the run with an HTTP error, here with ${answer.status}.`,
    endpoint,
  };
}

/** The outcome is right: is it the status, the count or the text of the display that the case is about? */
function detailSymptom(
  exchange: Exchange,
  expected: Expected,
  uses: Symptom | undefined,
  { endpoint, fields }: { readonly endpoint: Endpoint; readonly fields: Fields },
): Symptom | undefined {
  const isAbout = (...names: readonly string[]) =>
    fields === undefined || fields.some((name) => names.includes(name));
  const word = isAbout('status') ? statusWordSymptom(exchange, endpoint) : undefined;
  if (word) return word;
  const status = isAbout('HTTP status') ? statusSymptom(exchange, endpoint, expected) : undefined;
  if (status) return status;
  return (isAbout(...COUNTS) ? uses : undefined) ?? noteSymptom(exchange, expected);
}

/** The answer tells something of its ticket that is not so. */
function factSymptom(
  exchange: Exchange,
  fields: Fields,
  answers: ExpectedAnswers,
): Symptom | undefined {
  const wrong = answers.wrongFact(exchange);
  const isAbout = (name: string) => name === wrong?.field || name.startsWith(`${wrong?.field}.`);
  if (!wrong || (fields && !fields.some(isAbout))) return undefined;
  return { name: toldWrong(wrong.fact), kinds: kindsOfFact(wrong.fact) };
}

/** The answer shows a ticket of another size: all that it shows of uses, and the end of them, goes by that. */
function sizeSymptom(
  exchange: Exchange,
  endpoint: Endpoint,
  fields: Fields,
  answers: ExpectedAnswers,
): Symptom | undefined {
  const wrong = answers.wrongFact(exchange);
  if (wrong?.fact !== SIZE || fields?.some((one) => !SHOWS_USES.includes(one))) return undefined;
  // Its type is what another rule is about, and who is let in that must not be is worse.
  if (read(exchange.answer).allowed === undefined || !answers.isRightOutcome(exchange))
    return undefined;
  const { expected, observed } = wrong;
  const cause = `Here "${observed}", elsewhere "${expected}": what is shown of the uses of this ticket, and its end, goes by that.`;
  return { name: toldWrong(SIZE), endpoint, kinds: kindsOfFact(SIZE), cause };
}

const SIZE = 'usesAllowed';

function toldWrong(fact: string): string {
  return `told wrong: ${fact}`;
}

const FACTS: readonly string[] = ['ticketId', 'ticketType', 'usesAllowed', 'holder', 'Name'];

function kindsOfFact(fact: string): SymptomKind[] {
  if (fact === 'validFrom' || fact === 'validUntil') return ['the fact window'];
  return FACTS.includes(fact) ? [`the fact ${fact as FactName}`, 'another ticket'] : [];
}

/** A grant at a device whose Note shows no uses: whatever is about the Note or the uses cannot be read. Bytes and length have rules of their own. */
function grantNoteSymptom({ answer }: Exchange, fields: Fields): Symptom | undefined {
  const { AcsRes, Note } = isRecord(answer.json) ? answer.json : {};
  if (AcsRes !== '1' || typeof Note !== 'string' || usesInNote(Note)) return undefined;
  if (answer.isBroken || Buffer.byteLength(Note) > NOTE_BYTES_MAX) return undefined;
  if (fields && !fields.some((name) => COUNTS.includes(name))) return undefined;
  return { name: 'Note of a grant', kinds: ['the Note of a grant', 'an opening'] };
}

const COUNTS: readonly string[] = ['usesConsumed', 'usesRemaining', 'Note', 'usesAllowed'];
/** What a use changes in later answers. */
const SHOWS_USES: readonly string[] = [...COUNTS, 'valid', 'status', 'reason', 'AcsRes'];

function explains(
  { endpoints, wrong }: AnswerRule,
  exchange: Exchange,
  fields: Fields,
  answers: ExpectedAnswers,
): boolean {
  const endpoint = endpointAt(exchange.request);
  if (!endpoint || !endpoints.includes(endpoint)) return false;
  const found = wrong({ ...exchange, level: 'stated' }, answers.isKeyGood(exchange));
  if (!found) return false;
  const [, , broken] = found;
  // Uses that are wrong do not add up either: what is wrong is the count, not the form of the answer.
  const isCount = broken?.every((name) => COUNTS.includes(name)) === true;
  if (isCount && answers.miscountIn(exchange)) return false;
  return (
    broken === undefined || fields === undefined || broken.some((name) => isAmong(name, fields))
  );
}

/** True for one of these fields, and for a member of one. */
function isAmong(name: string, fields: readonly string[]): boolean {
  return fields.some((field) => name === field || name.startsWith(`${field}.`));
}

function statusWordSymptom({ answer }: Exchange, endpoint: Endpoint): Symptom | undefined {
  const wrong = wrongStatusWord(endpoint, answer);
  return wrong && { name: `granted as ${wrong.observed}`, kinds: ['a good ticket'] };
}

function statusSymptom(
  { answer }: Exchange,
  endpoint: Endpoint,
  { what }: Expected,
): Symptom | undefined {
  if (!wrongStatus(endpoint, answer)) return undefined;
  return {
    name: `${read(answer).outcome} with HTTP ${answer.status}`,
    kinds: ['the HTTP status'],
    cause: `${capital(what)} is answered with HTTP ${answer.status}.`,
  };
}

function noteSymptom({ answer }: Exchange, { outcomes }: Expected): Symptom | undefined {
  return wrongNote(answer, outcomes[0])
    ? { name: `Note of ${outcomes[0]}`, kinds: ['the Note of a denial'] }
    : undefined;
}
