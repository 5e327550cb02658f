import stringWidth from 'string-width';

/** Pads the text with spaces to a number of terminal columns: wide letters take two, combining marks none. */
export function padded(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - stringWidth(text)));
}

/** Cuts the text to a number of terminal columns, with `…` where something is missing. */
export function fitted(text: string, columns: number): string {
  if (stringWidth(text) <= columns) return text;
  let kept = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (stringWidth(kept + segment) >= columns) break;
    kept += segment;
  }
  return columns > 0 ? `${kept}…` : '';
}

/** A word with the blanks behind it, or a part of a list with its comma. */
const WORDS = /[^\s,]+(?:,\s*|\s+)?|[\s,]+/g;

/**
 * The lines of a text that is folded between words, and behind commas, to a number of terminal columns. A word that is
 * longer has a line of its own.
 */
export function folded(text: string, columns: number): string[] {
  if (stringWidth(text) <= columns) return [text];
  const indent = /^\s*/.exec(text)?.[0] ?? '';
  const lines: string[] = [];
  let line = indent;
  for (const word of wordsOf(text.trimStart())) {
    if (line.trim() !== '' && stringWidth(line + word.trimEnd()) > columns) {
      lines.push(line.trimEnd());
      line = indent;
    }
    line += word;
  }
  return [...lines, line.trimEnd()];
}

/** The width of the longest word in terminal columns: the least to which the text can be folded. */
export function longestWord(text: string): number {
  return wordsOf(text).reduce((widest, word) => Math.max(widest, stringWidth(word.trimEnd())), 0);
}

function wordsOf(text: string): string[] {
  return text.match(WORDS)?.filter((word) => word !== '') ?? [];
}
