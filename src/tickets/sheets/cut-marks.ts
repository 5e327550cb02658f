import type { SheetLayout } from './layouts.ts';

const POINTS_PER_MM = 72 / 25.4;
const LENGTH_MM = 4;
const GAP_MM = 1;

/** Short lines in the margins of the page, in line with every edge of the cells: nothing is printed on a ticket. */
export function drawCutMarks(document: PDFKit.PDFDocument, layout: SheetLayout): void {
  const { origin, pitch, columns, rows } = layout;
  const right = origin.left + columns * pitch.across;
  const bottom = origin.top + rows * pitch.down;
  document.lineWidth(0.25).strokeColor('#000000');
  for (let column = 0; column <= columns; column += 1) {
    const x = origin.left + column * pitch.across;
    line(document, x, origin.top - GAP_MM - LENGTH_MM, x, origin.top - GAP_MM);
    line(document, x, bottom + GAP_MM, x, bottom + GAP_MM + LENGTH_MM);
  }
  for (let row = 0; row <= rows; row += 1) {
    const y = origin.top + row * pitch.down;
    line(document, origin.left - GAP_MM - LENGTH_MM, y, origin.left - GAP_MM, y);
    line(document, right + GAP_MM, y, right + GAP_MM + LENGTH_MM, y);
  }
}

function line(document: PDFKit.PDFDocument, x1: number, y1: number, x2: number, y2: number): void {
  document
    .moveTo(x1 * POINTS_PER_MM, y1 * POINTS_PER_MM)
    .lineTo(x2 * POINTS_PER_MM, y2 * POINTS_PER_MM)
    .stroke();
}
