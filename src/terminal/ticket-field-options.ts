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
