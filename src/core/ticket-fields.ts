import type { Words } from './words.ts';

/**
 * What people write on a ticket, for themselves: no decision reads it, and no answer to a device or to software that scans, no webhook and
 * no metric has it; staff who are signed in see it with the answer to their scan. Operators write and change it at any time. The record, the columns of the databases, the document, lists in both directions, the administrative API,
 * the options of commands, the forms and facts of the page, and what is forgotten with a guest follow from it.
 */
export interface TicketField {
  readonly kind: 'text' | 'flag';
  /** The most characters of a text, as people count them. */
  readonly charactersMax?: number;
  /** Its name in the page; the German one is also the heading of a German list. */
  readonly label: Words;
  /** Other headings that people give it in lists. */
  readonly headings: readonly string[];
  /** What it is, for the help of options. */
  readonly help: string;
  /** Whether it tells of a guest: what people type does. */
  readonly isPersonal: boolean;
  /** Whether a search in tickets finds it. */
  readonly isSearched?: true;
  /** Whether it is looked for letter for letter: it is kept as it looks, without what nobody sees. */
  readonly isCompared?: true;
  /** Whether lists for people show it; a view of one ticket shows all. */
  readonly isListed?: true;
  /** Whether the page shows it, large, to staff who scan the ticket. */
  readonly isShownAtScan?: true;
}

export const TICKET_FIELDS = {
  reference: {
    kind: 'text',
    charactersMax: 64,
    label: ['Reference', 'Referenz'],
    headings: [],
    help: 'the order in your shop, or any text that you choose',
    isPersonal: true,
    isSearched: true,
    isCompared: true,
    isListed: true,
  },
  note: {
    kind: 'text',
    charactersMax: 200,
    label: ['Note', 'Notiz'],
    headings: [],
    help: 'a note for the staff',
    isPersonal: true,
    isShownAtScan: true,
  },
  attention: {
    kind: 'flag',
    label: ['Attention', 'Achtung'],
    headings: [],
    help: 'whether the staff must look at this ticket',
    isPersonal: true,
    isShownAtScan: true,
  },
} as const satisfies Readonly<Record<string, TicketField>>;

type Fields = typeof TICKET_FIELDS;
export type TicketFieldName = keyof Fields;
export const TICKET_FIELD_NAMES = Object.keys(TICKET_FIELDS) as TicketFieldName[];

type ValueOf<Name extends TicketFieldName> = Fields[Name]['kind'] extends 'flag' ? true : string;

/** The fields of a ticket; one that says nothing is absent. */
export type TicketFieldValues = { readonly [Name in TicketFieldName]?: ValueOf<Name> };

/** The fields as programs see them: null where a ticket has no such text, false where it has no such mark. */
export type ShownTicketFields = {
  readonly [Name in TicketFieldName]: ValueOf<Name> extends true ? boolean : string | null;
};

/** What is asked for: null, an empty text and false say nothing, and what is undefined was not given. */
export type GivenTicketFields = {
  readonly [Name in TicketFieldName]?:
    | (ValueOf<Name> extends true ? boolean : string)
    | null
    | undefined;
};

/** What changes; null takes a field back. */
export type TicketFieldEdits = { readonly [Name in TicketFieldName]?: ValueOf<Name> | null };

/** Something of each field, under its name. */
export function ofEachField<Made>(make: (field: TicketField, name: TicketFieldName) => Made): {
  readonly [Name in TicketFieldName]: Made;
} {
  const made = TICKET_FIELD_NAMES.map((name) => [name, make(TICKET_FIELDS[name], name)]);
  return Object.fromEntries(made) as { readonly [Name in TicketFieldName]: Made };
}

/** The names of the fields of which something is true. */
export function fieldsThat(isWanted: (field: TicketField) => unknown): TicketFieldName[] {
  return TICKET_FIELD_NAMES.filter((name) => isWanted(TICKET_FIELDS[name]));
}
