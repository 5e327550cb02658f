/**
 * The rows of a CSV text (RFC 4180): quotes, doubled quotes and line breaks inside quotes are understood, a comma or
 * a semicolon separates, whichever the first line has first.
 */
export function csvRows(text: string): string[][] {
  const separator = /^[^;,\r\n"]*;/.test(text) ? ';' : ',';
  const rows: string[][] = [];
  let row: string[] = [];
  const fields = new RegExp(
    `("(?:[^"]|"")*"|[^${separator}\\r\\n]*)(${separator}|\\r?\\n|$)`,
    'gy',
  );
  for (const [, field = '', end] of text.replace(/^\uFEFF/, '').matchAll(fields)) {
    row.push(field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field);
    if (end === separator) continue;
    if (row.some((value) => value !== '')) rows.push(row);
    row = [];
    if (end === '') break;
  }
  return rows;
}
