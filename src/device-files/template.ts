import { escapeMarkup } from '../kit/text.ts';

/** A text with places for values, written `{{name}}`. */
export type Template = readonly Part[];
type Part = string | { readonly value: string };

/** How a value is escaped, so that it stays one value at its place. */
export interface Escape {
  readonly write: (value: string) => string;
  /** Characters that an escaped value contains only after a backslash. */
  readonly never: string;
}

const plainText: Escape = {
  write: (value) => [...value].map((one) => (one < ' ' || one === '\u007f' ? ' ' : one)).join(''),
  never: '\r\n',
};
const json: Escape = { write: (value) => JSON.stringify(value).slice(1, -1), never: '"' };
const percent: Escape = { write: (value) => encodeURIComponent(value.toWellFormed()), never: '&=' };
const xml: Escape = {
  write: (value) => escapeMarkup(plainText.write(value)),
  never: '<>"\'',
};

/** For the query of an address. */
export const QUERY_ESCAPE = percent;

/** How values are written in a body of this content type; undefined when that is not known. */
export function escapeFor(contentType: string): Escape | undefined {
  const [type = ''] = contentType.toLowerCase().split(';', 1);
  const name = type.trim();
  if (isJsonType(name)) return json;
  if (isXmlType(name)) return xml;
  if (isFormType(name)) return percent;
  return name.startsWith('text/') ? plainText : undefined;
}

/**
 * How values are written in this template: a text that has the form of JSON or XML is read as such. Undefined when that is not known.
 */
export function escapeIn(template: Template, contentType: string): Escape | undefined {
  const escaping = escapeFor(contentType);
  if (escaping !== plainText) return escaping;
  const shape = template
    .map((part) => (typeof part === 'string' ? part : '0'))
    .join('')
    .trim();
  if (shape.startsWith('<') && shape.endsWith('>')) return xml;
  return '{["'.includes(shape.charAt(0)) && isJson(shape) ? json : plainText;
}

/** True for JSON and for an empty text. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return text === '';
  }
}

function isJsonType(contentType: string): boolean {
  const [type = ''] = contentType.toLowerCase().split(';', 1);
  return type.trim() === 'application/json' || type.trim().endsWith('+json');
}

export function isFormType(contentType: string): boolean {
  const [type = ''] = contentType.toLowerCase().split(';', 1);
  return type.trim() === 'application/x-www-form-urlencoded';
}

/** XML, and HTML, whose values are escaped in the same way. */
export function isXmlType(contentType: string): boolean {
  const [type = ''] = contentType.toLowerCase().split(';', 1);
  const name = type.trim();
  return name.endsWith('/xml') || name.endsWith('+xml') || name === 'text/html';
}

/** @returns what is wrong, as a text, when a place is not closed */
export function parseTemplate(text: string): Template | string {
  const parts: Part[] = [];
  let at = 0;
  for (let from = text.indexOf('{{'); from !== -1; from = text.indexOf('{{', at)) {
    const end = text.indexOf('}}', from);
    if (end === -1) return 'a {{ is not closed: write {{note}}, for example';
    if (from > at) parts.push(text.slice(at, from));
    parts.push({ value: text.slice(from + 2, end).trim() });
    at = end + 2;
  }
  if (at < text.length) parts.push(text.slice(at));
  return parts;
}

/** The names of the values in a template. */
export function valuesIn(template: Template): string[] {
  return template.flatMap((part) => (typeof part === 'string' ? [] : [part.value]));
}

/** @param values by name; nothing is written for one that is missing */
export function fillIn(
  template: Template,
  values: Readonly<Record<string, string>>,
  escaping: Escape,
): string {
  let text = '';
  for (const part of template) {
    text += typeof part === 'string' ? part : escaping.write(values[part.value] ?? '');
  }
  return text;
}

/** A position in a template; `any` stands for any characters that a value may have. */
type Letters = readonly (string | { readonly any: string })[];

/**
 * True when two filled-in templates can be the same text: a device could then not tell one answer from the other. Looks at every
 * pair of places once.
 */
export function canBeSame(one: Template, other: Template, escapes: readonly [Escape, Escape]) {
  const a = lettersOf(one, escapes[0]);
  const b = lettersOf(other, escapes[1]);
  const width = b.length + 1;
  const seen = new Uint8Array((a.length + 1) * width);
  const waiting = [0];
  for (let pair = waiting.pop(); pair !== undefined; pair = waiting.pop()) {
    if (seen[pair]) continue;
    seen[pair] = 1;
    const i = Math.floor(pair / width);
    const j = pair % width;
    if (i === a.length && j === b.length) return true;
    for (const [nextI, nextJ] of stepsFrom(a, b, i, j)) waiting.push(nextI * width + nextJ);
  }
  return false;
}

function lettersOf(template: Template, { never }: Escape): Letters {
  return template.flatMap(
    (part): Letters => (typeof part === 'string' ? [...part] : [{ any: never }]),
  );
}

function stepsFrom(a: Letters, b: Letters, i: number, j: number): [number, number][] {
  const x = a[i];
  const y = b[j];
  const steps: [number, number][] = [];
  if (typeof x === 'object') {
    steps.push([i + 1, j]);
    if (typeof y === 'string')
      steps.push(...taken(b, j, x.any).map((to): [number, number] => [i, to]));
  }
  if (typeof y === 'object') {
    steps.push([i, j + 1]);
    if (typeof x === 'string')
      steps.push(...taken(a, i, y.any).map((to): [number, number] => [to, j]));
  }
  if (typeof x === 'string' && x === y) steps.push([i + 1, j + 1]);
  return steps;
}

/** What a value can match at this position: the next character, or a backslash with the character after it. */
function taken(letters: Letters, at: number, never: string): number[] {
  const letter = letters[at] as string;
  if (letter === '\\' && never === '"') return [at + 2].filter((to) => to <= letters.length);
  return never.includes(letter) ? [] : [at + 1];
}
