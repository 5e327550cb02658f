import bidiModule, { type Bidi } from 'bidi-js';

/** A piece of a line that one font draws in one direction. */
export interface Run {
  readonly text: string;
  /** Place of the font in the list. */
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
