import * as z from 'zod';
import { ROLES } from './administrative-records.ts';
import { INTEGRATION_TYPES } from './api-key.ts';
import { isoTime } from './clock.ts';
import { stateOf, TICKET_STATES } from './decision.ts';
import { ACTIONS, DIRECTIONS } from './direction.ts';
import { FIELD_SHAPE, KEY_CHOICE_SHAPE, STORED_FIELD_SHAPE } from './field-shapes.ts';
import { type GivenChoices, type KeyChoiceName, RELAYS } from './key-settings.ts';
import type { OrganisationLimits } from './limits.ts';
import { LOG_STATUSES, REFUSAL_REASONS, type RefusalReason } from './outcome-names.ts';
import { kindOf, TICKET_KINDS, type Ticket } from './ticket.ts';
import { keptFieldsFrom, shownFields, withoutEmptyFields } from './ticket-field-values.ts';

/**
 * Milliseconds since 1970 UTC in the program, ISO 8601 in UTC everywhere in JSON. The text is not checked beyond that it is a time:
 * one odd time in a store must not take the page that shows it.
 */
export const Time = z.codec(z.string().meta({ format: 'date-time' }), z.number(), {
  decode: (text) => Date.parse(text),
  encode: (time) => isoTime(time) ?? '',
});
export const TimeOrNull = Time.nullable();

/** A record is never changed in place. */
type Frozen<Value> = Value extends object
  ? { readonly [Member in keyof Value]: Frozen<Value[Member]> }
  : Value;

export const OrganisationJson = z
  .object({
    id: z.string(),
    name: z.string(),
    limits: z
      .object({
        ratePerSecond: z.number().positive(),
        burst: z.number().int().min(1),
        quotaPerMonth: z.number().int().min(1),
        keysMax: z.number().int().min(1),
      })
      .meta({ id: 'Limits' }),
    /** Such as Europe/Berlin; missing where none was set. */
    timeZone: z.string().exactOptional(),
    /** Made by `seed` beside its sample; missing for every other organisation. */
    sampleNeighbour: z.literal(true).exactOptional(),
    createdAt: Time,
  })
  .meta({ id: 'Organisation' });

export type OrganisationJson = z.input<typeof OrganisationJson>;

/** Who owns events and keys. */
export type Organisation = Frozen<z.output<typeof OrganisationJson>>;

/** What can change of an organisation. */
export interface OrganisationChanges {
  readonly name?: string | undefined;
  /** Null for none. */
  readonly timeZone?: string | null | undefined;
  readonly limits?: Partial<OrganisationLimits> | undefined;
}

/** The organisation after its changes; what is undefined there stays as it is. */
export function changedOrganisation(
  organisation: Organisation,
  { name, timeZone, limits }: OrganisationChanges,
): Organisation {
  const { timeZone: zoneBefore, ...others } = organisation;
  const zone = timeZone === undefined ? zoneBefore : timeZone;
  return {
    ...others,
    name: name ?? organisation.name,
    limits: { ...organisation.limits, ...limits },
    ...(zone != null && { timeZone: zone }),
  };
}

/** The languages of printed tickets. */
export const SHEET_LANGUAGES = ['en', 'de'] as const;
export type SheetLanguage = (typeof SHEET_LANGUAGES)[number];

/** What an organisation prints on its tickets. */
export interface SheetSettings {
  /** Null where none was chosen: then it is English. */
  readonly language: SheetLanguage | null;
  /** Printed below the ticket's own texts. */
  readonly lines: readonly string[];
  /** A PNG in Base64. */
  readonly logo: string | null;
}

export const NO_SHEET_SETTINGS: SheetSettings = { language: null, lines: [], logo: null };

