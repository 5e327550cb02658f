import type { NewTicket } from '../ticket.ts';
import { timesToJson } from './time.ts';

/** A ticket as it is handed out, with the text of its QR code, which is enough to enter. */
export interface HandedOutTicket extends NewTicket {
  readonly code: string;
  /** Printed on sheets; not in the JSON. */
  readonly eventName?: string;
}

/** As `tickets.json` and the library have it; times are ISO 8601 in UTC. */
export type HandedOutJson = ReturnType<typeof handedOutToJson>;

export function handedOutToJson(ticket: HandedOutTicket) {
  const {
    id,
    eventId,
    code,
    eventName: _,
    createdAt: __,
    batch: ___,
    ...others
  } = timesToJson(ticket);
  return { ticketId: id, code, event: eventId, ...others };
}
