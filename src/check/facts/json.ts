import { isDeepStrictEqual } from 'node:util';
import { codingFailure } from '../../kit/answer-faults.ts';
import { cutText } from './cut.ts';
import type { Answer } from './exchange.ts';
import { readTimestamp } from './timestamp.ts';

/** A JSON object: not null, not an array. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** True for a JSON object. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value as JSON on one line, `missing` for an absent one, cut to `charactersMax`. */
export function show(value: unknown, charactersMax = 300): string {
  const text = value === undefined ? 'missing' : JSON.stringify(value);
  return cutText(text, charactersMax);
}

/** Members of an object as text: `valid: true, status: missing`. */
export function showFields(object: JsonRecord, names: readonly string[]): string {
  return names.map((name) => `${name}: ${show(object[name])}`).join(', ');
}

/** Every string inside a JSON value, with the path to it (`holder.firstName`). */
export function* stringsIn(value: unknown, path = ''): Generator<{ path: string; text: string }> {
  if (typeof value === 'string') yield { path, text: value };
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    yield* stringsIn(inner, path === '' ? name : `${path}.${name}`);
  }
}

/** A member inside a JSON value. */
interface Member {
  readonly path: string;
  readonly name: string;
  /** True for null: its name is told, and nothing else. */
  readonly isNull: boolean;
}

/** Every member name inside a JSON value, with the path to it. */
export function* namesIn(value: unknown, path = ''): Generator<Member> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    const here = path === '' ? name : `${path}.${name}`;
    if (!Array.isArray(value)) yield { path: here, name, isNull: inner === null };
    yield* namesIn(inner, here);
  }
}

/** Code that follows a value deeper would use up the memory. */
const DEPTH_MAX = 200;

function isTooDeep(text: string): boolean {
  let depth = 0;
  for (const character of text) {
    if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    if (depth > DEPTH_MAX) return true;
  }
  return false;
}

/** True for a text in which a character was cut or lost: no name and no sentence has U+FFFD in it, or half a surrogate pair. */
export function isBrokenText(text: string): boolean {
  return text.includes('\ufffd') || !text.isWellFormed();
}

/** Parses a text that came from outside; undefined when it is not JSON, or is nested more deeply than any answer. */
export function parsedJson(text: string): unknown {
  if (isTooDeep(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What makes a body something else than a JSON object in UTF-8, in words; undefined where it is one. */
export function whyUnreadable({ headers, body, json, cut, isBroken }: Answer): string | undefined {
  if (cut) return 'a body of more than 256 KiB';
  const encoding = headers['content-encoding'] ?? 'identity';
  if (codingFailure(encoding))
    return `a body with content-encoding ${encoding}, for which nobody asked`;
  if (body.startsWith('\ufeff')) return 'a body that begins with a byte-order mark';
  if (isBroken) return 'a body that is not UTF-8';
  if (isRecord(json)) return undefined;
  if (body === '') return 'an empty body';
  return json === undefined ? 'a body that is not JSON' : 'JSON that is not an object';
}

/** True for the same JSON value, whatever the order of members; timestamps with a zone are the same when they mean the same moment. */
export function isSameValue(one: unknown, other: unknown): boolean {
  if (isDeepStrictEqual(one, other)) return true;
  const [first, second] = [readTimestamp(one), readTimestamp(other)];
  return first?.hasZone === true && second?.hasZone === true && first.epochMs === second.epochMs;
}
