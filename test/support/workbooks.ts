import { zipSync } from 'fflate';

/** A cell: a text, or what stands inside of `<c>` with its attributes. */
export type SheetCell = string | { readonly xml: string; readonly attributes?: string } | null;

export interface SheetOf {
  readonly name?: string;
  readonly state?: 'hidden' | 'veryHidden';
  readonly rows: readonly (readonly SheetCell[])[];
  /** What follows the rows. */
  readonly after?: string;
  /** The numbers of rows that are not shown, from 1. */
  readonly hidden?: readonly number[];
  /** What stands in front of the rows, such as the widths of columns. */
  readonly before?: string;
  /** Attributes of rows, by their number from 1. */
  readonly rowAttributes?: Readonly<Record<number, string>>;
}

/** What a sheet says of merged cells. @param prefix of its elements, as some programs write them */
export function merged(cells: readonly string[], prefix = ''): string {
  const each = cells.map((ref) => `<${prefix}mergeCell ref="${ref}"/>`);
  return `<${prefix}mergeCells count="${cells.length}">${each.join('')}</${prefix}mergeCells>`;
}

/** A number as it is stored. */
export const number = (text: string): SheetCell => ({ xml: `<v>${text}</v>` });
/** A number that a style shows as a day, or as a day with its time. */
export const day = (serial: string): SheetCell => ({
  xml: `<v>${serial}</v>`,
  attributes: ' s="1"',
});
export const moment = (serial: string): SheetCell => ({
  xml: `<v>${serial}</v>`,
  attributes: ' s="2"',
});
/** A formula and the value that it had. */
export const formula = (text: string, value: string): SheetCell => ({
  xml: `<f>${text}</f><v>${value}</v>`,
  attributes: ' t="str"',
});

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

function cellXml(cell: SheetCell, row: number, column: number): string {
  if (cell === null) return '';
  const place = `${String.fromCharCode(65 + column)}${row + 1}`;
  if (typeof cell !== 'string') return `<c r="${place}"${cell.attributes ?? ''}>${cell.xml}</c>`;
  return `<c r="${place}" t="inlineStr"><is><t>${escaped(cell)}</t></is></c>`;
}

function sheetXml({
  rows,
  after = '',
  before = '',
  hidden = [],
  rowAttributes = {},
}: SheetOf): string {
  const lines = rows.map((cells, row) => {
    const inside = cells.map((cell, column) => cellXml(cell, row, column)).join('');
    const attributes = rowAttributes[row + 1] ?? '';
    const state = `${hidden.includes(row + 1) ? ' hidden="1"' : ''}${attributes}`;
    return inside === '' ? '' : `<row r="${row + 1}"${state}>${inside}</row>`;
  });
  return `${HEAD}<worksheet xmlns="${MAIN}">${before}<sheetData>${lines.join('')}</sheetData>${after}</worksheet>`;
}

const STYLES = `${HEAD}<styleSheet xmlns="${MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="dd.mm.yyyy\\ hh:mm"/></numFmts><cellXfs count="3"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/><xf numFmtId="164" applyNumberFormat="1"/></cellXfs></styleSheet>`;

/** The parts of a workbook, as spreadsheet programs write them. @param properties attributes of `<workbookPr>` */
export function workbookParts(
  sheets: readonly SheetOf[],
  properties = '',
): Record<string, Uint8Array> {
  const tabs = sheets.map(({ name, state }, index) => {
    const hidden = state ? ` state="${state}"` : '';
    const title = escaped(name ?? `Sheet${index + 1}`);
    return `<sheet name="${title}" sheetId="${index + 1}"${hidden} r:id="rId${index + 1}"/>`;
  });
  const relations = sheets.map(
    (_, index) =>
      `<Relationship Id="rId${index + 1}" Type="${RELATIONS}/worksheet" Target="worksheets/sheet${index + 1}.xml"/>`,
  );
  const styles = `<Relationship Id="rIdS" Type="${RELATIONS}/styles" Target="styles.xml"/>`;
  const texts = {
    'xl/workbook.xml': `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><workbookPr${properties}/><sheets>${tabs.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${HEAD}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${relations.join('')}${styles}</Relationships>`,
    'xl/styles.xml': STYLES,
    ...Object.fromEntries(
      sheets.map((sheet, index) => [`xl/worksheets/sheet${index + 1}.xml`, sheetXml(sheet)]),
    ),
  };
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, new TextEncoder().encode(text)]),
  );
}

/** A workbook as a file. */
export function workbookOf(sheets: readonly SheetOf[], properties?: string): Buffer {
  return Buffer.from(zipSync(workbookParts(sheets, properties)));
}
