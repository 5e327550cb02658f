import * as z from 'zod';
import type {
  AdministrativeKind,
  AdministrativeRecord,
} from '../../core/administrative-records.ts';
import { INTEGRATION_TYPES } from '../../core/api-key.ts';
import { DIRECTIONS } from '../../core/direction.ts';
import { KEY_CHOICE_SHAPE } from '../../core/field-shapes.ts';
import { RELAYS } from '../../core/key-settings.ts';
import { withoutUnset } from '../../core/key-terms.ts';
import { USES_PERMANENT } from '../../core/limits.ts';
import { type ApiKeyRecord, type EventRecord, TicketTexts, windowOf } from '../../core/records.ts';
import { type Ticket, UNUSED, windowFrom } from '../../core/ticket.ts';
import { eventOfTicketId } from '../../core/ticket-id.ts';
import { defined } from '../../kit/defined.ts';
import type { StoredKey } from '../transfer/records.ts';
import { arrayText, inline } from './lines.ts';

/** The format of the document. After the first release it rises when an older program could misread what this one writes. */
export const DOCUMENT_FORMAT = 1;

const ISO_TIME = /^[+-]?\d{4,6}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/;

/** Whether the day exists: JavaScript would read 31 February as 3 March. */
function isOnACalendar(text: string): boolean {
  if (Number.isNaN(Date.parse(text))) return false;
  const [day = ''] = text.split('T');
  return new Date(`${day}T00:00Z`).toISOString().startsWith(day);
}

/** A time: ISO 8601 in the document, milliseconds since 1970 in the program. */
const Time = z.codec(
  z
    .string()
    .regex(ISO_TIME, 'expected an ISO 8601 time with its zone, such as 2026-07-01T12:00:00Z')
    .refine(isOnACalendar, 'this time does not exist'),
  z.number(),
  { decode: (text) => Date.parse(text), encode: (time) => new Date(time).toISOString() },
);

const id = z.string().min(1);
const name = z.string().min(1);
const count = z.int().min(0);
const positive = z.int().min(1);

