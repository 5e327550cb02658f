/**
 * The rows of a CSV text (RFC 4180): quotes, doubled quotes and line breaks inside quotes are understood. A comma, a
 * semicolon or a tab separates. Empty lines are left out.
 */
export function csvRows(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const { value, end } of csvFields(text.replace(/^\uFEFF/, ''))) {
    row.push(value);
    if (end === 'field') continue;
    if (row.some((field) => field !== '')) rows.push(row);
    row = [];
  }
  return rows;
}

interface Field {
  readonly value: string;
  readonly end: 'field' | 'row';
}

function* csvFields(text: string): Generator<Field> {
  let at = 0;
  while (at <= text.length) {
    const quoted = text[at] === '"';
    const close = quoted ? closingQuote(text, at + 1) : at;
    const stop = nextSeparator(text, close);
    const value = quoted
      ? text.slice(at + 1, close).replaceAll('""', '"')
      : text.slice(at, stop).replace(/\r$/, '');
    const isRowEnd = stop === text.length || text[stop] === '\n';
    yield { value, end: isRowEnd ? 'row' : 'field' };
    at = stop + 1;
  }
}

/** Position of the quote that ends a field, or the end of the text where it is missing. */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from);
  while (at >= 0 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at < 0 ? text.length : at;
}

function nextSeparator(text: string, from: number): number {
  const separator = /[,;\t\n]/g;
  separator.lastIndex = from;
  return separator.exec(text)?.index ?? text.length;
}
