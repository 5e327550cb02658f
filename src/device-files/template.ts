import { parsedJson } from '../kit/json-text.ts';
import { escapeMarkup } from '../kit/text.ts';

/** A text with places for values, written `{{name}}`. */
export type Template = readonly Part[];
type Part = string | { readonly value: string };

/** Writes a value so that it stays one value at its place. */
export type Escape = (value: string) => string;

const plainText: Escape = (value) =>
  [...value].map((one) => (one < ' ' || one === '\u007f' ? ' ' : one)).join('');
const json: Escape = (value) => JSON.stringify(value).slice(1, -1);
const xml: Escape = (value) => escapeMarkup(plainText(value));

/** Escapes a value for the query of an address. */
export const percent: Escape = (value) => encodeURIComponent(value.toWellFormed());

/** How values are written in a body of this content type; undefined when that is not known. */
export function escapeFor(contentType: string): Escape | undefined {
  const type = mediaType(contentType);
  if (type === 'application/json' || type.endsWith('+json')) return json;
  if (isXmlType(contentType)) return xml;
  if (type === 'application/x-www-form-urlencoded') return percent;
  return type.startsWith('text/') ? plainText : undefined;
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

/** True for a template that is read as JSON. */
export function isJsonIn(template: Template, contentType: string): boolean {
  return escapeIn(template, contentType) === json;
}

/** True for a template that is read as it stands. */
export function isPlainText(template: Template, contentType: string): boolean {
  return escapeIn(template, contentType) === plainText;
}

/** True for JSON and for an empty text. */
export function isJson(text: string): boolean {
  return text === '' || parsedJson(text) !== undefined;
}

/** XML, and HTML, whose values are escaped in the same way. */
export function isXmlType(contentType: string): boolean {
  const type = mediaType(contentType);
  return type.endsWith('/xml') || type.endsWith('+xml') || type === 'text/html';
}

/** The content type without its parameters. */
export function mediaType(contentType: string): string {
  return (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
}

/** Reads a template; a place that is not closed is a text. */
export function parseTemplate(text: string): Template {
  const [first = '', ...others] = text.split('{{');
  const parts = others.flatMap((part) => {
    const end = part.indexOf('}}');
    return end < 0 ? [`{{${part}`] : [{ value: part.slice(0, end).trim() }, part.slice(end + 2)];
  });
  return [first, ...parts].filter((part) => part !== '');
}

/** True when a place of a template is not closed. */
export function isUnclosed(template: Template): boolean {
  return template.some((part) => typeof part === 'string' && part.includes('{{'));
}

/** The names of the values in a template. */
export function valuesIn(template: Template): string[] {
  return template.flatMap((part) => (typeof part === 'string' ? [] : [part.value]));
}

/** @param values by name; nothing is written for one that is missing */
export function fillIn(
  template: Template,
  values: Readonly<Record<string, string>>,
  escaping: Escape = (value) => value,
): string {
  return template
    .map((part) => (typeof part === 'string' ? part : escaping(values[part.value] ?? '')))
    .join('');
}
