import * as z from 'zod';
import { HolderJson, TimeOrNull, windowOf } from '../../../core/records.ts';
import { SHOP_NAMES } from '../../../core/shop-names.ts';
import { hasEnded, TICKET_KINDS, type TicketTerms } from '../../../core/ticket.ts';
import { counted } from '../../../kit/text.ts';
import { ErrorBody, Explained } from '../../../operations/fields.ts';
import { meaningKey } from '../../../tickets/lists/chosen-rows.ts';
import type { ColumnHeadings } from '../../../tickets/lists/match-columns.ts';
import { ENCODINGS } from '../../../tickets/lists/read-text.ts';
import { groupedIssues, type RowIssue, shortened } from '../../../tickets/lists/row-issues.ts';
import type { AdminContext } from '../../context.ts';
import type { AccountScope } from '../../scope.ts';
import { knownAmong, type ListUpdate, type OtherNumber } from '../list-update.ts';

/** How the routes of lists read one, and what they answer of it. */

export const FAULTS_SHOWN = 100;
/** Changes that a preview shows one by one, unless it is asked for more. */
export const CHANGES_SHOWN = 100;
/** The options for reading a list. */
export const ListReading = z.object({
  /** Stores nothing and says what the list holds. */
  preview: z.stringbool().default(false),
  /** A JSON object: types that are not known, and what they are here. */
  types: jsonOf(z.record(z.string(), z.enum(TICKET_KINDS)), '{"Season":"permanent"}').optional(),
  /** The encoding of CSV; `latin1` is Windows-1252, and `auto` decides by the bytes. */
  encoding: z.enum(ENCODINGS).default('utf-8'),
  /** The sheet of a workbook; the first that is not hidden, when it is left out. */
  worksheet: z.string().max(100).optional(),
  /** A JSON object: for headings that are not known, the name of their column, or null to leave it out. */
  columns: jsonOf(
    z.record(z.string(), z.string().nullable()),
    '{"Name":"lastName","E-Mail":null}',
  ).optional(),
  /** The zone of times without one. */
  timeZone: z.string().default('UTC'),
  /** Skip rows whose reference a ticket of the organisation has. Then each row needs a reference, and no two the same. */
  uniqueReference: z.stringbool().default(false),
});
export type ListReading = z.output<typeof ListReading>;

/** A member of a query that is JSON. */
export function jsonOf<Schema extends z.ZodType>(schema: Schema, example: string) {
  return z
    .string()
    .max(8000)
    .transform((text, context) => {
      const parsed = schema.safeParse(jsonFrom(text));
      if (parsed.success) return parsed.data;
      context.addIssue(`expected a JSON object such as ${example}`);
      return z.NEVER;
    });
}

