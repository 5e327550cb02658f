import { hasForbiddenCharacters } from '../kit/text.ts';
import { withoutInvisible } from './folded-text.ts';

/** The longest sign that people see as one, a family of four with skin colours, has fewer units of UTF-16. */
export const UNITS_PER_CHARACTER = 20;

let segments: Intl.Segmenter | undefined;

/** Whether a text has at most `max` characters as people count them: an emoji is one, and what nobody sees is none. */
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

/**
 * Whether a text may be kept as one line that people wrote: not too long, and without controls and what changes the text direction. A lone
 * surrogate has no UTF-8 form: it would come back from the store as another text.
 */
export function isPeopleText(text: string, max: number): boolean {
  return isAtMost(text, max) && !hasForbiddenCharacters(text) && text.isWellFormed();
}

const BLANKS = /\p{Zs}/gu;
/** They look like a hyphen. */
const HYPHENS = /[\u2010\u2011]/gu;

/** A text that is compared letter for letter, as it looks: two that look the same are one. */
export function asCompared(text: string): string {
  return withoutInvisible(text).normalize('NFC').replace(BLANKS, ' ').replace(HYPHENS, '-').trim();
}
