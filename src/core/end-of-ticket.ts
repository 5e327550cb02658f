import type { Ticket } from './ticket.ts';

type EndOfTicket = Pick<
  Ticket,
  'cancelledAt' | 'validUntil' | 'usesConsumed' | 'usesAllowed' | 'lastConsumedAt'
>;

/** The time from which a ticket admits nobody: it was cancelled or used up, or its validity ends; null when nothing ends it. */
export function endOfTicket(ticket: EndOfTicket): number | null {
  const { cancelledAt, validUntil, usesConsumed, usesAllowed, lastConsumedAt } = ticket;
  const usedUpAt = usesConsumed >= usesAllowed ? lastConsumedAt : null;
  const ends = [cancelledAt, validUntil, usedUpAt].filter((end) => end !== null);
  return ends.length > 0 ? Math.min(...ends) : null;
}
