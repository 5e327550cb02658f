import * as z from 'zod';
import { stateOf, TICKET_STATES } from '../decision.ts';
import { kindOf, TICKET_KINDS, type Ticket } from '../ticket.ts';
import { Time, TimeOrNull, timesFromJson, timesToJson } from './time.ts';

/** The members of a validity window, for another form of its bounds. */
export function windowOf<Bound extends z.ZodType>(bound: Bound) {
  return { validFrom: bound, validUntil: bound };
}

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
  })
  .meta({ id: 'Ticket' });
export type TicketJson = z.output<typeof TicketJson>;

const MEMBERS = Object.keys(TicketJson.shape) as readonly (keyof TicketJson)[];

/**
 * With its members in the same order, whatever the ticket came from.
 * @param now of its state, milliseconds since 1970 UTC
 */
export function ticketToJson(ticket: Ticket, now: number): TicketJson {
  const { id, eventId, usesAllowed, usesConsumed } = ticket;
  const json: TicketJson = {
    ...timesToJson(ticket),
    ticketId: id,
    event: eventId,
    kind: kindOf(ticket),
    state: stateOf(ticket, now),
    usesRemaining: usesAllowed - usesConsumed,
    batch: ticket.batch ?? null,
  };
  return Object.fromEntries(MEMBERS.map((name) => [name, json[name]])) as TicketJson;
}

export function ticketFromJson(json: TicketJson): Ticket {
  const { ticketId, event, kind: _, state: __, usesRemaining: ___, batch, ...ticket } = json;
  return { id: ticketId, eventId: event, ...timesFromJson(ticket), ...(batch && { batch }) };
}

/** The headings of a German list; an import knows them too (`RECORD_COLUMNS`). */
export const GERMAN_TICKET_HEADINGS = {
  ...{ ticketId: 'Ticketkennung', event: 'Veranstaltungskennung', eventName: 'Veranstaltung' },
  ...{ ticketType: 'Ticketart', usesAllowed: 'Nutzungen', usesConsumed: 'Verbrauchte Nutzungen' },
  ...{ state: 'Zustand', firstName: 'Vorname', lastName: 'Nachname' },
  ...{ validFrom: 'Gültig ab', validUntil: 'Gültig bis', createdAt: 'Angelegt' },
  ...{ lastConsumedAt: 'Letzte Nutzung', cancelledAt: 'Storniert', batch: 'Serie' },
  timeZone: 'Zeitzone',
} as const;
