import { isoTime } from '../../../core/clock.ts';
import type { Keyring } from '../../../core/keyring.ts';
import { kindOf, stateOf, type Ticket as TicketRecord } from '../../../core/ticket.ts';
import { makeTicketCode } from '../../../core/ticket-code.ts';
import type { Ticket, TicketWithCode } from '../wire/tickets.ts';
import { wireTime } from './wire-time.ts';

export function ticketView(ticket: TicketRecord): Ticket {
  const { id, eventId, ticketType, usesAllowed, usesConsumed, holder } = ticket;
  return {
    ticketId: id,
    event: eventId,
    ticketType,
    kind: kindOf(ticket),
    state: stateOf(ticket),
    usesAllowed,
    usesConsumed,
    usesRemaining: usesAllowed - usesConsumed,
    holder,
    validFrom: isoTime(ticket.validFrom),
    validUntil: isoTime(ticket.validUntil),
    cancelledAt: isoTime(ticket.cancelledAt),
    lastConsumedAt: isoTime(ticket.lastConsumedAt),
    createdAt: wireTime(ticket.createdAt),
  };
}

/** The code is made anew from the keyring: it is nowhere kept. @throws TicketscanError `keyring` */
export function ticketWithCodeView(ticket: TicketRecord, keyring: Keyring): TicketWithCode {
  return { ...ticketView(ticket), code: makeTicketCode(ticket.id, keyring, 'TS1') };
}
