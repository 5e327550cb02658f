import { ticketToJson } from '../../../core/codecs/ticket.ts';
import type { Keyring } from '../../../core/keyring.ts';
import type { Ticket } from '../../../core/ticket.ts';
import { makeTicketCode } from '../../../core/ticket-code.ts';
import type { TicketWithCode } from '../wire/tickets.ts';

/** The code is computed from the keyring: it is not stored. @throws TicketscanError `keyring` */
export function withCode(ticket: Ticket, keyring: Keyring): TicketWithCode {
  return { ...ticketToJson(ticket), code: makeTicketCode(ticket.id, keyring, 'TS1') };
}
