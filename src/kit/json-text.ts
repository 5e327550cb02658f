export type JsonRecord = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of a JSON text; undefined when it is not JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The JSON object that a text is; undefined for anything else. */
export function jsonRecord(text: string): JsonRecord | undefined {
  const value = parsedJson(text);
  return isRecord(value) ? value : undefined;
}

/** Names of members and indices of arrays, from the outermost value inwards. */
export type JsonPath = readonly (string | number)[];

/**
 * The text of every value at a path, as it was written: a number keeps its own digits, and a member said twice is found twice.
 * Reads the text once.
 * @param text valid JSON, not deeper than the stack allows
 */
export function jsonTextsAt(text: string, path: JsonPath): string[] {
  const found: string[] = [];
  visit(text, afterBlanks(text, 0), path, 0, found);
  return found;
}

/** @returns where the value ends */
function visit(text: string, at: number, path: JsonPath, depth: number, found: string[]): number {
  const wanted = path[depth];
  if (wanted === undefined) {
    const end = endOfValue(text, at);
    found.push(text.slice(at, end));
    return end;
  }
  if (typeof wanted === 'string' && text[at] === '{') return members(text, at, path, depth, found);
  if (typeof wanted === 'number' && text[at] === '[') return items(text, at, path, depth, found);
  return endOfValue(text, at);
}

function members(text: string, from: number, path: JsonPath, depth: number, found: string[]) {
  let at = afterBlanks(text, from + 1);
  while (text[at] === '"') {
    const nameEnd = endOfString(text, at);
    const isWanted = nameIn(text.slice(at, nameEnd)) === path[depth];
    const valueAt = afterBlanks(text, afterBlanks(text, nameEnd) + 1);
    at = isWanted ? visit(text, valueAt, path, depth + 1, found) : endOfValue(text, valueAt);
    at = afterComma(text, at);
  }
  return at + 1;
}

/** @param json with its quotes */
function nameIn(json: string): unknown {
  return json.includes('\\') ? JSON.parse(json) : json.slice(1, -1);
}

function items(text: string, from: number, path: JsonPath, depth: number, found: string[]) {
  let at = afterBlanks(text, from + 1);
  for (let index = 0; at < text.length && text[at] !== ']'; index += 1) {
    const isWanted = index === path[depth];
    at = isWanted ? visit(text, at, path, depth + 1, found) : endOfValue(text, at);
    at = afterComma(text, at);
  }
  return at + 1;
}

function endOfValue(text: string, from: number): number {
  const first = text[from];
  if (first === '"') return endOfString(text, from);
  if (first === '{' || first === '[') return endOfBrackets(text, from);
  let at = from;
  while (at < text.length && !isBlank(text[at] as string) && !',]}'.includes(text[at] as string)) {
    at += 1;
  }
  return at;
}

function endOfBrackets(text: string, from: number): number {
  let depth = 0;
  let at = from;
  do {
    const character = text[at] as string;
    if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    at = character === '"' ? endOfString(text, at) : at + 1;
  } while (depth > 0 && at < text.length);
  return at;
}

function endOfString(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function afterComma(text: string, from: number): number {
  const at = afterBlanks(text, from);
  return text[at] === ',' ? afterBlanks(text, at + 1) : at;
}

function afterBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length && isBlank(text[at] as string)) at += 1;
  return at;
}

function isBlank(character: string): boolean {
  return character === ' ' || character === '\n' || character === '\r' || character === '\t';
}

/** A string, with the colon that makes it a member's name; or a bracket. */
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|[{}[\]]/gs;

/** The first member that its object has had before: JSON takes the last one, and a person sees the first. @param text valid JSON */
export function repeatedMember(
  text: string,
): { readonly name: string; readonly line: number } | undefined {
  const open: Set<string>[] = [];
  for (const { 0: token, 1: string, 2: colon, index } of text.matchAll(TOKEN)) {
    if (string === undefined && (token === '{' || token === '[')) open.push(new Set());
    else if (string === undefined) open.pop();
    else if (colon !== undefined) {
      const name = JSON.parse(string) as string;
      const names = open.at(-1);
      if (names?.has(name)) return { name, line: text.slice(0, index).split('\n').length };
      names?.add(name);
    }
  }
  return undefined;
}

/** A member of the outermost object of a JSON text. */
export interface JsonMember {
  readonly name: string;
  /** Where what follows the colon begins. */
  readonly valueAt: number;
}

/** How deep valid JSON is nested, and the outermost members in order. */
export function outlineOf(text: string): { depth: number; members: JsonMember[] } {
  const members: JsonMember[] = [];
  let depth = 0;
  let deepest = 0;
  for (const { 0: token, 1: string, 2: colon, index } of text.matchAll(TOKEN)) {
    if (string === undefined) {
      depth += token === '{' || token === '[' ? 1 : -1;
      deepest = Math.max(deepest, depth);
    } else if (colon !== undefined && depth === 1) {
      members.push({ name: JSON.parse(string) as string, valueAt: index + token.length });
    }
  }
  return { depth: deepest, members };
}

const NUMBER = /\s*(-?\d[\d.eE+-]*)/y;

/**
 * The digits of a number as they were written: as a `number`, `12345678901234567890` and `1.0` become others.
 * @param text a valid JSON object
 * @param name of an outermost member whose value is a number
 */
export function digitsOf(text: string, name: string): string | undefined {
  NUMBER.lastIndex = plainValueAt(text, name) ?? lastValueAt(text, name);
  return NUMBER.exec(text)?.[1];
}

/** Without escapes, a name that is there once is the member's own. */
function plainValueAt(text: string, name: string): number | undefined {
  const quoted = `"${name}"`;
  const at = text.indexOf(quoted);
  if (at === -1 || text.includes('\\') || at !== text.lastIndexOf(quoted)) return undefined;
  return text.indexOf(':', at + quoted.length) + 1;
}

/** The place of a member's value. `JSON.parse` takes the last when a member is said twice. */
function lastValueAt(text: string, name: string): number {
  const said = outlineOf(text).members.findLast((member) => member.name === name);
  return said?.valueAt ?? text.length;
}

/**
 * Where a text stops being JSON, as `line 2, column 21`. The parser itself does not always say, and its message quotes the text,
 * which may contain secrets.
 */
export function positionOfJsonIssue(text: string): string {
  let good = 0;
  let bad = text.length + 1;
  // Each step parses a part again: of many megabytes that would take a minute.
  if (text.length > SEARCHED_CHARACTERS_MAX) {
    if (isBeginning(text.slice(0, SEARCHED_CHARACTERS_MAX))) return 'behind its first megabyte';
    bad = SEARCHED_CHARACTERS_MAX;
  }
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (isBeginning(text.slice(0, middle))) good = middle;
    else bad = middle;
  }
  const lines = text.slice(0, good).split('\n');
  return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}

const SEARCHED_CHARACTERS_MAX = 1024 * 1024;

/** True for JSON, and for what can become JSON when more follows. */
function isBeginning(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    const { message } = error as Error;
    const at = /at position (\d+)/.exec(message)?.[1];
    return /Unexpected end|Unterminated string/.test(message) || Number(at) === text.length;
  }
}
