import type { Ticket } from '../../src/core/ticket.ts';

export const NOW = Date.UTC(2026, 6, 1, 12);

export function aTicket(changes: Partial<Ticket> = {}): Ticket {
  return {
    id: 'tkt_abcdef_0123456789abcdefghij',
    eventId: 'abcdef',
    ticketType: 'single',
    usesAllowed: 1,
    holder: null,
    validFrom: null,
    validUntil: null,
    createdAt: NOW - 1000,
    usesConsumed: 0,
    lastConsumedAt: null,
    cancelledAt: null,
    ...changes,
  };
}
