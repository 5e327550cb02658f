import { once } from 'node:events';
import { PassThrough, type Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import PDFDocument from 'pdfkit';
import { checkTimeZone } from '../../core/time-zone.ts';
import { POINTS_PER_MM, TicketDrawer } from './draw-ticket.ts';
import { layoutNamed, type SheetLayout } from './layouts.ts';
import type { PrintedTicket, SheetContent } from './printed-ticket.ts';
import { loadFonts, type SheetFonts, TextDrawer } from './text.ts';

export interface SheetOptions extends SheetContent {
  readonly layout: SheetLayout;
  readonly fonts: SheetFonts;
  readonly title: string;
}

export interface SheetSummary {
  readonly tickets: number;
  readonly pages: number;
  /** Characters that no font has; each is a box on paper. */
  readonly missing: readonly string[];
}

/**
 * Writes tickets as a PDF, page by page: the memory it takes does not grow with their number.
 * @param target receives the PDF and is ended
 * @throws TicketscanError `usage` when a code would be printed too small to scan
 */
export async function writeSheet(
  target: Writable,
  tickets: Iterable<PrintedTicket> | AsyncIterable<PrintedTicket>,
  options: SheetOptions,
): Promise<SheetSummary> {
  const { layout } = options;
  const size: [number, number] = [
    layout.page.width * POINTS_PER_MM,
    layout.page.height * POINTS_PER_MM,
  ];
  const document = new PDFDocument({
    size,
    margin: 0,
    autoFirstPage: false,
    // No font until a text names one: the default would be read from a file that is not shipped.
    font: null as unknown as string,
    lang: options.language,
    info: { Title: options.title, Creator: 'ticketscan' },
  });
  const done = finished(target);
  // Both an error of the target and one while drawing must end the other side.
  done.catch(() => document.destroy());
  document.pipe(target);
  const text = new TextDrawer(document, options.fonts);
  const drawer = new TicketDrawer(document, text, options);
  let count = 0;
  const perPage = layout.columns * layout.rows;
  for await (const ticket of tickets) {
    if (count % perPage === 0) await startPage(document, target, layout);
    drawer.draw(ticket, cellOf(layout, count % perPage));
    count += 1;
  }
  if (count === 0) document.addPage();
  document.end();
  await done;
  return { tickets: count, pages: Math.ceil(count / perPage), missing: [...text.missing] };
}

/** A sheet to draw, as it crosses to a thread, which gets bytes without the methods of a Buffer. */
export interface SheetJob {
  readonly tickets: readonly PrintedTicket[];
  /** The name of a layout. */
  readonly layout: string;
  readonly content: Omit<SheetContent, 'logo'> & { readonly logo: Uint8Array | undefined };
  readonly title: string;
}

/** Draws one sheet after the other as a PDF. @throws TicketscanError `usage` for a layout or time zone that does not exist */
export function sheetDrawer(): (job: SheetJob) => Promise<Uint8Array> {
  const fonts = loadFonts([]);
  return async ({ tickets, layout, content, title }) => {
    const target = new PassThrough();
    const pdf = buffer(target);
    await writeSheet(target, tickets, {
      ...content,
      timeZone: checkTimeZone(content.timeZone),
      logo: content.logo && Buffer.from(content.logo),
      layout: layoutNamed(layout),
      fonts: await fonts,
      title,
    });
    return pdf;
  };
}

async function startPage(
  document: PDFKit.PDFDocument,
  target: Writable,
  layout: SheetLayout,
): Promise<void> {
  document.addPage();
  // Drawing never waits by itself, so without a turn of the event loop nothing would flow out.
  await nextTurn();
  if (target.writableNeedDrain) await once(target, 'drain');
  if (layout.cutMarks) drawCutMarks(document, layout);
}

function cellOf(layout: SheetLayout, index: number) {
  const column = index % layout.columns;
  const row = Math.floor(index / layout.columns);
  return {
    left: (layout.origin.left + column * layout.pitch.across) * POINTS_PER_MM,
    top: (layout.origin.top + row * layout.pitch.down) * POINTS_PER_MM,
    width: layout.cell.width * POINTS_PER_MM,
    height: layout.cell.height * POINTS_PER_MM,
  };
}

const LENGTH_MM = 4;
const GAP_MM = 1;

/** Short lines in the margins of the page, in line with every edge of the cells: nothing is printed on a ticket. */
function drawCutMarks(document: PDFKit.PDFDocument, layout: SheetLayout): void {
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
