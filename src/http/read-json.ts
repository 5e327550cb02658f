import { BODY_BYTES_MAX, BODY_DEPTH_MAX } from '../core/limits.ts';
import { decodeUtf8 } from '../core/utf8.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

const BYTE_ORDER_MARK = '\uFEFF';

/** The text of a request body; undefined when it is too long, not UTF-8 or begins with a byte-order mark. */
export function readText(body: Uint8Array): string | undefined {
  if (body.length > BODY_BYTES_MAX) return undefined;
  const text = decodeUtf8(body);
  return text?.startsWith(BYTE_ORDER_MARK) ? undefined : text;
}

/**
 * The object in `text`; undefined when it is no JSON object, nested too deep, or says one of `uniqueMembers` twice.
 * `JSON.parse` alone would take the last of two, and another reader on the way the first.
 */
export function readObject(text: string, uniqueMembers: readonly string[]): JsonObject | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  if (!isPlain(text, uniqueMembers)) {
    const { depth, members } = outlineOf(text);
    if (depth > BODY_DEPTH_MAX) return undefined;
    const repeated = (name: string) => members.indexOf(name) !== members.lastIndexOf(name);
    if (uniqueMembers.some(repeated)) return undefined;
  }
  return value as JsonObject;
}

/** Most bodies show at a glance that nothing is repeated or deep. */
function isPlain(text: string, uniqueMembers: readonly string[]): boolean {
  if (text.includes('\\')) return false;
  if (uniqueMembers.some((name) => text.indexOf(name) !== text.lastIndexOf(name))) return false;
  let opened = 0;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) opened += 1;
  }
  return opened <= BODY_DEPTH_MAX;
}

/** A string, with the colon that makes it a member's name; or a bracket. */
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|[{}[\]]/gs;

/** How deep valid JSON is nested, and the names of the outermost members in order. */
function outlineOf(text: string): { depth: number; members: string[] } {
  const members: string[] = [];
  let depth = 0;
  let deepest = 0;
  for (const [token, string, colon] of text.matchAll(TOKEN)) {
    if (string === undefined) {
      depth += token === '{' || token === '[' ? 1 : -1;
      deepest = Math.max(deepest, depth);
    } else if (colon !== undefined && depth === 1) {
      members.push(JSON.parse(string) as string);
    }
  }
  return { depth: deepest, members };
}
