/** An element of a JSON array and the line on which it begins, or what breaks the array there. */
export type JsonElement =
  | { readonly line: number; readonly text: string }
  | { readonly line: number; readonly message: string };

/** Strings as a whole, brackets, commas and line feeds: all that decides where an element ends. */
const TOKEN = /"(?:[^"\\\n]|\\.)*"|[{}[\],\n]/gu;
const NESTING = new Map([
  ['{', 1],
  ['[', 1],
  ['}', -1],
  [']', -1],
]);

/** Cuts the text of a JSON array into its elements, so that each can be parsed, and its line told, by itself. */
export function* jsonElements(array: string): Generator<JsonElement> {
  let line = 1;
  let depth = 0;
  let start = { at: 0, line: 1 };
  for (const { 0: token, index } of array.matchAll(TOKEN)) {
    if (token === '\n') line += 1;
    const outer = depth;
    depth += NESTING.get(token) ?? 0;
    const opens = outer === 0 && depth === 1;
    const closes = outer === 1 && depth === 0;
    const separates = depth === 1 && token === ',';
    if (separates || closes) yield* element(array.slice(start.at, index), start.line, closes);
    if (separates || opens) start = { at: index + 1, line };
    if (closes) {
      if (array.slice(index + 1).trim() !== '') yield { line, message: 'text after the array' };
      return;
    }
  }
  yield { line: start.line, message: 'the array is not closed after this' };
}

function* element(text: string, line: number, isLast: boolean): Generator<JsonElement> {
  const leading = text.length - text.trimStart().length;
  const body = text.trim();
  // An empty array has one empty element.
  if (body === '' && isLast) return;
  yield { line: line + text.slice(0, leading).split('\n').length - 1, text: body };
}
