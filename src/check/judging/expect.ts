import { isRecord, type JsonRecord, show, showFields } from '../facts/json.ts';
import { isSameValue } from '../facts/same-value.ts';
import { FIELD_RULES } from '../facts/scan-result.ts';
import { describeAnswer, type Exchange } from '../requests/exchange.ts';
import { Deviation } from './deviation.ts';

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
  throw new Deviation(`HTTP ${status}`, describeAnswer(exchange.answer), exchange, ['HTTP status']);
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
  throw new Deviation(showFields(expected, names), showFields(object, names), exchange, wrong);
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
      [name],
    );
  }
  return object;
}

/** @throws Deviation when a field is there that must not be */
export function expectAbsent(exchange: Exchange, names: readonly string[]): void {
  const object = objectOf(exchange);
  const present = names.filter((name) => name in object);
  if (present.length === 0) return;
  throw new Deviation(`no ${names.join(', ')}`, showFields(object, present), exchange, present);
}

/** @throws Deviation when the object has other members than these */
export function expectOnly(exchange: Exchange, names: readonly string[]): void {
  const object = objectOf(exchange);
  const others = Object.keys(object).filter((name) => !names.includes(name));
  if (others.length === 0) return;
  throw new Deviation(
    `only ${names.join(', ')}`,
    `also ${showFields(object, others)}`,
    exchange,
    others,
  );
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
  throw new Deviation(`${what}: ${show(expected)}`, observedText, exchange, [what]);
}

/** A field that must be a whole number. @throws Deviation when it is not */
export function countIn(exchange: Exchange, name: string): number {
  return Number(expectTypedFields(exchange, [name])[name]);
}
