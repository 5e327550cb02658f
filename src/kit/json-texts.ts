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
