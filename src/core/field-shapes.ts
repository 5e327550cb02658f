import * as z from 'zod';
import { type GivenChoices, ofEachChoice } from './key-settings.ts';
import { isAtMost, UNITS_PER_CHARACTER } from './text-length.ts';
import {
  ofEachField,
  type ShownTicketFields,
  type TicketFieldName,
  type TicketFieldValues,
} from './ticket-fields.ts';

/** The members of a key that are one of a few values; what is usual is absent. */
export const KEY_CHOICE_SHAPE = ofEachChoice(({ values }) =>
  z.enum(Object.keys(values)).optional(),
) as {
  readonly [Name in keyof GivenChoices]-?: z.ZodOptional<z.ZodType<Value<Name>, Value<Name>>>;
};
type Value<Name extends keyof GivenChoices> = Exclude<GivenChoices[Name], undefined>;

/** A text that people write. An issue says its limit in characters as people count them; schemas count code points. */
export function peopleText(charactersMax: number) {
  return z
    .string()
    .check(({ value, issues }) => {
      if (isAtMost(value, charactersMax)) return;
      const issue = { code: 'too_big', origin: 'string', inclusive: true } as const;
      issues.push({ ...issue, maximum: charactersMax, input: value });
    })
    .meta({ maxLength: charactersMax * UNITS_PER_CHARACTER });
}

type Stored<Name extends TicketFieldName> = Exclude<TicketFieldValues[Name], undefined>;
type Shown<Name extends TicketFieldName> = ShownTicketFields[Name];

/** The help of an option as a sentence by itself. */
function sentence(help: string): string {
  return `${help[0]?.toUpperCase()}${help.slice(1)}.`;
}

/** What people wrote on a ticket, as JSON: null where it has no such text, false where it has no such mark. */
export const FIELD_SHAPE = ofEachField(({ kind, help }) =>
  (kind === 'text' ? z.string().nullable().default(null) : z.boolean().default(false)).describe(
    sentence(help),
  ),
) as { readonly [Name in TicketFieldName]: z.ZodDefault<z.ZodType<Shown<Name>, Shown<Name>>> };

/** What is asked for of the fields of a ticket. */
export const GIVEN_FIELD_SHAPE = ofEachField(({ kind, charactersMax = 0, help }) =>
  (kind === 'text' ? peopleText(charactersMax) : z.boolean())
    .nullable()
    .optional()
    .describe(sentence(help)),
) as {
  readonly [Name in TicketFieldName]: z.ZodOptional<
    z.ZodNullable<z.ZodType<Asked<Name>, Asked<Name>>>
  >;
};
type Asked<Name extends TicketFieldName> = Stored<Name> extends true ? boolean : string;

/** The same, as the document of a store holds it. */
export const STORED_FIELD_SHAPE = ofEachField(({ kind, charactersMax = 0, help }) =>
  (kind === 'text' ? peopleText(charactersMax).min(1) : z.literal(true))
    .optional()
    .describe(sentence(help)),
) as {
  readonly [Name in TicketFieldName]: z.ZodOptional<z.ZodType<Stored<Name>, Stored<Name>>>;
};
