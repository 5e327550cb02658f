import {
  describeAnswer,
  type Endpoint,
  type Exchange,
  endpointAt,
  isRest,
} from '../facts/exchange.ts';
import { Deviation } from '../facts/failures.ts';
import { isRecord, isSameValue, type JsonRecord, show, showFields } from '../facts/json.ts';
import { type Outcome, read } from '../facts/reading.ts';
import { FIELD_RULES } from '../facts/scan-result.ts';
import { type RightForm, rightForm } from '../law/form.ts';

/** The answer's JSON object. @throws Deviation when it is none, saying what came instead */
export function objectOf(exchange: Exchange): JsonRecord {
  const { json, cut } = exchange.answer;
  if (isRecord(json)) return json;
  if (cut) throw new Deviation('a JSON object', 'a body of more than 256 KiB', exchange);
  throw new Deviation('a JSON object', describeAnswer(exchange.answer), exchange);
}

/** @throws Deviation when the HTTP status is another */
export function expectStatus(exchange: Exchange, status: number): void {
  if (exchange.answer.status === status) return;
  throw new Deviation(`HTTP ${status}`, describeAnswer(exchange.answer), exchange, {
    fields: ['HTTP status'],
  });
}

/** @throws Deviation when a field of the answer's object has another value */
export function expectFields(
  exchange: Exchange,
  expected: Readonly<Record<string, unknown>>,
): JsonRecord {
  const object = objectOf(exchange);
  const names = Object.keys(expected);
  const wrong = names.filter((name) => !isSameValue(object[name], expected[name]));
  if (wrong.length === 0) return object;
  throw new Deviation(showFields(expected, names), showFields(object, names), exchange, {
    fields: wrong,
  });
}

/**
 * The members by which an outcome is told at the endpoint that answered (sections 2.4, 4 and 7.2).
 * @throws Deviation when one has another value
 */
export function expectTold(exchange: Exchange, outcome: Outcome): JsonRecord {
  return expectFields(exchange, formOf(exchange, outcome).fields);
}

/** @throws Deviation when the HTTP status is not the one of the outcome (section 7.1); where none is shown, each is right */
export function expectStatusOf(exchange: Exchange, outcome: Outcome): void {
  const { status } = formOf(exchange, outcome);
  if (status !== undefined) expectStatus(exchange, status);
}

/** At devices it is enough that the door stays shut, with the text that says why. @throws Deviation when it does not */
export function expectDenied(exchange: Exchange, outcome: Outcome): void {
  const { note } = formOf(exchange, outcome);
  expectFields(exchange, { AcsRes: '0', ...(note !== undefined && { Note: note }) });
}

function formOf({ request }: Exchange, outcome: Outcome): RightForm {
  const endpoint = endpointAt(request);
  const form = endpoint && endpoint !== 'heartbeat' ? rightForm(endpoint, outcome) : undefined;
  if (!form) throw new Error(`no answer of ${endpoint} says "${outcome}"`);
  return form;
}

/** @throws Deviation when a field is missing or of another type than section 2.3 says */
export function expectTypedFields(exchange: Exchange, names: readonly string[]): JsonRecord {
  const object = objectOf(exchange);
  for (const name of names) {
    const rule = FIELD_RULES[name];
    if (object[name] !== undefined && (rule === undefined || rule.fits(object[name]))) continue;
    throw new Deviation(
      `${name}: ${rule?.type ?? 'present'}`,
      `${name}: ${object[name] === undefined ? 'missing' : show(object[name])}`,
      exchange,
      { fields: [name] },
    );
  }
  return object;
}

/** @throws Deviation when a field is there that must not be */
export function expectAbsent(exchange: Exchange, names: readonly string[]): void {
  const object = objectOf(exchange);
  const present = names.filter((name) => name in object);
  if (present.length === 0) return;
  throw new Deviation(`no ${names.join(', ')}`, showFields(object, present), exchange, {
    fields: present,
  });
}

/** @throws Deviation when the object has other members than these */
export function expectOnly(exchange: Exchange, names: readonly string[]): void {
  const object = objectOf(exchange);
  const others = Object.keys(object).filter((name) => !names.includes(name));
  if (others.length === 0) return;
  throw new Deviation(`only ${names.join(', ')}`, `also ${showFields(object, others)}`, exchange, {
    fields: others,
  });
}

/** @throws Deviation when the two differ */
export function expectEqual(
  observed: unknown,
  expected: unknown,
  what: string,
  exchange?: Exchange,
): void {
  if (isSameValue(observed, expected)) return;
  const observedText = `${what}: ${show(observed)}`;
  throw new Deviation(`${what}: ${show(expected)}`, observedText, exchange, { fields: [what] });
}

/** A field that must be a whole number. @throws Deviation when it is not */
export function countIn(exchange: Exchange, name: string): number {
  return Number(expectTypedFields(exchange, [name])[name]);
}

/** What says something about a ticket. */
export const TELLS_OF_TICKET: readonly Outcome[] = [
  'granted',
  'exhausted',
  'expired',
  'not_found',
  'not_yet_valid',
  'ticket_cancelled',
];

/** A server that answers so has accepted the key. */
const ACCEPTING: readonly Outcome[] = ['confirmed', ...TELLS_OF_TICKET];

/**
 * A missing or invalid key: 401 for own software (section 5). At devices 7.3 shows no status, so a denial or an error
 * is enough, as long as it says nothing about the ticket.
 * @throws Deviation when the key was accepted
 */
export function expectKeyRefused(exchange: Exchange, endpoint: Endpoint): void {
  const { answer } = exchange;
  if (isRest(endpoint)) {
    if (answer.status !== 401) throw new Deviation('HTTP 401', describeAnswer(answer), exchange);
    return;
  }
  const isDenial = answer.status >= 400 || (isRecord(answer.json) && answer.json['AcsRes'] === '0');
  if (isDenial && !ACCEPTING.includes(read(answer).outcome)) return;
  throw new Deviation(
    `401, or AcsRes "0" with nothing about the ticket`,
    describeAnswer(answer),
    exchange,
  );
}

/** The same for a disabled key: how own software is refused with it is not shown. */
export function expectDisabledKeyRefused(exchange: Exchange, endpoint: Endpoint): void {
  const { answer } = exchange;
  if (!isRest(endpoint)) {
    expectKeyRefused(exchange, endpoint);
    return;
  }
  if (answer.status >= 400 && !ACCEPTING.includes(read(answer).outcome)) return;
  throw new Deviation('the key refused (4xx)', describeAnswer(answer), exchange);
}

/** True when the ticket was let in, or the heartbeat confirmed. */
export function isAccepted({ answer }: Exchange): boolean {
  const { outcome } = read(answer);
  return outcome === 'granted' || outcome === 'confirmed';
}

/** @throws Deviation when the ticket was not let in, or the heartbeat not confirmed */
export function expectAccepted(exchange: Exchange): void {
  if (isAccepted(exchange)) return;
  const isBeat = endpointAt(exchange.request) === 'heartbeat';
  const expected = isBeat ? 'the heartbeat confirmed' : 'the ticket let in';
  const fields = ['valid', 'status', 'AcsRes', 'Key'];
  throw new Deviation(expected, describeAnswer(exchange.answer), exchange, { fields });
}

/** A ticket of an event that the key may not scan. At devices it is enough that the door stays shut. */
export function expectOutOfScope(exchange: Exchange): void {
  if (isRest(endpointAt(exchange.request))) expectTold(exchange, 'event_not_allowed');
  else expectFields(exchange, { AcsRes: '0' });
}
