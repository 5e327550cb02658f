import * as z from 'zod';
import { HolderJson, TicketJson, windowOf } from '../../../core/codecs/ticket.ts';
import { TICKET_STATES } from '../../../core/decision.ts';
import { USES_MULTI_MAX } from '../../../core/limits.ts';
import { SHEET_LANGUAGES } from '../../../core/sheet-settings.ts';
import { TICKET_KINDS } from '../../../core/ticket.ts';
import { Explained, KeptTime, PageLimit } from '../../../operations/fields.ts';

export const TicketWithCode = TicketJson.extend({ code: z.string() }).meta({
  id: 'TicketWithCode',
});
export type TicketWithCode = z.output<typeof TicketWithCode>;

/** As long as servers and proxies let an address be. */
const PAGE_IDS_CHARACTERS_MAX = 4000;

export const TicketQuery = z.object({
  event: z.string().optional(),
  /** What a scan would answer now. */
  state: z.enum(TICKET_STATES).optional(),
  /** Part of the id or of the holder's name. */
  search: z.string().max(200).optional(),
  batch: z.string().max(100).optional(),
  /** Only these, by their ids, with commas between; unknown ones are left out, and nothing else is asked. */
  ids: z.string().max(PAGE_IDS_CHARACTERS_MAX).optional(),
  /** The `next` of the page before. */
  after: z.string().max(100).optional(),
  limit: PageLimit,
});

/** A page may be short, even empty, and yet have a `next`: one answer examines a limited number of tickets. */
export const TicketList = z.object({ items: z.array(TicketJson), next: z.string().nullable() });
export type TicketList = z.output<typeof TicketList>;

export const TICKETS_AT_ONCE_MAX = 1000;
export const NewTickets = z.object({
  event: z.string(),
  type: z.enum(TICKET_KINDS),
  /** Of a multi-use card, 2 to 100. */
  uses: z.number().int().min(1).max(Math.max(USES_MULTI_MAX, 9999)).optional(),
  count: z.number().int().min(1).max(TICKETS_AT_ONCE_MAX).default(1),
  holder: HolderJson.partial().optional(),
  ...windowOf(KeptTime.nullable().optional()),
});
export const CreatedTickets = z.object({ items: z.array(TicketWithCode) });

/** Only members that are given change. */
export const TicketChanges = z.object({
  holder: HolderJson.partial().nullable().optional(),
  /** Of a multi-use card, 2 to 100, and never below the uses that were consumed. */
  uses: z.number().int().optional(),
  ...windowOf(KeptTime.nullable().optional()),
});

/** All tickets of one event or of one batch. */
export const ManyTickets = z.object({
  event: z.string().max(100).optional(),
  batch: z.string().max(100).optional(),
  /** The `next` of the request before. */
  after: z.string().max(100).nullable().default(null),
});
/** One request works on a limited number of tickets: send it again with `next` as `after` until `next` is null. */
export const ManyDone = z
  .object({
    changed: z.number().int(),
    /** Cancelled before; of a deletion, used or in the scan log. */
    kept: z.number().int(),
    next: z.string().nullable(),
  })
  .meta({ id: 'ManyDone' });
export type ManyDone = z.output<typeof ManyDone>;

const BULK_TICKETS_MAX = 500;
export const BulkAct = z.object({
  action: z.enum(['cancel', 'reinstate']),
  ids: z.array(z.string()).min(1).max(BULK_TICKETS_MAX),
});
export const BulkDone = z.object({ items: z.array(TicketJson) });

const FileFormat = z.enum(['csv', 'jsonl']);
/** How a file for a person is written. */
export const FileWriting = {
  format: z.enum(['csv', 'excel', 'jsonl']).default('csv'),
  /** Of a file for Excel. */
  language: z.enum(SHEET_LANGUAGES).default('en'),
  /** Of the times in a file for Excel. */
  timeZone: z.string().max(100).default('UTC'),
};
export const ExportQuery = z.object({
  ...FileWriting,
  event: z.string().optional(),
  /** What a scan would answer now. */
  state: z.enum(TICKET_STATES).optional(),
});

