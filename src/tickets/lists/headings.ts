import { foldedWithTwoLetters } from '../../core/folded-text.ts';
import { BARE_NAME, BUYER, LIKENESSES, type Likeness } from './heading-words.ts';

/** The form of a heading: headings with the same meaning have the same form. A heading of only signs is its own form. */
export function formOf(heading: string): string {
  return foldedWithTwoLetters(heading).replace(/[ _]/gu, '') || heading.trim();
}

/** Rows of JSON name their members again and again; a file with more different names is no list of tickets. */
const FORMS_KEPT_MAX = 1000;

/** The form of a heading, made once for all rows that repeat it. */
export class HeadingForms {
  readonly #forms = new Map<string, string>();

  of(heading: string): string {
    const known = this.#forms.get(heading);
    if (known !== undefined) return known;
    const form = formOf(heading);
    if (this.#forms.size < FORMS_KEPT_MAX) this.#forms.set(heading, form);
    return form;
  }
}

/** The kind of heading that a heading resembles. A person must look at an unknown one. */
export function likenessOf(heading: string): Likeness {
  const form = formOf(heading);
  const found = LIKENESSES.find(([, pattern]) => pattern.test(form));
  return found ? found[0] : 'look';
}

/**
 * What to do with a column that is not known: assign it, choose by it, count by it, decide, or look at its values; null when it is known
 * to say nothing about tickets.
 */
export type Suggestion = Likeness;

/**
 * What to do with each heading that is not known. The guest's names come before the buyer's; the names of a buyer may be left out where
 * the guest's are there.
 * @param has columns that are assigned already
 */
export function suggestionsFor(
  headings: readonly string[],
  has: ReadonlySet<string>,
): Map<string, Suggestion> {
  const assigned = new Set(has);
  const ordered = headings.toSorted((a, b) => rankOf(a) - rankOf(b));
  const suggestions = new Map<string, Suggestion>();
  for (const heading of ordered) suggestions.set(heading, suggestionFor(heading, assigned));
  return suggestions;
}

function rankOf(heading: string): number {
  // A whole name is looked at last: where there are parts of it, they are better.
  return (BUYER.test(formOf(heading)) ? 2 : 0) + (likenessOf(heading) === 'name' ? 1 : 0);
}

const NAMES: ReadonlySet<Likeness> = new Set(['firstName', 'lastName', 'name']);
const ASSIGNED_ONCE: ReadonlySet<Likeness> = new Set(['validFrom', 'validUntil', 'type']);

function suggestionFor(heading: string, assigned: Set<string>): Suggestion {
  const likeness = likenessOf(heading);
  if (NAMES.has(likeness)) return nameFor(heading, likeness, assigned);
  if (likeness === null || !ASSIGNED_ONCE.has(likeness)) return likeness;
  if (assigned.has(likeness)) return likeness === 'type' ? 'look' : 'decide';
  assigned.add(likeness);
  return likeness;
}

function nameFor(heading: string, likeness: Likeness, assigned: Set<string>): Suggestion {
  const has = (column: string) => assigned.has(column);
  const isWhole = has('name') || (has('firstName') && has('lastName'));
  if (isWhole) return BUYER.test(formOf(heading)) ? null : 'look';
  const hasPart = has('firstName') || has('lastName');
  const missing = has('firstName') ? 'lastName' : 'firstName';
  const meant =
    likeness === 'name' && hasPart && BARE_NAME.test(formOf(heading)) ? missing : likeness;
  if (meant === null || has(meant) || (meant === 'name' && hasPart)) return 'look';
  assigned.add(meant);
  return meant;
}

/** Headings by which rows are chosen, counted or kept, and which are there a second time. @param forms of the headings @param kept forms */
export function sameHeadings(
  headings: readonly string[],
  forms: readonly string[],
  kept: readonly string[],
): readonly string[] {
  return headings.filter((_, index) => {
    const form = forms[index] ?? '';
    return kept.includes(form) && forms.indexOf(form) !== index;
  });
}
