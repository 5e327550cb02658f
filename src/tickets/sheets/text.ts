import bidiModule, { type Bidi } from 'bidi-js';
import * as fontkit from 'fontkit';
import { messageOf, TicketscanError } from '../../core/errors.ts';
import { knownFileFailure } from '../../kit/failures.ts';
import { readBounded } from '../../kit/files.ts';
import { readAsset } from '../assets.ts';

/** One paragraph of a ticket. */
export interface Paragraph {
  readonly text: string;
  readonly weight: Weight;
  /** The height of the letters, in points. */
  readonly size: number;
  readonly linesMax: number;
  readonly colour: string;
}

const ELLIPSIS = '…';
const SHRINK_TO = 0.75;
/** Event names and times repeat, names of holders do not: the memory is bounded. */
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
    const fitsAt = (size: number) => (line: string) => this.#width(line, weight, size) <= width;
    for (const size of [paragraph.size, small]) {
      const lines = wrapped(text, fitsAt(size));
      if (lines.length <= linesMax && lines.every(fitsAt(size))) return { lines, size };
    }
    const fits = fitsAt(small);
    const lines = wrapped(text, fits);
    const pieces = lines.flatMap((line) => brokenUp(line, fits));
    if (pieces.length <= linesMax) return { lines: pieces, size: small };
    const kept = [...lines.slice(0, linesMax - 1), lines.slice(linesMax - 1).join(' ')];
    return { lines: kept.map((line) => cutOff(line, fits)), size: small };
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

/** True when a text takes no more than the width of a line. */
type Fits = (text: string) => boolean;

/** The lines of a text, cut between words; a word that is wider than a line has a line of its own. */
function wrapped(text: string, fits: Fits): string[] {
  if (fits(text)) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/u).filter((one) => one !== '')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && !fits(longer)) {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
  }
  return line === '' ? lines : [...lines, line];
}

/** A line in pieces that fit. */
function brokenUp(line: string, fits: Fits): string[] {
  const pieces: string[] = [];
  let rest = line;
  while (!fits(rest)) {
    const piece = beginningOf(rest, '', fits);
    if (piece === '') break;
    pieces.push(piece);
    rest = rest.slice(piece.length);
  }
  return [...pieces, rest];
}

/** The longest beginning of `line` that fits with an ellipsis; the line itself when it fits. */
function cutOff(line: string, fits: Fits): string {
  return fits(line) ? line : beginningOf(line, ELLIPSIS, fits).trimEnd() + ELLIPSIS;
}

/** The longest beginning of `line`, in whole characters, that fits with `end` behind it. */
function beginningOf(line: string, end: string, fits: Fits): string {
  const characters = Array.from(clusters.segment(line), ({ segment }) => segment);
  let most = 0;
  let tooMany = characters.length;
  while (tooMany - most > 1) {
    const middle = Math.floor((most + tooMany) / 2);
    if (fits(characters.slice(0, middle).join('') + end)) most = middle;
    else tooMany = middle;
  }
  return characters.slice(0, most).join('');
}

export type Weight = 'regular' | 'bold';

/** The fonts of a sheet, the one to prefer first. */
export interface SheetFonts {
  /** Name and file content of each font, to be registered with the PDF. */
  readonly faces: readonly { readonly name: string; readonly bytes: Buffer }[];
  /** Names in order of preference. */
  readonly order: Readonly<Record<Weight, readonly string[]>>;
  readonly covers: (weight: Weight) => Covers;
}

interface Face {
  readonly name: string;
  readonly bytes: Buffer;
  readonly codePoints: ReadonlySet<number>;
}

/**
 * DejaVu Sans, which has Latin, Greek, Cyrillic, Arabic, Hebrew and many symbols, and behind it fonts of the user's for
 * what it lacks.
 * @param extraFiles TTF or OTF files
 * @throws TicketscanError `usage` for a file that is no font
 */
export async function loadFonts(extraFiles: readonly string[]): Promise<SheetFonts> {
  const [regular, bold] = await Promise.all([readAsset('font'), readAsset('fontBold')]);
  const own = { regular: face('regular', regular), bold: face('bold', bold) };
  const extra = await Promise.all(extraFiles.map((file, index) => userFace(file, `extra${index}`)));
  const byWeight = { regular: [own.regular, ...extra], bold: [own.bold, ...extra] };
  return {
    faces: [own.regular, own.bold, ...extra],
    order: {
      regular: byWeight.regular.map(({ name }) => name),
      bold: byWeight.bold.map(({ name }) => name),
    },
    covers: (weight) => (font, text) => {
      const codePoints = byWeight[weight][font]?.codePoints;
      return Array.from(text).every((character) => codePoints?.has(character.codePointAt(0) ?? 0));
    },
  };
}

