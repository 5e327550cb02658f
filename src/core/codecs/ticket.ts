import * as z from 'zod';
import { stateOf, TICKET_STATES } from '../decision.ts';
import { kindOf, TICKET_KINDS, type Ticket } from '../ticket.ts';
import { Time, TimeOrNull } from './time.ts';

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
/** In the program, with times in milliseconds since 1970 UTC. */
export type TicketView = z.output<typeof TicketJson>;
export type TicketJson = z.input<typeof TicketJson>;

/** As people and programs see a ticket. @param now of its state, milliseconds since 1970 UTC */
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
  };
}

/** With its members in the order of the schema. @param now of its state, milliseconds since 1970 UTC */
export function ticketToJson(ticket: Ticket, now: number): TicketJson {
  return z.encode(TicketJson, ticketView(ticket, now));
}

export function ticketFromView(view: TicketView): Ticket {
  const { ticketId, event, kind: _, state: __, usesRemaining: ___, batch, ...ticket } = view;
  return { id: ticketId, eventId: event, ...ticket, ...(batch !== null && { batch }) };
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
