import type { SheetFonts, Weight } from './fonts.ts';
import { type Run, visualRuns } from './visual-runs.ts';

/** One paragraph of a ticket. */
export interface Paragraph {
  readonly text: string;
  readonly weight: Weight;
  /** In points. */
  readonly size: number;
  readonly linesMax: number;
  readonly colour: string;
}

const ELLIPSIS = '…';
const SHRINK_TO = 0.75;
/** Event names and times come again and again, names do not: the memory is bounded. */
const WIDTHS_MAX = 5000;
/** Any value makes pdfkit shape a run as a whole instead of word by word, which would reverse the words of Arabic. */
const WHOLE_RUN: PDFKit.Mixins.TextOptions = { features: [], lineBreak: false };

/** Draws lines of text in any script on a PDF, and remembers the characters that no font has. */
export class TextDrawer {
  readonly #document: PDFKit.PDFDocument;
  readonly #fonts: SheetFonts;
  /** Width of a run at one point, by font and text. */
  readonly #widths = new Map<string, number>();
  readonly missing = new Set<string>();

  constructor(document: PDFKit.PDFDocument, fonts: SheetFonts) {
    this.#document = document;
    this.#fonts = fonts;
    for (const { name, bytes } of fonts.faces) document.registerFont(name, bytes);
  }

  /**
   * The lines of a paragraph within `width` points, and their size: first it shrinks, then words that are wider than a line
   * break, and last it ends in an ellipsis.
   */
  fit(paragraph: Paragraph, width: number): { lines: string[]; size: number } {
    const { text, weight, linesMax } = paragraph;
    const small = paragraph.size * SHRINK_TO;
    for (const size of [paragraph.size, small]) {
      const lines = this.#wrap(text, weight, size, width);
      if (
        lines.length <= linesMax &&
        lines.every((line) => this.#width(line, weight, size) <= width)
      ) {
        return { lines, size };
      }
    }
    const broken = this.#breakWords(text, weight, small, width);
    if (broken.length <= linesMax) return { lines: broken, size: small };
    const lines = this.#wrap(text, weight, small, width);
    const kept = [...lines.slice(0, linesMax - 1), lines.slice(linesMax - 1).join(' ')];
    return { lines: kept.map((line) => this.#cut(line, weight, small, width)), size: small };
  }

  /** Draws one line with its upper edge at `top`. */
  draw(
    line: string,
    at: { left: number; top: number; width: number; align: 'left' | 'center' },
    look: Pick<Paragraph, 'weight' | 'size' | 'colour'>,
  ): void {
    const { runs, missing } = this.#runs(line, look.weight);
    for (const character of missing) this.missing.add(character);
    const slack = at.width - this.#widthOf(runs, look.weight, look.size);
    let left = at.left + (at.align === 'center' ? Math.max(0, slack / 2) : 0);
    this.#document.fillColor(look.colour);
    for (const run of runs) {
      this.#use(run, look.weight, look.size).text(run.text, left, at.top, WHOLE_RUN);
      left += this.#widthOf([run], look.weight, look.size);
    }
  }

  #wrap(text: string, weight: Weight, size: number, width: number): string[] {
    if (this.#width(text, weight, size) <= width) return [text];
    const lines: string[] = [];
    let line = '';
    for (const word of text.split(/\s+/u).filter((one) => one !== '')) {
      const longer = line === '' ? word : `${line} ${word}`;
      if (line !== '' && this.#width(longer, weight, size) > width) {
        lines.push(line);
        line = word;
      } else {
        line = longer;
      }
    }
    return line === '' ? lines : [...lines, line];
  }

  /** As `#wrap`, with words that are wider than a line in pieces. */
  #breakWords(text: string, weight: Weight, size: number, width: number): string[] {
    return this.#wrap(text, weight, size, width).flatMap((line) => {
      const pieces: string[] = [];
      let rest = line;
      while (this.#width(rest, weight, size) > width) {
        const piece = this.#beginning(rest, '', weight, size, width);
        if (piece === '') break;
        pieces.push(piece);
        rest = rest.slice(piece.length);
      }
      return [...pieces, rest];
    });
  }

  /** The longest beginning of `line` that fits with an ellipsis; the line itself when it fits. */
  #cut(line: string, weight: Weight, size: number, width: number): string {
    if (this.#width(line, weight, size) <= width) return line;
    return this.#beginning(line, ELLIPSIS, weight, size, width).trimEnd() + ELLIPSIS;
  }

  /** The longest beginning of `line`, in whole characters, that fits with `end` behind it. */
  #beginning(line: string, end: string, weight: Weight, size: number, width: number): string {
    const characters = Array.from(new Intl.Segmenter().segment(line), ({ segment }) => segment);
    let fits = 0;
    let fails = characters.length;
    while (fails - fits > 1) {
      const middle = Math.floor((fits + fails) / 2);
      const beginning = characters.slice(0, middle).join('') + end;
      if (this.#width(beginning, weight, size) <= width) fits = middle;
      else fails = middle;
    }
    return characters.slice(0, fits).join('');
  }

  #width(line: string, weight: Weight, size: number): number {
    return this.#widthOf(this.#runs(line, weight).runs, weight, size);
  }

  #widthOf(runs: readonly Run[], weight: Weight, size: number): number {
    let width = 0;
    for (const run of runs) {
      const name = `${weight}${run.font} ${run.text}`;
      let atOnePoint = this.#widths.get(name);
      if (atOnePoint === undefined) {
        atOnePoint = this.#use(run, weight, 1).widthOfString(run.text, WHOLE_RUN);
        if (this.#widths.size >= WIDTHS_MAX) this.#widths.clear();
        this.#widths.set(name, atOnePoint);
      }
      width += atOnePoint * size;
    }
    return width;
  }

  #use({ font }: Run, weight: Weight, size: number): PDFKit.PDFDocument {
    return this.#document.font(this.#fonts.order[weight][font] ?? weight).fontSize(size);
  }

  #runs(line: string, weight: Weight) {
    return visualRuns(line, this.#fonts.order[weight].length, this.#fonts.covers(weight));
  }
}