const OrganisationJson = z.strictObject({
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

const EventJson = z.strictObject({
  id: z.string().regex(/^[a-z0-9]{6,10}$/, 'expected 6 to 10 characters of a-z and 0-9'),
  organisationId: id,
  name,
  createdAt: Time,
  archivedAt: Time.optional().describe('Present when lists and choices do not show the event.'),
});

const KeyJson = z.strictObject({
  id,
  organisationId: id,
  name,
  type: z.enum(INTEGRATION_TYPES),
  events: z.union([z.literal('all'), z.array(id)]).describe('"all", or the ids of events.'),
  active: z.boolean(),
  relay: z.enum(RELAYS),
  openSeconds: positive.describe('How long a door opens on a grant.'),
  createdAt: Time,
  readers: z
    .record(z.string(), z.enum(DIRECTIONS))
    .optional()
    .describe('Which way readers point, by the index that the device sends; "*" is all others.'),
  ...KEY_CHOICE_SHAPE,
  device: id.optional().describe('The name of the device file that is asked first.'),
  expiresAt: Time.optional(),
  rotations: positive.optional().describe('How often the key got a new value.'),
  previousUntil: Time.optional(),
  hash: id.describe("SHA-256 of the key's value; the value itself is not stored."),
  previousHash: id
    .optional()
    .describe('The same of the value before; it holds until previousUntil.'),
});

/**
 * Which administrative records the document has: the settings that people made, but not what the program notes by itself or about the log.
 * A kind that is missing here is a compile error.
 */
const IS_IN_DOCUMENT: Readonly<Record<AdministrativeKind, boolean>> = {
  account: true,
  'access-token': true,
  webhook: true,
  'sheet-settings': true,
  'device-names': true,
  limits: true,
  'events-max': true,
  'guest-search': true,
  'inside-from': true,
  'server-address': true,
  'replaced-ticket': true,
  replacement: true,
  session: false,
  pairing: false,
  refusals: false,
  'webhook-progress': false,
  'webhook-notices': false,
  'webhook-lease': false,
  deletion: false,
  'log-ends': false,
  backup: false,
  'event-home': false,
  site: false,
  'site-token': false,
  'site-contact': false,
  'site-feed': false,
  'site-progress': false,
  'site-rows': false,
  'site-of': false,
};
const KINDS = (Object.keys(IS_IN_DOCUMENT) as AdministrativeKind[]).filter(
  (kind) => IS_IN_DOCUMENT[kind],
);

export function isInDocument({ kind }: Pick<AdministrativeRecord, 'kind'>): boolean {
  return IS_IN_DOCUMENT[kind];
}

const AdministrativeJson = z
  .strictObject({
    kind: z.enum(KINDS),
    id,
    revision: positive,
    value: z.json(),
  })
  .describe('Accounts, access tokens and settings, in the internal format of the program.');

const TicketJson = z.strictObject({
  id: id.describe('tkt_<event>_<random>: the event is part of it.'),
  ticketType: z.enum(['single', 'multi']),
  // The maximum holds for what people write. What a program stored is read in any case.
  usesAllowed: positive.meta({
    maximum: USES_PERMANENT,
    description: '1 for single; 2 to 100 for multi, or 9999 for a permanent card.',
  }),
  usesConsumed: count.describe(
    'May be set for a new ticket only: of others the database beside the document knows the uses.',
  ),
  holder: z.strictObject({ firstName: z.string(), lastName: z.string() }).optional(),
  ...windowOf(Time.optional()),
  lastConsumedAt: Time.optional(),
  cancelledAt: Time.optional().describe('Present when the ticket is cancelled.'),
  createdAt: Time,
  ...TicketTexts,
});

/** The records of each list of the document, as a store has them. */
const DOCUMENT_RECORDS = {
  organisations: OrganisationJson,
  events: z.codec(EventJson, z.custom<EventRecord>(), {
    decode: ({ archivedAt = null, ...event }) => ({ ...event, archivedAt }),
    encode: ({ archivedAt, ...event }) => (archivedAt === null ? event : { ...event, archivedAt }),
  }),
  keys: z.codec(KeyJson, z.custom<StoredKey>(), {
    decode({ hash, previousHash = null, ...key }) {
      return { record: withoutUnset(key), hash, previousHash, deletedAt: null };
    },
    encode({ record, hash, previousHash }) {
      const events = record.events === 'all' ? ('all' as const) : [...record.events];
      return { ...record, events, hash, ...defined({ previousHash: previousHash ?? undefined }) };
    },
  }),
  administrative: z.codec(AdministrativeJson, z.custom<AdministrativeRecord>(), {
    decode: (record) => record as AdministrativeRecord,
    // JSON has no members that are undefined.
    encode: ({ value, ...record }) => ({
      ...(record as z.output<typeof AdministrativeJson>),
      value: JSON.parse(JSON.stringify(value ?? null)),
    }),
  }),
  tickets: z.codec(TicketJson, z.custom<Ticket>(), {
    decode(record) {
      const absent = { holder: null, ...windowFrom({}, Number), ...UNUSED };
      const eventId = eventOfTicketId(record.id) ?? '';
      return { ...absent, ...record, eventId } as Ticket;
    },
    encode({ eventId: _, ...ticket }) {
      const given = Object.entries(ticket).filter(([, value]) => value !== null);
      return Object.fromEntries(given) as z.output<typeof TicketJson>;
    },
  }),
} as const;

export const StoreDocument = z
  .strictObject({
    $schema: z.string().optional(),
    format: z.literal(DOCUMENT_FORMAT),
    written: positive
      .exactOptional()
      .describe(
        'Which text of the store this is, or was made from: the program raises it. Leave it as it is.',
      ),
    organisations: z.array(DOCUMENT_RECORDS.organisations),
    events: z.array(DOCUMENT_RECORDS.events),
    keys: z.array(DOCUMENT_RECORDS.keys),
    administrative: z.array(DOCUMENT_RECORDS.administrative).optional(),
    tickets: z.array(DOCUMENT_RECORDS.tickets),
  })
  .meta({
    title: 'ticketscan store',
    description:
      'The document of a json: store. People can read it at any time; what they edit is taken over when a program starts.',
  });

/** The document as records. */
export type StoreContent = z.output<typeof StoreDocument>;

/** The lists of the document, in the order in which a store can take their records. */
export const LISTS = ['organisations', 'events', 'keys', 'administrative', 'tickets'] as const;
export type List = (typeof LISTS)[number];

export interface Issue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** What the schema cannot check: references between records, and unique names. */
export function issuesIn(content: StoreContent): Issue[] {
  const { organisations, events, tickets } = content;
  const keys = content.keys.map(({ record, hash }) => ({ ...record, hash }));
  const organisationIds = new Set(organisations.map(({ id }) => id));
  const ownerOfEvent = new Map(events.map((event) => [event.id, event.organisationId]));
  return [
    ...repeated('organisations', organisations, 'id'),
    ...repeated('organisations', organisations, 'name'),
    ...repeated('events', events, 'id'),
    ...repeated('keys', keys, 'id'),
    ...repeated('keys', keys, 'hash'),
    ...repeated('tickets', tickets, 'id'),
    ...danglingReferences('events', events, organisationIds),
    ...danglingReferences('keys', keys, organisationIds),
    ...keys.flatMap((key, index) => keyIssues(key, index, ownerOfEvent)),
    ...tickets.flatMap((ticket, index) => ticketIssues(ticket, index, ownerOfEvent)),
  ];
}

function repeated<Name extends string>(
  list: string,
  records: readonly Readonly<Record<Name, string>>[],
  member: Name,
): Issue[] {
  const first = new Map<string, number>();
  return records.flatMap((record, index) => {
    const before = first.get(record[member]);
    if (before === undefined) {
      first.set(record[member], index);
      return [];
    }
    return [{ path: [list, index, member], message: `the same as in ${list}[${before}]` }];
  });
}

function danglingReferences(
  list: string,
  records: readonly { readonly organisationId: string }[],
  organisationIds: ReadonlySet<string>,
): Issue[] {
  return records.flatMap(({ organisationId }, index) => {
    if (organisationIds.has(organisationId)) return [];
    const message = `unknown organisation ${organisationId}`;
    return [{ path: [list, index, 'organisationId'], message }];
  });
}

function keyIssues(
  { events, organisationId }: ApiKeyRecord,
  index: number,
  ownerOfEvent: ReadonlyMap<string, string>,
): Issue[] {
  if (events === 'all') return [];
  return events.flatMap((eventId, position) => {
    if (ownerOfEvent.get(eventId) === organisationId) return [];
    const message = `the key's organisation has no event ${eventId}`;
    return [{ path: ['keys', index, 'events', position], message }];
  });
}

function ticketIssues(
  { id, usesConsumed, usesAllowed }: Ticket,
  index: number,
  knownEvents: ReadonlyMap<string, unknown>,
): Issue[] {
  const eventId = eventOfTicketId(id);
  const at = (member: string, message: string) => [{ path: ['tickets', index, member], message }];
  if (eventId === undefined) return at('id', 'expected tkt_<event>_<20 to 40 of a-z and 0-9>');
  if (!knownEvents.has(eventId)) return at('id', `unknown event ${eventId}`);
  if (usesConsumed > usesAllowed) return at('usesConsumed', `above usesAllowed, ${usesAllowed}`);
  return [];
}

/** The document as text: members in a fixed order, one record per line, so that a change shows as the lines it touches. */
export function documentText(content: StoreContent): string {
  const encoded = z.encode(StoreDocument, content);
  const members = Object.entries(encoded).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const text = Array.isArray(value) ? arrayText(value) : inline(value);
    return [`  ${JSON.stringify(name)}: ${text}`];
  });
  return `{\n${members.join(',\n')}\n}\n`;
}

/** A record as one line of the document. Two records are equal if their lines are. */
export function lineOf(list: List, record: unknown): string {
  return inline(z.encode(DOCUMENT_RECORDS[list] as z.ZodType, record));
}

/** Why the document could not hold a record; undefined for one that it can. */
export function unwritable(list: List, record: unknown): string | undefined {
  try {
    const { error } = z.safeEncode(DOCUMENT_RECORDS[list] as z.ZodType, record);
    const issue = error?.issues[0];
    return issue && `${list}: ${issue.path.join('.')} ${issue.message}`;
  } catch (error) {
    // A number outside the range of a date cannot be written at all.
    if (error instanceof RangeError) return `${list}: ${error.message}`;
    throw error;
  }
}

/** The identifier of a record in its list. */
export function idOf(list: List, record: unknown): string {
  if (list === 'keys') return (record as StoredKey).record.id;
  const { kind, id } = record as AdministrativeRecord;
  return list === 'administrative' ? `${kind} ${id}` : id;
}
