/**
 * Array parameters written as text. The driver's own way looks at every element; it costs more than the rest of a batch
 * together.
 */

/** Of numbers and booleans, and of texts that hold neither quotes, commas, braces, blanks nor backslashes, such as ids. */
export function plainArray(values: readonly (string | number | boolean | null)[]): string {
  let text = '';
  for (const value of values) text += `,${value === null ? 'NULL' : value}`;
  return `{${text.slice(1)}}`;
}

/** Of any texts. */
export function textArray(values: readonly (string | null)[]): string {
  let text = '';
  for (const value of values) text += `,${value === null ? 'NULL' : quoted(value)}`;
  return `{${text.slice(1)}}`;
}

function quoted(value: string): string {
  return /["\\]/.test(value) ? `"${value.replace(/["\\]/g, '\\$&')}"` : `"${value}"`;
}
