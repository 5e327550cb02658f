import { withoutInvisible } from './folded-text.ts';

/** The longest sign that people see as one, a family of four with skin colours, has fewer units of UTF-16. */
export const UNITS_PER_CHARACTER = 20;

let segments: Intl.Segmenter | undefined;

/** Whether a text has at most `max` characters as people count them. An emoji counts as one character; a character that nobody sees does not count. */
export function isAtMost(text: string, max: number): boolean {
  if (text.length <= max) return true;
  if (text.length > max * UNITS_PER_CHARACTER) return false;
  segments ??= new Intl.Segmenter('und', { granularity: 'grapheme' });
  let left = max;
  for (const { segment } of segments.segment(text)) {
    if (withoutInvisible(segment) === '') continue;
    left -= 1;
    if (left < 0) return false;
  }
  return true;
}

/** Whether nobody sees anything of a text: blanks, the empty Braille pattern, and characters without a form. */
export function looksEmpty(text: string): boolean {
  return withoutInvisible(text).replaceAll('\u2800', '').trim() === '';
}
