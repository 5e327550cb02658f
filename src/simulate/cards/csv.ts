import { parse } from 'csv-parse/sync';

/** The rows of a CSV text; a comma, a semicolon or a tab separates. */
export function csvRows(text: string): string[][] {
  return parse(text, {
    bom: true,
    delimiter: [',', ';', '\t'],
    relaxColumnCount: true,
    skipEmptyLines: true,
  });
}
