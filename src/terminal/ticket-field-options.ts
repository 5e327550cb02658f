import { type Command, Option, type OptionValues } from '@commander-js/extra-typings';
import { fieldFromText } from '../core/ticket-field-values.ts';
import {
  type GivenTicketFields,
  ofEachField,
  TICKET_FIELD_NAMES,
  TICKET_FIELDS,
  type TicketField,
  type TicketFieldName,
} from '../core/ticket-fields.ts';
import { defined } from '../kit/defined.ts';
import { forOption } from './options.ts';

/** The options that say what a ticket allows and whose it is, each with its help. A command adds how one is taken back. */
export const TERMS_OPTIONS = {
  uses: ['--uses <number>', 'uses of a multi-use card: 2 to 100'],
  firstName: ['--first-name <name>', 'first name of the holder'],
  lastName: ['--last-name <name>', 'last name of the holder'],
  validFrom: ['--valid-from <time>', 'date or time (ISO 8601) from which it is valid'],
  validUntil: ['--valid-until <time>', 'date or time (ISO 8601) until which it is valid, included'],
} as const satisfies Readonly<Record<string, readonly [flags: string, help: string]>>;
export type TermsOption = keyof typeof TERMS_OPTIONS;

export const TERMS_OPTION_NAMES = Object.keys(TERMS_OPTIONS) as TermsOption[];

/** The option as people type it, such as `--valid-from`. */
export function termsOption(name: TermsOption): string {
  const [flags] = TERMS_OPTIONS[name];
  return flags.split(' ')[0] ?? flags;
}

/** The fields of tickets as options give them. */
export type FieldOptions = { readonly [Name in TicketFieldName]?: string | undefined };

/** Adds an option for each field that people write on a ticket. @param help what else the help of each says, by its name */
export function addFieldOptions<Options extends OptionValues>(
  command: Command<[], Options>,
  help: (field: TicketField, name: TicketFieldName) => string,
): Command<[], Options & FieldOptions> {
  for (const name of TICKET_FIELD_NAMES) {
    const field: TicketField = TICKET_FIELDS[name];
    const value = field.kind === 'flag' ? '<yes|no>' : '<text>';
    command.addOption(new Option(`--${name} ${value}`, `${field.help}${help(field, name)}`));
  }
  return command as unknown as Command<[], Options & FieldOptions>;
}

/** Those that were given; null takes one back. @throws TicketscanError `usage` */
export function fieldsGiven(options: FieldOptions): GivenTicketFields {
  const given = ofEachField((_, name) => {
    const text = options[name];
    return text === undefined ? undefined : forOption(`--${name}`, () => fieldFromText(name, text));
  });
  return defined(given) as GivenTicketFields;
}
