import { refuse } from './errors.ts';
import { foldedText } from './folded-text.ts';
import { asCompared, checkNoCode, checkNoKey, isPeopleText } from './people-texts.ts';
import { looksEmpty } from './text-length.ts';
import {
  type GivenTicketFields,
  ofEachField,
  type ShownTicketFields,
  TICKET_FIELDS,
  type TicketField,
  type TicketFieldEdits,
  type TicketFieldName,
  type TicketFieldValues,
} from './ticket-fields.ts';

/** Only the fields of an object. */
export function fieldsOf<Given extends GivenTicketFields>(
  given: Given,
): Pick<Given, TicketFieldName & keyof Given> {
  const own = Object.entries(given).filter(([name]) => name in TICKET_FIELDS);
  return Object.fromEntries(own) as Pick<Given, TicketFieldName & keyof Given>;
}

/** The fields that somebody gives, as they are stored. @throws TicketscanError `usage`, also for a text with a key or the code of a ticket */
export function fieldEditsFrom(given: GivenTicketFields): TicketFieldEdits {
  const edits = keptFieldsFrom(given);
  for (const [name, value] of Object.entries(edits)) checkNoSecret(name, value);
  return edits;
}

function checkNoSecret(name: string, value: unknown): void {
  if (typeof value !== 'string') return;
  checkNoKey(value, name);
  checkNoCode(value, name);
}

/** The fields that a record has: one from before keeps its texts. @throws TicketscanError `usage` for a text that is too long or has control or direction characters */
export function keptFieldsFrom(given: GivenTicketFields): TicketFieldEdits {
  const edits = Object.entries(fieldsOf(given))
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, checked(name as TicketFieldName, value)]);
  return Object.fromEntries(edits) as TicketFieldEdits;
}

function checked(name: TicketFieldName, value: unknown): string | true | null {
  if (typeof value !== 'string') return value ? true : null;
  const { charactersMax: max = 0, isCompared }: TicketField = TICKET_FIELDS[name];
  const text = value.trim();
  if (!isPeopleText(text, max)) throw refuse('field_text', { max }, { of: name });
  if (looksEmpty(text)) return null;
  return isCompared ? asCompared(text) : text;
}

export function shownFields(ticket: TicketFieldValues): ShownTicketFields {
  const shown = ofEachField(({ kind }, name) => ticket[name] ?? (kind === 'text' ? null : false));
  return shown as ShownTicketFields;
}

/** A ticket without the fields that say nothing. */
export function withoutEmptyFields<Ticket extends object>(
  ticket: Ticket,
): Omit<Ticket, TicketFieldName> & TicketFieldValues {
  const kept = Object.entries(ticket).filter(
    ([name, value]) => !(name in TICKET_FIELDS) || (value !== null && value !== undefined),
  );
  return Object.fromEntries(kept) as Omit<Ticket, TicketFieldName> & TicketFieldValues;
}

const FLAGS: Readonly<Record<string, boolean>> = {
  '': false,
  no: false,
  nein: false,
  false: false,
  0: false,
  yes: true,
  ja: true,
  true: true,
  1: true,
  x: true,
};

/** What a cell of a list, or an option, says of a field. @throws TicketscanError `usage` */
export function fieldFromText(name: TicketFieldName, text: string): string | true | null {
  if (TICKET_FIELDS[name].kind === 'text') {
    const value = checked(name, text);
    checkNoSecret(name, value);
    return value;
  }
  const flag = FLAGS[foldedText(text)];
  if (flag === undefined) throw refuse('field_flag', { text });
  return flag || null;
}
