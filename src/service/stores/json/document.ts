import * as z from 'zod';
import { DOCUMENT_KINDS } from '../../../core/administrative-records.ts';
import { INTEGRATION_TYPES } from '../../../core/api-key.ts';
import { windowOf } from '../../../core/codecs/ticket.ts';
import { DIRECTIONS, EXIT_RULES } from '../../../core/direction.ts';

/** Raised from the first release on, when an older program could misread what this one writes. */
export const DOCUMENT_FORMAT = 1;

const ISO_TIME = /^[+-]?\d{4,6}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/;

/** ISO 8601 in the document, milliseconds since 1970 in the program. */
const Time = z.codec(
  z
    .string()
    .regex(ISO_TIME, 'expected an ISO 8601 time with its zone, such as 2026-07-01T12:00:00Z')
    .refine((text) => !Number.isNaN(Date.parse(text)), 'this time does not exist'),
  z.number(),
  { decode: (text) => Date.parse(text), encode: (time) => new Date(time).toISOString() },
);

const id = z.string().min(1);
const name = z.string().min(1);
const count = z.int().min(0);
const positive = z.int().min(1);

const OrganisationRecord = z.strictObject({
  id,
  name,
  limits: z.strictObject({
    ratePerSecond: z.number().positive().describe('Tokens a second that each key regains.'),
    burst: positive.describe('Tokens that each key holds at most.'),
    quotaPerMonth: positive.describe('Accepted requests per key and calendar month (UTC).'),
    keysMax: positive.describe('Keys that the organisation may have.'),
  }),
  timeZone: z.string().min(1).exactOptional().describe('Such as Europe/Berlin.'),
  sampleNeighbour: z
    .literal(true)
    .exactOptional()
    .describe('Made by seed beside its sample: never meant where no organisation is named.'),
  createdAt: Time,
});

const EventRecord = z.strictObject({
  id: z.string().regex(/^[a-z0-9]{6,10}$/, 'expected 6 to 10 characters of a-z and 0-9'),
  organisationId: id,
  name,
  createdAt: Time,
  archivedAt: Time.optional().describe('Present when lists and choices do not show the event.'),
});

const KeyRecord = z.strictObject({
  id,
  organisationId: id,
  name,
  type: z.enum(INTEGRATION_TYPES),
  events: z.union([z.literal('all'), z.array(id)]).describe('"all", or the ids of events.'),
  active: z.boolean(),
  relay: z.enum(['auto', 'in', 'out']),
  openSeconds: positive.describe('How long a door opens on a grant.'),
  createdAt: Time,
  readers: z
    .record(z.string(), z.enum(DIRECTIONS))
    .optional()
    .describe('Which way readers point, by the index that the device sends; "*" is all others.'),
  onExit: z.enum(EXIT_RULES).optional(),
  device: id.optional().describe('The name of the device file that is asked first.'),
  expiresAt: Time.optional(),
  rotations: positive.optional().describe('How often the key got a new value.'),
  previousUntil: Time.optional(),
  hash: id.describe("SHA-256 of the key's value; the value itself is not stored."),
  previousHash: id
    .optional()
    .describe('The same of the value before; it holds until previousUntil.'),
});

const AdministrativeRecord = z
  .strictObject({
    kind: z.enum(DOCUMENT_KINDS),
    id,
    revision: positive,
    value: z.json(),
  })
  .describe('Accounts, sessions and access tokens, in the internal format of the program.');

const TicketRecord = z.strictObject({
  id: id.describe('tkt_<event>_<random>: the event is part of it.'),
  ticketType: z.enum(['single', 'multi']),
  usesAllowed: positive,
  usesConsumed: count.describe('Compared with the log whenever the store is opened.'),
  importedUses: positive
    .optional()
    .describe(
      'Uses that the ticket had when it was imported from another store. The log of that store is not included.',
    ),
  holder: z.strictObject({ firstName: z.string(), lastName: z.string() }).optional(),
  ...windowOf(Time.optional()),
  lastConsumedAt: Time.optional(),
  cancelledAt: Time.optional().describe('Present when the ticket is cancelled.'),
  createdAt: Time,
  batch: id.optional().describe('The run of mint, import or create that it came with.'),
});

/** The records of each list of the document. */
export const DOCUMENT_RECORDS = {
  organisations: OrganisationRecord,
  events: EventRecord,
  keys: KeyRecord,
  documents: AdministrativeRecord,
  tickets: TicketRecord,
} as const;

export const StoreDocument = z
  .strictObject({
    $schema: z.string().optional(),
    format: z.literal(DOCUMENT_FORMAT),
    log: z
      .strictObject({
        line: count.describe('The last line of the log whose changes this document contains.'),
        check: z.string().regex(/^[0-9a-f]{16}$/, 'expected 16 hexadecimal digits'),
        open: z
          .boolean()
          .describe('True while a program writes, and after one that did not end cleanly.'),
      })
      .describe('Connects the document with the log beside it. Not to be edited.'),
    organisations: z.array(OrganisationRecord),
    events: z.array(EventRecord),
    keys: z.array(KeyRecord),
    documents: z.array(AdministrativeRecord).optional(),
    tickets: z.array(TicketRecord),
  })
  .meta({
    title: 'ticketscan store',
    description:
      'The document of a json: store. People can read it, and edit it while no program uses it.',
  });

/** The document with times in milliseconds. */
export type StoreContent = z.output<typeof StoreDocument>;
export type LogPosition = StoreContent['log'];
