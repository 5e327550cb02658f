import {
  ofEachField,
  type TicketField,
  type TicketFieldValues,
} from '../../src/core/ticket-fields.ts';

/** Something in each field that people write on a ticket. */
export function writtenFields(textOf: (name: string, field: TicketField) => string) {
  return ofEachField((field, name) =>
    field.kind === 'flag' ? true : textOf(name, field),
  ) as Required<TicketFieldValues>;
}

export const A_FIELD_OF_EACH = writtenFields((name) => `A ${name}, 7`);
