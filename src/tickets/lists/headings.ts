import { foldedWithTwoLetters } from '../../core/folded-text.ts';

/** What headings that mean the same have in common; of signs alone, themselves. */
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

/** What a column looks like that is not known: a column that exists here, or what decides which rows count and how often. */
type Likeness =
  | 'firstName'
  | 'lastName'
  | 'name'
  | 'validFrom'
  | 'validUntil'
  | 'type'
  | 'state'
  | 'quantity';

/** The first that fits decides. A heading that fits none may be left out without a loss. */
const LIKENESSES: readonly (readonly [Likeness | null, RegExp])[] = [
  ['state', /status|zustand|state$|cancel|storn|refund|erstatt|bezahlt|^(?:is)?paid$|voided/],
  ['quantity', /quantity|^qty|^menge|^anzahl|stueckzahl|(?:number|no)oftickets|ticketcount/],
  ['validUntil', /until|expir|ablauf|bis$|^ende?$|enddat|endzeit|gueltig(?!ab|von)/],
  ['validFrom', /^validfrom|gueltig|startdat|beginn/],
  ['type', /tickettyp|ticketart|^typ$|^type$|^ticket$|kategorie|category|tarif|tariff/],
  [null, /mail|phone|telefon|handy|mobil|address|adresse|street|strasse|city|postcode|zip|country/],
  [null, /company|firma|organi[sz]ation|event|veranstaltung|product|produkt|^item|venue|user|file/],
  [null, /id$|nummer$|number$|code$|note$|notiz|comment|kommentar|language|gender|geschlecht|age$/],
  ['firstName', /first|vorname|given|rufname|prenom|forename/],
  ['lastName', /last|nachname|surname|family|familien|zuname/],
  ['name', /name|holder|inhaber|guest|gast|attendee|teilnehmer|besucher|visitor|participant/],
  ['name', /^(?:buyer|kaeufer|kunde|customer|rechnungan|billto)$/],
];

/** Who paid need not be who comes. */
const BUYER = /order|buyer|billing|purchas|bestell|rechnung|kaeufer|kunde|customer|invoice|payer/;

export function likenessOf(heading: string): Likeness | null {
  const form = formOf(heading);
  return LIKENESSES.find(([, pattern]) => pattern.test(form))?.[0] ?? null;
}

/** What to do with a column that is not known: assign it, choose by it, count by it, or decide; null when it may be left out. */
export type Suggestion = Likeness | 'decide' | null;

/**
 * What to do with each heading that is not known. The guest's names come before the buyer's; a second column for the same thing may
 * be left out, but for the ends of tickets.
 * @param has columns that are assigned already
 */
export function suggestionsFor(
  headings: readonly string[],
  has: ReadonlySet<string>,
): Map<string, Suggestion> {
  const assigned = new Set(has);
  const ordered = headings.toSorted((a, b) => rankOf(a) - rankOf(b));
  const suggestions = new Map<string, Suggestion>();
  for (const heading of ordered) {
    suggestions.set(heading, suggestionFor(likenessOf(heading), assigned));
  }
  return suggestions;
}

function rankOf(heading: string): number {
  // A whole name is looked at last: where there are parts of it, they are better.
  return (BUYER.test(formOf(heading)) ? 2 : 0) + (likenessOf(heading) === 'name' ? 1 : 0);
}

function suggestionFor(likeness: Likeness | null, assigned: Set<string>): Suggestion {
  if (likeness === null || likeness === 'state' || likeness === 'quantity') return likeness;
  const isName = likeness === 'firstName' || likeness === 'lastName' || likeness === 'name';
  const hasWhole = assigned.has('name');
  const hasPart = assigned.has('firstName') || assigned.has('lastName');
  if (isName && (hasWhole || (likeness === 'name' && hasPart))) return null;
  if (assigned.has(likeness)) return isName || likeness === 'type' ? null : 'decide';
  assigned.add(likeness);
  return likeness;
}
