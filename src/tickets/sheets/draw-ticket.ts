import { refuse } from '../../core/errors.ts';
import { barsOf, encodeQr, type QrSymbol, QUIET_ZONE } from '../codes/symbol.ts';
import { codeSide, dotsPerModule, PADDING_MM, type SheetLayout } from './layouts.ts';
import {
  holderName,
  kindInWords,
  type PrintedTicket,
  type SheetContent,
  windowInWords,
} from './printed-ticket.ts';
import type { Paragraph, TextDrawer } from './text.ts';

export const POINTS_PER_MM = 72 / 25.4;
/** The width of a module below which a phone camera at arm's length sees grey (a third of a millimetre). */
const MODULE_MM_MIN = 0.33;
const LINE_HEIGHT = 1.2;
/** The space between paragraphs, in points. */
const GAP = 3;
const INK = '#111111';
const FAINT = '#555555';

/** Lower cells have room for the texts only. */
const LOGO_CELL_MM_MIN = 50;
const LOGO_HEIGHT_MM_MAX = 10;
/** Where texts in the most lines fit at none of the sizes, they are cut to the fewest at the smallest size. */
const LINES_MAX = 6;
const LINES_MIN = 2;
const TEXT_SCALE_MIN = 0.72;
const TEXT_SCALES = [1, 0.85, TEXT_SCALE_MIN] as const;

interface Area {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** A picture that the document has opened; each page refers to the same. */
interface OpenedPicture {
  readonly width: number;
  readonly height: number;
}

/** Draws tickets into cells of a PDF page. */
export class TicketDrawer {
  readonly #document: PDFKit.PDFDocument;
  readonly #text: TextDrawer;
  readonly #layout: SheetLayout;
  readonly #content: SheetContent;
  readonly #logo: OpenedPicture | undefined;

  constructor(
    document: PDFKit.PDFDocument,
    text: TextDrawer,
    options: { layout: SheetLayout } & SheetContent,
  ) {
    this.#document = document;
    this.#text = text;
    this.#layout = options.layout;
    this.#content = options;
    const hasRoom = options.layout.cell.height >= LOGO_CELL_MM_MIN;
    if (options.logo && hasRoom) this.#logo = openPicture(document, options.logo);
  }

  /** @param cell in points */
  draw(ticket: PrintedTicket, cell: Area): void {
    const padding = PADDING_MM * POINTS_PER_MM;
    const inner = {
      left: cell.left + padding,
      top: cell.top + padding,
      width: cell.width - 2 * padding,
      height: cell.height - 2 * padding,
    };
    if (this.#layout.code === 'top') this.#drawAbove(ticket, inner);
    else this.#drawBeside(ticket, inner);
  }

  #drawBeside(ticket: PrintedTicket, area: Area): void {
    const side = codeSide(this.#layout) * POINTS_PER_MM;
    const top = area.top + (area.height - side) / 2;
    this.#drawCode(ticket, area.left, top, side);
    const left = area.left + side + 2;
    this.#drawTexts(
      ticket,
      { ...area, left, width: area.left + area.width - left },
      'left',
      area.height < 80 ? 0.72 : 1,
    );
  }

  #drawAbove(ticket: PrintedTicket, area: Area): void {
    this.#drawCode(ticket, area.left, area.top, area.width);
    const top = area.top + area.width;
    this.#drawTexts(ticket, { ...area, top, height: area.top + area.height - top }, 'center', 1);
  }

  /**
   * Draws the code into a square of `side`, its modules whole dots and all codes of a page in one raster. Blurred edges
   * differ from code to code, and then readers that look for several in a picture miss some.
   */
  #drawCode(ticket: PrintedTicket, left: number, top: number, side: number): void {
    const symbol = encodeQr(ticket.code);
    const modules = symbol.size + 2 * QUIET_ZONE;
    const module = dotsPerModule(this.#layout, modules) * this.#layout.dot * POINTS_PER_MM;
    this.#checkModule(symbol, module > 0 ? module : side / modules);
    const slack = (side - modules * module) / 2;
    const inRaster = (position: number) => Math.round((position + slack) / module) * module;
    const first = { left: inRaster(left), top: inRaster(top) };
    const document = this.#document;
    document.rect(first.left, first.top, modules * module, modules * module).fill('#ffffff');
    for (const { row, column, length } of barsOf(symbol)) {
      document.rect(
        first.left + (QUIET_ZONE + column) * module,
        first.top + (QUIET_ZONE + row) * module,
        length * module,
        module,
      );
    }
    document.fill('#000000');
  }