/** Also of what is kept beside it. */
export interface OrganisationEdit extends OrganisationChanges {
  readonly sheets?: Partial<SheetSettings> | undefined;
  /** Events that are not archived; only the operator of the service sets it. */
  readonly eventsMax?: number | undefined;
  /** Whether accounts with the role scanner find guests by name. */
  readonly scannersFindGuests?: boolean | undefined;
  /** The time of the daily reset of people inside, such as `04:00`, or `never`. */
  readonly insideFrom?: string | undefined;
}

export const EventJson = z.object({
  id: z.string(),
  organisationId: z.string(),
  name: z.string(),
  createdAt: Time,
  archivedAt: TimeOrNull,
});

export type EventRecord = Frozen<z.output<typeof EventJson>>;

/** How many people went in and out at an event since the count was reset. */
export interface Occupancy {
  readonly eventId: string;
  readonly entered: number;
  readonly exited: number;
  /** Milliseconds since 1970 UTC; null when it never was. */
  readonly resetAt: number | null;
}

/** People inside now: never below 0, because an exit may be counted whose entry was before the reset. */
export function peopleInside({ entered, exited }: Pick<Occupancy, 'entered' | 'exited'>): number {
  return Math.max(0, entered - exited);
}

/** Section 2.1. The value is not here: it is shown once, in the answer to its creation. */
export const KeyJson = z.object({
  id: z.string(),
  organisationId: z.string(),
  name: z.string(),
  type: z.enum(INTEGRATION_TYPES),
  events: z.union([z.literal('all'), z.array(z.string())]),
  active: z.boolean(),
  relay: z.enum(RELAYS),
  openSeconds: z.number().int(),
  /** Which way readers point, by the index that the device sends; `*` is all others. Absent when nothing is configured. */
  readers: z.record(z.string(), z.enum(DIRECTIONS)).optional(),
  ...KEY_CHOICE_SHAPE,
  /** The device file that is asked first; absent where the known models alone are. */
  device: z.string().optional(),
  createdAt: Time,
  /** The time from which the key is as if disabled; absent for never. */
  expiresAt: Time.optional(),
  /** How often the key got a new value; absent for never. */
  rotations: z.number().int().optional(),
  /** The end of the value before the last rotation, which holds as well until then. */
  previousUntil: Time.optional(),
});

export type KeyJson = z.input<typeof KeyJson>;

/** Section 2.1, without the value: that is shown once and kept only as a hash. */
export type ApiKeyRecord = Frozen<z.output<typeof KeyJson>>;

/** The settings of a hardware key that a grant needs. */
export type DoorSettings = Pick<ApiKeyRecord, KeyChoiceName | 'relay' | 'openSeconds'>;

/** The fields that can change after creation. */
export type ApiKeyChanges = Partial<
  Pick<ApiKeyRecord, 'name' | 'events' | 'active' | 'relay' | 'openSeconds' | 'readers'>
> &
  GivenChoices & {
    /** Null for never. */
    readonly expiresAt?: number | null | undefined;
    /** Empty for none. */
    readonly device?: string | undefined;
    /** A new end of the overlap that is running; both values of the key stay. */
    readonly previousUntil?: number | undefined;
  };

export const Role = z.enum(ROLES).meta({ id: 'Role' });
export type Role = z.output<typeof Role>;

/** Never the hash of the password, nor the key of its devices. */
export const AccountJson = z
  .object({
    id: z.string(),
    name: z.string(),
    role: Role,
    /** Whose tickets a scanner may scan; `all` for every other role. */
    events: z.union([z.literal('all'), z.array(z.string())]),
    createdAt: Time,
    lastSignInAt: TimeOrNull,
  })
  .meta({ id: 'Account' });
export type AccountJson = z.input<typeof AccountJson>;

/** An account as the scan log knows it. */
export type ScannerRecord = Pick<ApiKeyRecord, 'id' | 'organisationId' | 'name' | 'createdAt'>;

/** An access token without its value, which is shown once. */
export const AccessTokenJson = z
  .object({ id: z.string(), name: z.string(), role: Role, createdAt: Time, expiresAt: Time })
  .meta({ id: 'AccessToken' });
