import type { EXIT_RULES } from './direction.ts';
import { OPEN_SECONDS_DEFAULT } from './limits.ts';
import type { Words } from './words.ts';

/** Which relay a grant switches. */
export const RELAYS = ['auto', 'in', 'out'] as const;

/** The door of a key for which nothing else was chosen. */
export const USUAL_DOOR = { relay: 'auto', openSeconds: OPEN_SECONDS_DEFAULT } as const;

/**
 * A setting of hardware keys that is one of a few values. The record, the columns of the databases, the document, the administrative
 * API, the options of `keys create` and `keys edit` and the form of the page follow from it.
 */
export interface KeyChoice {
  /** The values, each as people see it. */
  readonly values: Readonly<Record<string, Words>>;
  /** What holds where a key does not say it: a record then lacks the member. */
  readonly usual: string;
  readonly label: Words;
  /** Its column. */
  readonly column: string;
  readonly option: string;
  readonly help: string;
  /** Why a key of own software cannot have it. */
  readonly onlyHardware: string;
}

export const KEY_CHOICES = {
  onExit: {
    values: {
      consume: ['Take a use', 'Nutzung verbrauchen'],
      validate: ['Check only', 'Nur prüfen'],
      open: ['Open for everybody who came in', 'Für alle öffnen, die drinnen sind'],
    } satisfies Record<(typeof EXIT_RULES)[number], Words>,
    usual: 'consume',
    label: ['On the way out', 'Beim Hinausgehen'],
    column: 'on_exit',
    option: '--on-exit <rule>',
    help: 'what a scan at an exit does: take a use, check only, or open for everybody who came in',
    onlyHardware:
      'Only hardware keys have readers: own software validates or consumes by the endpoint that it calls.',
  },
  nameOnDisplay: {
    values: {
      holder: ['The holder', 'Der Inhaber'],
      kind: ['What the ticket is', 'Was das Ticket ist'],
      none: ['No name', 'Kein Name'],
    },
    usual: 'holder',
    label: ['On the display', 'Auf der Anzeige'],
    column: 'name_on_display',
    option: '--name-on-display <what>',
    help: 'what a display shows on a grant: the holder, the kind of the ticket, or no name',
    onlyHardware:
      'Only hardware keys have displays: own software gets the holder in every answer and shows what it wants.',
  },
} as const satisfies Readonly<Record<string, KeyChoice>>;

type Choices = typeof KEY_CHOICES;
export type KeyChoiceName = keyof Choices;
export const KEY_CHOICE_NAMES = Object.keys(KEY_CHOICES) as KeyChoiceName[];

/** What a key may say of its choices. */
export type GivenChoices = {
  readonly [Name in KeyChoiceName]?: (keyof Choices[Name]['values'] & string) | undefined;
};

/** The values of a choice, the usual one first where the table begins with it. */
export function valuesOfChoice<Name extends KeyChoiceName>(
  name: Name,
): (keyof Choices[Name]['values'] & string)[] {
  return Object.keys(KEY_CHOICES[name].values) as (keyof Choices[Name]['values'] & string)[];
}

/** Something of each choice, under its name. */
export function ofEachChoice<Made>(make: (choice: KeyChoice, name: KeyChoiceName) => Made): {
  readonly [Name in KeyChoiceName]: Made;
} {
  const made = KEY_CHOICE_NAMES.map((name) => [name, make(KEY_CHOICES[name], name)]);
  return Object.fromEntries(made) as { readonly [Name in KeyChoiceName]: Made };
}