  #checkModule(symbol: QrSymbol, module: number): void {
    const millimetres = module / POINTS_PER_MM;
    if (millimetres >= MODULE_MM_MIN) return;
    const detail = `On ${this.#layout.name} the squares of this code (version ${symbol.version}) would be ${millimetres.toFixed(2)} mm wide; phones need ${MODULE_MM_MIN} mm.`;
    throw refuse('code_too_small', {}, { detail });
  }

  /** Draws at the top what matters at the gate, at the bottom the id. @param scale of the sizes, for low cells */
  #drawTexts(ticket: PrintedTicket, area: Area, align: 'left' | 'center', scale: number): void {
    const gap = GAP * scale;
    const id = this.#text.fit(idParagraph(ticket, scale), area.width);
    const idTop = area.top + area.height - id.lines.length * id.size * LINE_HEIGHT - gap;
    let top = area.top + 2 * gap;
    const { logo, texts } = this.#fitted(ticket, area.width, idTop - top, scale);
    if (logo) top += this.#drawLogo(logo, { ...area, top }, align) + gap;
    for (const { lines, size, ...look } of texts) {
      for (const line of lines) {
        // What does not fit above the id is left out from the end; the order says what matters least.
        if (top + size * LINE_HEIGHT > idTop) break;
        this.#text.draw(line, { ...area, top, align }, { ...look, size });
        top += size * LINE_HEIGHT;
      }
      top += gap;
    }
    for (const [index, line] of id.lines.entries()) {
      const lineTop = idTop + index * id.size * LINE_HEIGHT;
      this.#text.draw(
        line,
        { ...area, top: lineTop, align },
        { weight: 'regular', size: id.size, colour: FAINT },
      );
    }
  }

  /** What a ticket shows. Without enough room, it leaves out the logo first, and then the organisation's lines. @param room in points */
  #fitted(ticket: PrintedTicket, width: number, room: number, scale: number): Fitted {
    const content = this.#content;
    const bare = { ...content, lines: [] };
    const textsOf = (shown: SheetContent, linesMax: number, textScale: number): FittedParagraph[] =>
      paragraphs(ticket, shown, scale * textScale, linesMax).map((paragraph) => ({
        ...paragraph,
        ...this.#text.fit(paragraph, width),
      }));
    const choices = [
      { logo: this.#logo, shown: content },
      { logo: undefined, shown: content },
      { logo: undefined, shown: bare },
    ];
    for (const { logo, shown } of choices) {
      const left = room - (logo ? logoSize(logo, width).height + GAP * scale : 0);
      for (const textScale of TEXT_SCALES) {
        const texts = textsOf(shown, LINES_MAX, textScale);
        if (heightOf(texts, GAP * scale) <= left) return { logo, texts };
      }
    }
    return { logo: undefined, texts: textsOf(bare, LINES_MIN, TEXT_SCALE_MIN) };
  }

  /** @returns the height that it takes, in points */
  #drawLogo(logo: OpenedPicture, area: Area, align: 'left' | 'center'): number {
    const size = logoSize(logo, area.width);
    const slack = align === 'center' ? (area.width - size.width) / 2 : 0;
    // The types know files and bytes only.
    const picture = logo as unknown as Buffer;
    this.#document.image(picture, area.left + slack, area.top, size);
    return size.height;
  }
}

type FittedParagraph = Paragraph & { readonly lines: readonly string[] };

interface Fitted {
  readonly logo: OpenedPicture | undefined;
  readonly texts: readonly FittedParagraph[];
}

function heightOf(texts: readonly FittedParagraph[], gap: number): number {
  const lines = texts.reduce((sum, one) => sum + one.lines.length * one.size * LINE_HEIGHT, 0);
  return lines + (texts.length - 1) * gap;
}

function logoSize({ width, height }: OpenedPicture, widthMax: number) {
  const scale = Math.min(widthMax / width, (LOGO_HEIGHT_MM_MAX * POINTS_PER_MM) / height);
  return { width: width * scale, height: height * scale };
}

function openPicture(document: PDFKit.PDFDocument, png: Buffer): OpenedPicture {
  const { openImage } = document as unknown as { openImage: (source: Buffer) => OpenedPicture };
  return openImage.call(document, png);
}

/** @param linesMax how many lines a text may take */
function paragraphs(
  ticket: PrintedTicket,
  { timeZone, language, lines }: SheetContent,
  scale: number,
  linesMax: number,
): Paragraph[] {
  const of = (text: string, size: number, more: Partial<Paragraph> = {}): Paragraph => ({
    text,
    weight: 'regular',
    size: size * scale,
    linesMax,
    colour: INK,
    ...more,
  });
  const holder = holderName(ticket.holder);
  return [
    of(ticket.eventName, 11, { weight: 'bold' }),
    ...(holder === '' ? [] : [of(holder, 10)]),
    of(kindInWords(ticket, language), 8),
    ...windowInWords(ticket, timeZone, language).map((text) => of(text, 7.5, { colour: FAINT })),
    ...lines.map((text) => of(text, 7.5)),
  ];
}

/** The id in groups of five, for people who read it out over the phone. */
function idParagraph({ id }: PrintedTicket, scale: number): Paragraph {
  const [prefix, event, random = ''] = id.split('_');
  const groups = random.match(/.{1,5}/gu) ?? [];
  return {
    text: `${prefix}_${event}_ ${groups.join(' ')}`,
    weight: 'regular',
    size: 6.5 * scale,
    linesMax: 3,
    colour: FAINT,
  };
}
