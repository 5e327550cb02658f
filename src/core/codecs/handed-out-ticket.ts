import { isoTime } from '../clock.ts';
import type { Holder, NewTicket, TicketType, ValidityWindow } from '../ticket.ts';

/** A ticket as it is handed out, with the text of its QR code, which is enough to enter. */
export interface HandedOutTicket extends NewTicket {
  readonly code: string;
  /** Printed on sheets; not in the JSON. */
  readonly eventName?: string;
}

/** As `tickets.json` and the library have it; times are ISO 8601 in UTC. */
export interface HandedOutJson extends ValidityWindow<string> {
  readonly ticketId: string;
  readonly code: string;
  readonly event: string;
  readonly ticketType: TicketType;
  readonly usesAllowed: number;
  readonly holder: Holder | null;
}

export function handedOutToJson(ticket: HandedOutTicket): HandedOutJson {
  const { id, eventId, code, ticketType, usesAllowed, holder, validFrom, validUntil } = ticket;
  return {
    ...{ ticketId: id, code, event: eventId, ticketType, usesAllowed, holder },
    ...{ validFrom: isoTime(validFrom), validUntil: isoTime(validUntil) },
  };
}