export type AccessTokenJson = z.input<typeof AccessTokenJson>;

/** How often, and when. */
const Occurrences = z.object({ times: z.number().int(), firstAt: Time, lastAt: Time });
export type Occurrences = Frozen<z.output<typeof Occurrences>>;

const RefusalJson = Occurrences.extend({
  reason: z.enum(Object.keys(REFUSAL_REASONS) as RefusalReason[]),
  /** The prefix of a key, or the length of another text; null when none was sent. Never a whole key. */
  key: z.string().nullable(),
  /** Null where no key of the store has this value. */
  keyId: z.string().nullable(),
  /** What the device calls itself; null for own software. */
  serial: z.string().nullable(),
  /** The address of the client. */
  address: z.string(),
  /** The path of the endpoint, without its query. */
  endpoint: z.string(),
  /** The name of the site that refused it; absent where this server did. */
  site: z.string().exactOptional(),
}).meta({ id: 'Refusal' });

/** Refused requests that are alike in everything but their time. */
export type RefusalCount = Frozen<z.output<typeof RefusalJson>>;

export const RefusalListJson = z.object({
  /** The latest first. */
  items: z.array(RefusalJson),
  /** More than are listed one by one; null when all are. */
  others: Occurrences.nullable(),
  /** Whether unknown and mistyped keys are among them: for an owner, while the store has one organisation. */
  unknownKeys: z.boolean(),
});

/** A device, with the data of its last heartbeat; their texts are empty where there was none. */
export interface DeviceRecord {
  readonly keyId: string;
  readonly model: string;
  readonly serial: string;
  readonly address: string;
  readonly firmware: string;
  /** Its clock then, in the device's own format; null when missing. */
  readonly clock: string | null;
  /** The time of the last heartbeat; null for a device that only scans. */
  readonly lastContactAt: number | null;
  /** The minute of the last scan; null when it never scanned. */
  readonly lastScanAt: number | null;
  /** The time of its first heartbeat, or the minute of its first scan, since it is kept here; null while it is not kept. */
  readonly firstAt: number | null;
}

export const LogEntryJson = z
  .object({
    /** Orders the log; times do not, because clocks step. */
    sequence: z.number().int(),
    /** The time in the answer for a use, otherwise the time of the request. */
    at: Time,
    /** The id of the key (`key_…`), or of the account (`acc_…`) that scanned in the page. */
    keyId: z.string(),
    serial: z.string().nullable(),
    reader: z.string().nullable(),
    operation: z.enum(['validate', 'consume', 'undo']),
    outcome: z.enum(LOG_STATUSES),
    reason: z.string().nullable(),
    /** When the code was genuine; it need not exist. */
    ticketId: z.string().nullable(),
    /** The beginning of a forged code. */
    excerpt: z.string().nullable(),
    /** The uses of the ticket that were consumed after the scan, when it exists. */
    usesConsumed: z.number().int().nullable(),
    /** True when a stored answer was returned again: no use was registered this time. */
    replayed: z.boolean(),
    /** The entry that took the use, who took it back, and why: in an `undone` entry. */
    undo: z
      .object({ sequence: z.number().int(), by: z.string(), reason: z.string() })
      .exactOptional(),
    /** The entry that took this use back. Never in a file: it follows from `undo` of that entry. */
    undoneBy: z.number().int().exactOptional(),
    /** Which way the reader points; absent for a key without directions. */
    direction: z.enum(DIRECTIONS).exactOptional(),
    /** What was done at such a reader; absent when nothing was, also for a repeated answer. */
    done: z.enum(ACTIONS).exactOptional(),
    /** The account chose the ticket on the page, and read no code; absent for every other scan. */
    byHand: z.literal(true).exactOptional(),
    /** The site that answered the scan, and the number of the entry in its own log; absent for a scan that was answered here. */
    site: z
      .object({
        /** The id of the site and, after a dot, which of the stores it was that had its token. */
        id: z.string(),
        number: z.number().int(),
        /** True where it came after the event had been freed: it is kept, and takes no use. */
        late: z.boolean(),
      })
      .exactOptional(),
  })
  .meta({ id: 'LogEntry' });
