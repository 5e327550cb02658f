import { messageOf, refuse, type TicketscanError } from '../../core/errors.ts';

/** An element of a JSON array and the line on which it begins, or what breaks the array there. */
export type JsonElement =
  | { readonly line: number; readonly text: string }
  | { readonly line: number; readonly reason: 'row_array_open' | 'row_array_rest' };

/**
 * Strings as a whole, brackets, commas and line feeds: all that decides where an element ends. An escaped character outside a
 * string is taken as a whole, too: its quote would begin a string, and each of many be read to the end of the line.
 */
const TOKEN = /"(?:[^"\\\n]|\\.)*"|\\.|[{}[\],\n]/gu;
const NESTING = new Map([
  ['{', 1],
  ['[', 1],
  ['}', -1],
  [']', -1],
]);

/** Cuts the text of a JSON array into its elements, so that each can be parsed by itself and reported with its line. */
export function* jsonElements(array: string): Generator<JsonElement> {
  let start = { at: 0, line: 1 };
  for (const { kind, at, line } of marksOf(array)) {
    const isLast = kind === 'close';
    if (kind !== 'open') yield* element(array.slice(start.at, at), start.line, isLast);
    start = { at: at + 1, line };
    if (isLast) break;
  }
  const rest = array.slice(start.at).trim();
  if (array[start.at - 1] !== ']') yield { line: start.line, reason: 'row_array_open' };
  else if (rest !== '') yield { line: start.line, reason: 'row_array_rest' };
}

/** The brackets of the outermost array and the commas directly in it. */
function* marksOf(array: string) {
  let line = 1;
  let depth = 0;
  for (const { 0: token, index: at } of array.matchAll(TOKEN)) {
    if (token === '\n') line += 1;
    const outer = depth;
    depth += NESTING.get(token) ?? 0;
    const kind = markKind(token, outer, depth);
    if (kind) yield { kind, at, line };
  }
}

function markKind(token: string, before: number, after: number) {
  if (before === 0 && after === 1) return 'open';
  if (before === 1 && after === 0) return 'close';
  return after === 1 && token === ',' ? 'comma' : undefined;
}

function* element(text: string, line: number, isLast: boolean): Generator<JsonElement> {
  const leading = text.length - text.trimStart().length;
  const body = text.trim();
  // An empty array has one empty element.
  if (body === '' && isLast) return;
  yield { line: line + text.slice(0, leading).split('\n').length - 1, text: body };
}

/** The members of an object, or why the text is not an object. */
export function membersOf(text: string): [string, unknown][] | TicketscanError {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return refuse('row_not_json');
    }
    return Object.entries(value).flatMap(([name, member]) => flattened(name, member));
  } catch (error) {
    // The position in the message of the engine counts from the start of this element.
    const detail = `${messageOf(error).replace(/ (?:in JSON )?at position.*$/u, '')}.`;
    return refuse('row_not_json', {}, { detail });
  }
}

function flattened(name: string, member: unknown): [string, unknown][] {
  const isHolder = name === 'holder' && typeof member === 'object';
  return isHolder ? Object.entries(member ?? {}) : [[name, member]];
}

/** The text of a member; undefined for one that is no value of a cell. */
export function cellOf(member: unknown): string | undefined {
  if (member === null) return '';
  if (typeof member === 'string') return member;
  return typeof member === 'number' || typeof member === 'boolean' ? String(member) : undefined;
}
