import type { RandomBytes } from '../kit/random.ts';
import {
  checkWindow,
  holderFrom,
  type NewTicket,
  type TicketKind,
  usesAllowedFor,
} from './ticket.ts';
import { makeTicketId } from './ticket-id.ts';

/** What somebody asks for who wants a ticket. Times are milliseconds since 1970 UTC. */
export interface TicketWish {
  readonly eventId: string;
  readonly kind: TicketKind;
  /** Needed for a multi-use card, 2 to 100. */
  readonly uses?: number | undefined;
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  readonly validFrom?: number | null | undefined;
  readonly validUntil?: number | null | undefined;
}

/**
 * Makes a ticket with a new identifier; it exists once a store has taken it.
 * @throws TicketscanError `usage` when uses, names or window do not fit
 */
export function newTicket(wish: TicketWish, createdAt: number, random: RandomBytes): NewTicket {
  const validFrom = wish.validFrom ?? null;
  const validUntil = wish.validUntil ?? null;
  checkWindow(validFrom, validUntil);
  return {
    id: makeTicketId(wish.eventId, random),
    eventId: wish.eventId,
    ticketType: wish.kind === 'single' ? 'single' : 'multi',
    usesAllowed: usesAllowedFor(wish.kind, wish.uses),
    holder: holderFrom(wish.firstName, wish.lastName),
    validFrom,
    validUntil,
    createdAt,
  };
}
