import * as z from 'zod';
import { GIVEN_TIMES, isGivenTime, isoTime } from '../core/clock.ts';
import { peopleText } from '../core/field-shapes.ts';
import { NAME_CHARACTERS_MAX } from '../core/limits.ts';
import { SHEET_LANGUAGES } from '../core/records.ts';
import { lostPlace } from '../stores/store-errors.ts';

const ZonedTime = z.iso.datetime({
  offset: true,
  error: 'expected a time with Z or an offset, such as 2027-09-30T18:00:00Z',
});

/** A time in a question. It needs `Z` or an offset, because a server does not know the caller's zone. */
export const GivenTime = inProgram(ZonedTime.meta({ description: 'ISO 8601 with Z or an offset' }));

/** A time that will be stored; otherwise like `GivenTime`. */
export const KeptTime = inProgram(
  ZonedTime.refine((text) => isGivenTime(Date.parse(text)), GIVEN_TIMES).meta({
    description: 'ISO 8601 with Z or an offset, in the years 1970 to 9998 (UTC)',
  }),
);

function inProgram(text: z.ZodType<string, string>) {
  return z.codec(text, z.number(), {
    decode: (given) => Date.parse(given),
    encode: (time) => isoTime(time) ?? '',
  });
}

export const Name = peopleText(NAME_CHARACTERS_MAX)
  .min(1)
  .describe(`1 to ${NAME_CHARACTERS_MAX} characters, no control or direction characters`);

export const PAGE_ITEMS_MAX = 1000;

/** How many items a page of a list may hold. */
export const PageLimit = z.coerce.number().int().min(1).max(PAGE_ITEMS_MAX).default(100);

/** The options of a file for a person. */
export const FileWriting = {
  format: z.enum(['csv', 'excel', 'jsonl']).default('csv'),
  /** The language of a file for Excel. */
  language: z.enum(SHEET_LANGUAGES).default('en'),
  /** The zone of the times in a file for Excel. */
  timeZone: z.string().max(100).default('UTC'),
};

/** The values that a text for a code needs. */
const Values = z.record(z.string(), z.union([z.string(), z.number()]));

/** The members that let a page say `message` in another language. */
export const Explained = z.object({
  code: z.string().optional().meta({ description: 'what was refused; stable, for programs' }),
  values: Values.optional(),
});

/** The body of every refusal. If one member of the request is wrong, `field` names it. */
export const ErrorBody = z
  .object({ message: z.string(), field: z.string().optional(), ...Explained.shape })
  .meta({ id: 'Error' });
export type ErrorBody = z.output<typeof ErrorBody>;

export const Id = z.object({ id: z.string().min(1).max(100) });

/** The body of an answer without data. */
export const Done = z.object({}).meta({ id: 'Done' });

/** The most records of a page. */
const LIST_ITEMS_MAX = 200;

/** The query of a list that continues where the page before ended. */
export const ListPage = {
  /** The `next` of the page before. */
  after: z.string().max(100).optional(),
  limit: z.coerce.number().int().min(1).max(LIST_ITEMS_MAX).default(LIST_ITEMS_MAX),
};

/** A page of a list: `next` is where the following one begins, and null on the last. */
export function pagedList<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item), next: z.string().nullable() });
}

/** The query to a store for a page: it asks for one item more than the page holds, to see whether another page follows. */
export function asked({
  after,
  limit,
}: {
  readonly after?: string | undefined;
  readonly limit: number;
}) {
  return { limit: limit + 1, ...(after !== undefined && { afterId: after }) };
}

/** Makes the page from what a store found for `asked`. */
export function pageOf<Item extends { readonly id: string }>(
  found: readonly Item[],
  limit: number,
) {
  const items = found.slice(0, limit);
  return { items, next: found.length > limit ? (items.at(-1)?.id ?? null) : null };
}

/**
 * A page of a list that is in memory.
 * @throws TicketscanError `not_found` where the last item of the page before is not there any more
 */
export function slicedPage<Item extends { readonly id: string }>(
  all: readonly Item[],
  { after, limit }: { readonly after?: string | undefined; readonly limit: number },
) {
  const at = after === undefined ? -1 : all.findIndex(({ id }) => id === after);
  if (after !== undefined && at === -1) throw lostPlace(after);
  return pageOf(all.slice(at + 1), limit);
}

/** A list in one page: `next` is always null. */
export function wholeList<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item), next: z.null() });
}
