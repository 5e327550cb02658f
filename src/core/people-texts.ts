import { hasTicketCode, withoutKeys } from '../kit/secrets.ts';
import { hasForbiddenCharacters } from '../kit/text.ts';
import { refuse } from './errors.ts';
import { withoutInvisible } from './folded-text.ts';
import { isAtMost } from './text-length.ts';

/**
 * Whether a text may be kept as one line that people wrote: not too long, and without controls and what changes the text direction. A lone
 * surrogate has no UTF-8 form: it would come back from the store as another text.
 */
export function isPeopleText(text: string, max: number): boolean {
  return isAtMost(text, max) && !hasForbiddenCharacters(text) && text.isWellFormed();
}

/** What is shown and logged has no key or token in it. @param of the member @throws TicketscanError `usage` */
export function checkNoKey(text: string, of?: string): void {
  if (withoutKeys(text) !== text) throw refuse('name_secret', {}, of === undefined ? {} : { of });
}

/** Refuses a text with the code of a ticket, because everybody who reads the code can enter with it. @param of the member @throws TicketscanError `usage` */
export function checkNoCode(text: string, of?: string): void {
  if (hasTicketCode(withoutInvisible(text)))
    throw refuse('text_code', {}, of === undefined ? {} : { of });
}

const BLANKS = /\p{Zs}/gu;
/** They look like a hyphen. */
const HYPHENS = /[\u2010\u2011]/gu;

/** A text that is compared letter for letter, as it looks: two that look the same are one. */
export function asCompared(text: string): string {
  return withoutInvisible(text).normalize('NFC').replace(BLANKS, ' ').replace(HYPHENS, '-').trim();
}