/** Rows of one import: they are checked as a whole before the first is stored. */
export const IMPORT_TICKETS_MAX = 20_000;
/** Of the whole list, and of one line. */
export const IMPORT_BYTES_MAX = 16 * 1024 * 1024;
export const IMPORT_LINE_BYTES_MAX = 64 * 1024;
/** Read as it arrives, not as a whole. */
export const ImportBody = z.unknown().meta({ description: 'a list in the format of the export' });
/** How a list is read. */
const ListReading = z.object({
  /** Stores nothing and says what the list holds. */
  preview: z.stringbool().default(false),
  /** A JSON object: types that are not known, and what they are here. */
  types: z
    .string()
    .max(8000)
    .transform((text, context) => {
      const parsed = z.record(z.string(), z.enum(TICKET_KINDS)).safeParse(jsonFrom(text));
      if (parsed.success) return parsed.data;
      context.addIssue('expected a JSON object such as {"Season":"permanent"}');
      return z.NEVER;
    })
    .optional(),
  /** Of CSV; `latin1` is Windows-1252, and `auto` decides by the bytes. */
  encoding: z.enum(['utf-8', 'latin1', 'auto']).default('utf-8'),
  /** A JSON object: for headings that are not known, the name of their column, or null to leave it out. */
  columns: z
    .string()
    .max(8000)
    .transform((text, context) => {
      const parsed = ColumnsByHeading.safeParse(jsonFrom(text));
      if (parsed.success) return parsed.data;
      context.addIssue('expected a JSON object such as {"Name":"lastName","E-Mail":null}');
      return z.NEVER;
    })
    .optional(),
  /** Of times without one. */
  timeZone: z.string().default('UTC'),
});
const ColumnsByHeading = z.record(z.string(), z.string().nullable());

function jsonFrom(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A list of people who get a ticket each. */
export const NewTicketsQuery = ListReading.extend({
  event: z.string(),
  /** Of rows that name none. */
  type: z.enum(TICKET_KINDS).default('single'),
  /** Of multi-use cards whose row has none. */
  uses: z.coerce.number().int().min(1).max(USES_MULTI_MAX).optional(),
});

/** Read as it arrives. */
export const NewTicketsList = z.unknown().meta({ description: 'CSV with headings' });

export const ImportQuery = ListReading.extend({
  /** Without it, what the content type says. */
  format: FileFormat.optional(),
  /** Skip tickets that already exist. */
  skipExisting: z.stringbool().default(false),
});
export const Imported = z
  .object({
    imported: z.number().int(),
    existing: z.number().int(),
    /** Of the tickets whose row names none; absent when there are none. */
    batch: z.string().optional(),
  })
  .meta({ id: 'Imported' });
/** What an import would store: nothing was stored. */
export const ListPreview = z
  .object({
    tickets: z.number().int(),
    ended: z.number().int().meta({ description: 'how many of them ended before now' }),
  })
  .meta({ id: 'ListPreview' });
/** Nothing was stored: what is wrong, by line. Equal faults are listed once, and only the first of them. */
export const ImportRefused = z
  .object({
    message: z.string(),
    ...Explained.shape,
    faults: z.array(
      z.object({
        ...{ line: z.number().int(), column: z.string().nullable(), message: z.string() },
        lines: z.array(z.number().int()).meta({ description: 'the first lines with this fault' }),
        count: z.number().int().meta({ description: 'how often it is in the list' }),
        ...Explained.shape,
      }),
    ),
  })
  .meta({ id: 'ImportRefused' });

/** Tickets whose holders are erased. */
export const Erasure = z.object({ ids: z.array(z.string().min(1).max(100)).min(1).max(100) });
export const Erased = z
  .object({
    erased: z.number().int().meta({ description: 'how many of the tickets had a holder' }),
    isPurged: z.boolean().meta({
      description: "false when bytes of the names may still be in free space of the store's files",
    }),
  })
  .meta({ id: 'Erased' });
export type Erased = z.output<typeof Erased>;