export type LogEntryJson = z.input<typeof LogEntryJson>;

type LogEntryView = Frozen<z.output<typeof LogEntryJson>>;

/** A scan, or a use that was taken back. */
export interface LogEntry extends Omit<LogEntryView, 'outcome'> {
  readonly status: LogEntryView['outcome'];
}

/** Why a use was taken back; `sequence` is the log entry that took it. */
export type UndoNote = NonNullable<LogEntry['undo']>;

/** The entry as the API shows it: `outcome` is the status under its public name. */
export function logEntryView({ status, ...entry }: LogEntry): LogEntryView {
  return { ...entry, outcome: status };
}

export function logEntryToJson(entry: LogEntry): LogEntryJson {
  return z.encode(LogEntryJson, logEntryView(entry));
}

export function logEntryFromView({ outcome, ...entry }: LogEntryView): LogEntry {
  return { ...entry, status: outcome };
}

/** The members of a validity window, for another form of its bounds. */
export function windowOf<Bound extends z.ZodType>(bound: Bound) {
  return { validFrom: bound, validUntil: bound };
}

/** The texts that a ticket may have, as the document of a store holds them. */
export const TicketTexts = {
  batch: z
    .string()
    .min(1)
    .optional()
    .describe('The run of mint, import or create that it came with.'),
  ...STORED_FIELD_SHAPE,
};

export const HolderJson = z.object({ firstName: z.string(), lastName: z.string() });

/** A ticket with its state, without its code: a code opens doors, and is given only where it is asked for. */
export const TicketJson = z
  .object({
    ticketId: z.string(),
    event: z.string(),
    ticketType: z.enum(['single', 'multi']),
    /** What people bought; a permanent card is a `multi` with 9999 uses. */
    kind: z.enum(TICKET_KINDS),
    state: z.enum(TICKET_STATES).meta({ description: 'What a scan would answer now.' }),
    usesAllowed: z.number().int(),
    usesConsumed: z.number().int(),
    usesRemaining: z.number().int(),
    holder: HolderJson.nullable(),
    ...windowOf(TimeOrNull),
    cancelledAt: TimeOrNull,
    lastConsumedAt: TimeOrNull,
    createdAt: Time,
    /** The run of mint, import or create that it came with. */
    batch: z.string().nullable().default(null),
    ...FIELD_SHAPE,
  })
  .meta({ id: 'Ticket' });
/** A ticket in the program, with times in milliseconds since 1970 UTC. */
export type TicketView = z.output<typeof TicketJson>;
export type TicketJson = z.input<typeof TicketJson>;

/** The ticket as people and programs see it. @param now of its state, milliseconds since 1970 UTC */
export function ticketView(ticket: Ticket, now: number): TicketView {
  const { id, eventId, usesAllowed, usesConsumed, batch = null, ...others } = ticket;
  return {
    ...others,
    ticketId: id,
    event: eventId,
    kind: kindOf(ticket),
    state: stateOf(ticket, now),
    usesAllowed,
    usesConsumed,
    usesRemaining: usesAllowed - usesConsumed,
    batch,
    ...shownFields(ticket),
  };
}

/** Writes the members in the order of the schema. @param now of the ticket's state, milliseconds since 1970 UTC */
export function ticketToJson(ticket: Ticket, now: number): TicketJson {
  return z.encode(TicketJson, ticketView(ticket, now));
}

export function ticketFromView(view: TicketView): Ticket {
  const { ticketId, event, kind: _, state: __, usesRemaining: ___, batch, ...ticket } = view;
  return withoutEmptyFields({
    id: ticketId,
    eventId: event,
    ...ticket,
    ...(batch !== null && { batch }),
    ...keptFieldsFrom(ticket),
  });
}