function face(name: string, bytes: Buffer): Face {
  const font = fontkit.create(bytes);
  if (!('characterSet' in font)) throw new Error('it is a collection of fonts; give a single font');
  return { name, bytes, codePoints: new Set(font.characterSet) };
}

async function userFace(file: string, name: string): Promise<Face> {
  try {
    return face(name, readBounded(file));
  } catch (error) {
    throw new TicketscanError(
      'usage',
      `${file} cannot be used as a font: ${knownFileFailure(error) ?? messageOf(error)}`,
      {
        cause: error,
      },
    );
  }
}

/** A piece of a line that one font draws in one direction. */
export interface Run {
  readonly text: string;
  /** Index of the font in the list. */
  readonly font: number;
}

/** Says whether a font of the list can draw a text. */
export type Covers = (font: number, text: string) => boolean;

/** Drawn once for each character (as a person counts them) that no font has. */
const MISSING = '□';

// The package is CommonJS whose export is the function itself; its types describe a default member.
const bidi = (bidiModule as unknown as () => Bidi)();
const clusters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu;
/** What fontkit lays out from right to left by itself; it takes Arabic digits for letters, which they are not. */
const LAID_OUT_FROM_RIGHT =
  /[\p{sc=Arabic}\p{sc=Hebrew}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}\u0660-\u0669]/u;
const PLAIN = /^[\x20-\x7e]*$/;

interface LevelRun extends Run {
  /** Even runs from the left, odd from the right. */
  readonly level: number;
}

/**
 * Cuts a line into runs in the order in which they stand on paper, from the left.
 * @param fonts how many fonts there are; the first that covers a character draws it
 * @returns the runs, and the characters that no font covers
 */
export function visualRuns(
  line: string,
  fonts: number,
  covers: Covers,
): { runs: Run[]; missing: string[] } {
  if (PLAIN.test(line)) return { runs: [{ font: 0, text: line }], missing: [] };
  const embedding = bidi.getEmbeddingLevels(line);
  const runs: LevelRun[] = [];
  const missing: string[] = [];
  for (const { segment, index } of clusters.segment(line)) {
    const level = embedding.levels[index] ?? 0;
    const found = fontFor(segment, fonts, covers);
    if (!found) missing.push(segment);
    const { font, text } = found ?? { font: 0, text: MISSING };
    append(runs, { font, level, text: level % 2 === 1 ? mirrored(text) : text });
  }
  return { runs: inVisualOrder(runs).map(({ font, text }) => ({ font, text })), missing };
}

function append(runs: LevelRun[], { font, level, text }: LevelRun): void {
  const last = runs.at(-1);
  if (last?.font === font && last.level === level) {
    runs[runs.length - 1] = { font, level, text: last.text + text };
  } else {
    runs.push({ font, level, text });
  }
}

function mirrored(character: string): string {
  return bidi.getMirroredCharacter(character) ?? character;
}

function fontFor(cluster: string, fonts: number, covers: Covers): Run | undefined {
  for (let font = 0; font < fonts; font += 1) {
    // A joiner or a variation selector that the font lacks changes nothing that the font could show.
    const text = cluster.replace(IGNORABLE, (mark) => (covers(font, mark) ? mark : ''));
    const joinsPictures = cluster.includes('\u200d') && /\p{Extended_Pictographic}/u.test(cluster);
    if (text !== '' && !joinsPictures && covers(font, text)) return { font, text };
  }
  return cluster.replace(IGNORABLE, '') === '' ? { font: 0, text: '' } : undefined;
}

/** Rule L2 of the Unicode bidirectional algorithm: from the highest level down, what is at it or above is reversed. */
function inVisualOrder(runs: readonly LevelRun[]): LevelRun[] {
  const ordered = runs.map((run) =>
    (run.level % 2 === 1) === LAID_OUT_FROM_RIGHT.test(run.text)
      ? run
      : { ...run, text: reversed(run.text) },
  );
  const highest = Math.max(0, ...runs.map(({ level }) => level));
  for (let level = highest; level > 0; level -= 1) reverseFrom(level, ordered);
  return ordered;
}

function reverseFrom(level: number, runs: LevelRun[]): void {
  let start = 0;
  while (start < runs.length) {
    let end = start;
    while ((runs[end]?.level ?? -1) >= level) end += 1;
    if (end > start) runs.splice(start, end - start, ...runs.slice(start, end).reverse());
    start = end + 1;
  }
}

function reversed(text: string): string {
  return Array.from(clusters.segment(text), ({ segment }) => segment)
    .reverse()
    .join('');
}