function jsonFrom(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const Notes = z.array(z.string()).optional().meta({
  description: 'what somebody should know who did not look at each row; absent when nothing is',
});

const Terms = z.object({
  holder: HolderJson.nullable().optional(),
  ...windowOf(TimeOrNull.optional()),
});
const ListChanges = z
  .object({
    changed: z
      .number()
      .int()
      .meta({ description: 'tickets of which the list says something else' }),
    cancelled: z.number().int().meta({ description: 'tickets that the list cancels' }),
    unchanged: z.number().int(),
    stayCancelled: z.number().int().meta({
      description: 'tickets that are cancelled here and not in the list: a list never reinstates',
    }),
    elsewhere: z.number().int().meta({
      description: 'references of another event or of an erased guest: nothing of these changes',
    }),
    differing: z.number().int().meta({
      description:
        'tickets of which the list has another note, attention, type or number of uses, which it does not change',
    }),
    first: z
      .array(
        z.object({
          line: z.number().int(),
          ticketId: z.string(),
          reference: z.string(),
          isCancelled: z.boolean(),
          before: Terms,
          after: Terms,
        }),
      )
      .meta({ description: 'the first of the cancelled and changed tickets' }),
  })
  .meta({ id: 'ListChanges' });
/** The references with another number of tickets. */
export const OtherNumbers = z
  .object({
    count: z.number().int(),
    first: z.array(
      z.object({
        reference: z.string(),
        listed: z.number().int(),
        here: z.number().int(),
      }),
    ),
  })
  .optional()
  .meta({
    description:
      'with `uniqueReference` or `update`: references of which the list has another number of tickets than there are here. Nothing is made or cancelled for them. Absent where there are none',
  });
/** The columns that `cancelled` names. */
export const CancelledColumns = z
  .array(
    z.object({
      heading: z.string(),
      counting: z
        .array(z.object({ text: z.string(), count: z.number().int() }))
        .meta({ description: 'the first values of rows that count, and how many rows have each' }),
      more: z.number().int().meta({ description: 'how many more values such rows have' }),
      unseen: z.array(z.string()).meta({ description: 'values that no row has' }),
    }),
  )
  .optional()
  .meta({ description: 'what the columns of `cancelled` have besides; only with `cancelled`' });
/** What an import would store: nothing was stored. */
export const ListPreview = z
  .object({
    tickets: z.number().int(),
    ended: z.number().int().meta({ description: 'how many of them ended before now' }),
    notes: Notes,
    known: z.number().int().meta({
      description:
        'how many of them `uniqueReference` would skip, because their reference is known',
    }),
    cancelledRows: z.number().int().optional().meta({
      description: 'rows of a list of people that say of themselves that they were cancelled',
    }),
    changes: ListChanges.optional().meta({ description: 'only with `update`' }),
    otherNumbers: OtherNumbers,
    cancelledColumns: CancelledColumns,
  })
  .meta({ id: 'ListPreview' });
/** Nothing was stored: what is wrong, by line. Equal faults are listed once, and only the first of them. */
export const ImportRefused = z
  .object({
    message: z.string(),
    ...Explained.shape,
    good: z.number().int().nullable().meta({
      description: 'how many tickets the other rows are; null when not every row could be read',
    }),
    badLines: z
      .array(z.number().int())
      .meta({ description: 'the lines of all rows with a fault; empty when `good` is null' }),
    shop: z.enum(SHOP_NAMES).optional().meta({
      description: 'the shop whose list this seems to be, where no `map` was given',
    }),
    faults: z.array(
      z.object({
        line: z.number().int(),
        column: z.string().nullable(),
        message: z.string(),
        lines: z.array(z.number().int()).meta({ description: 'the first lines with this fault' }),
        count: z.number().int().meta({ description: 'how often it is in the list' }),
        ...Explained.shape,
      }),
    ),
  })
  .meta({ id: 'ImportRefused' });

/** What a route of lists answers where it stores nothing. */
export const REFUSED_LISTS = {
  413: ErrorBody,
  422: z.union([ImportRefused, ErrorBody]),
} as const;

/** What was noticed in a list, where there is something. */
export function told(notes: readonly string[]): { notes?: string[] } {
  return notes.length > 0 ? { notes: [...notes] } : {};
}

/** Those of the tickets that are not there yet; all, where their references may be known. */
export async function freshOf<Listed extends Pick<TicketTerms, 'reference'>>(
  specs: readonly Listed[],
  references: 'unique' | undefined,
  { store }: Pick<AdminContext, 'store'>,
  { organisationId }: Pick<AccountScope, 'organisationId'>,
): Promise<readonly Listed[]> {
  if (references === undefined) return specs;
  const given = specs.flatMap(({ reference }) => reference ?? []);
  const known = await knownAmong(store, organisationId, given);
  return specs.filter(({ reference }) => reference === undefined || !known.has(reference));
}

/** What a list would store. @param fresh how many of the tickets are new */
export function previewOf(
  specs: readonly TicketTerms[],
  fresh: number,
  now: number,
): z.output<typeof ListPreview> {
  const ended = specs.filter((ticket) => hasEnded(ticket, now)).length;
  return { tickets: specs.length, ended, known: specs.length - fresh };
}

/** What a list would store of which nobody has looked yet what is new. */
export async function previewOfAll(
  specs: readonly TicketTerms[],
  references: 'unique' | undefined,
  context: AdminContext,
  scope: AccountScope,
): Promise<z.output<typeof ListPreview>> {
  const fresh = await freshOf(specs, references, context, scope);
  return previewOf(specs, fresh.length, context.clock.now());
}

/** What a list would change, with the first of the changes. */
export function changesView(
  { changed, cancelled, unchanged, stayCancelled, elsewhere, differing }: ListUpdate,
  shown: number,
): z.output<typeof ListChanges> {
  const none = { before: {}, after: {} };
  const first = [
    ...cancelled.map((one) => ({ ...one, ...none, isCancelled: true })),
    ...changed.map((one) => ({ ...one, isCancelled: false })),
  ].slice(0, shown);
  const counts = { changed: changed.length, cancelled: cancelled.length };
  return { ...counts, unchanged, stayCancelled, elsewhere, differing, first };
}

/** The references with another number of tickets, where there are some, with the first of them. */
export function otherNumbersView(
  numbers: readonly OtherNumber[],
  shown: number,
): { otherNumbers?: z.output<typeof OtherNumbers> } {
  if (numbers.length === 0) return {};
  return { otherNumbers: { count: numbers.length, first: numbers.slice(0, shown) } };
}

/** Which heading each column has, which headings to leave out, and what the names of types mean. Several headings of the reference make it together. */
export function readingFrom({ columns = {}, types = {} }: Pick<ListReading, 'columns' | 'types'>) {
  const pairs = Object.entries(columns);
  const parts = pairs.flatMap(([heading, column]) => (column === 'reference' ? [heading] : []));
  const reference = parts.length > 1 ? parts : undefined;
  const named = pairs.flatMap(([heading, column]) =>
    column && !(reference && column === 'reference') ? [[column, heading]] : [],
  );
  const ignored = pairs.filter(([, column]) => column === null).map(([heading]) => heading);
  const kinds = Object.entries(types).map(([text, kind]) => [meaningKey(text), kind] as const);
  const headings: ColumnHeadings = Object.fromEntries(named);
  return { headings, ignored, reference, meanings: { type: new Map(kinds) } };
}

/** @param good how many tickets the rows without an issue are; null when not every row was read */
export function refusalOf(
  issues: readonly RowIssue[],
  good: number | null,
): z.output<typeof ImportRefused> {
  const groups = groupedIssues(issues.toSorted((a, b) => a.line - b.line)).slice(0, FAULTS_SHOWN);
  const count = groups.reduce((sum, group) => sum + group.count, 0);
  const faults = groups.map(({ lines, count: times, ...issue }) => {
    const { reason, values, ...words } = shortened(issue);
    const explained = { ...(reason && { code: reason }), ...(values && { values }) };
    return { ...words, lines: [...lines], count: times, ...explained };
  });
  const atLeast = good === null ? 'at least ' : '';
  const message = `Nothing was stored: ${atLeast}${counted(count, 'issue')} in the list.`;
  const badLines = good === null ? [] : [...new Set(issues.map(({ line }) => line))];
  return { message, code: 'list_refused', good, badLines: badLines.sort((a, b) => a - b), faults };
}
