import type { BodyFault } from '../../core/decision.ts';
import { BODY_BYTES_MAX, BODY_DEPTH_MAX } from '../../core/limits.ts';
import { outlineOf } from '../../kit/json-text.ts';
import { decodeUtf8 } from '../../kit/utf8.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

const BYTE_ORDER_MARK = '\uFEFF';

/** The text of a request body; undefined when it is too long, not UTF-8 or begins with a byte-order mark. */
export function readText(body: Uint8Array): string | undefined {
  if (body.length > BODY_BYTES_MAX) return undefined;
  const text = decodeUtf8(body);
  return text?.startsWith(BYTE_ORDER_MARK) ? undefined : text;
}

/** Why a body has no text that can be read. */
export function textFault(body: Uint8Array): BodyFault {
  if (body.length > BODY_BYTES_MAX) return 'too_long';
  return decodeUtf8(body) === undefined ? 'not_utf8' : 'byte_order_mark';
}

/**
 * The object in `text`, or what is wrong with it. A member of `uniqueMembers` may not occur twice: `JSON.parse` takes the last
 * of two, and another reader on the way the first.
 */
export function readObject(text: string, uniqueMembers: readonly string[]): JsonObject | BodyFault {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'not_json';
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'not_object';
  if (!isPlain(text, uniqueMembers)) {
    const { depth, members } = outlineOf(text);
    if (depth > BODY_DEPTH_MAX) return 'too_deep';
    const times = (name: string) => members.filter((member) => member.name === name).length;
    if (uniqueMembers.some((name) => times(name) > 1)) return 'code_twice';
  }
  return value as JsonObject;
}

/** A fast test is enough for most bodies: nothing is repeated or nested deeply. */
function isPlain(text: string, uniqueMembers: readonly string[]): boolean {
  if (text.includes('\\')) return false;
  if (uniqueMembers.some((name) => text.indexOf(name) !== text.lastIndexOf(name))) return false;
  let opened = 0;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) opened += 1;
  }
  return opened <= BODY_DEPTH_MAX;
}
