import { ticketView } from '../../../core/codecs/ticket.ts';
import type { Keyring } from '../../../core/keyring.ts';
import { type NewTicket, type Ticket, UNUSED } from '../../../core/ticket.ts';
import { makeTicketCode } from '../../../core/ticket-code.ts';
import type { AdminContext } from '../admin-app.ts';
import type { TicketWithCode } from '../wire/tickets.ts';

/** The code is computed from the keyring: it is not stored. @throws TicketscanError `keyring` */
export function withCode(
  ticket: Ticket,
  { keyring, clock }: Pick<AdminContext, 'keyring' | 'clock'>,
): TicketWithCode {
  return shown(ticket, keyring(), clock.now());
}

/** The same of tickets that were just made. @throws TicketscanError `keyring` */
export function withCodes(
  made: readonly NewTicket[],
  { keyring, clock }: Pick<AdminContext, 'keyring' | 'clock'>,
): TicketWithCode[] {
  const [keys, now] = [keyring(), clock.now()];
  return made.map((ticket) => shown({ ...ticket, ...UNUSED }, keys, now));
}

function shown(ticket: Ticket, keyring: Keyring, now: number): TicketWithCode {
  return { ...ticketView(ticket, now), code: makeTicketCode(ticket.id, keyring, 'TS1') };
}
