import { isNearItsEnd } from '../../../core/limits.ts';
import { kindOf, stateOf, type Ticket } from '../../../core/ticket.ts';
import { counted } from '../../../kit/counted.ts';
import { sanitizeForTerminal } from '../../../kit/safe-text.ts';
import { shownTime } from '../../../terminal/local-time.ts';
import type { Names } from '../access/names.ts';

export const TICKET_HEADS = [
  'ID',
  'EVENT',
  'TYPE',
  'USES',
  'STATE',
  'HOLDER',
  'VALID FROM',
  'VALID UNTIL',
];

/** A line for people: the event by its name, times of this machine's clock. */
export function ticketCells(ticket: Ticket, events: Names): string[] {
  return [
    ticket.id,
    sanitizeForTerminal(events.get(ticket.eventId) ?? ''),
    kindOf(ticket),
    `${ticket.usesConsumed}/${ticket.usesAllowed}`,
    stateOf(ticket),
    holderText(ticket),
    shownTime(ticket.validFrom) ?? '',
    shownTime(ticket.validUntil) ?? '',
  ];
}

/** A warning for each permanent card that will soon be exhausted. */
export function endWarnings(tickets: readonly Ticket[]): string[] {
  return tickets
    .filter((ticket) => isNearItsEnd(ticket))
    .map(({ id, usesAllowed, usesConsumed }) => {
      const left = usesAllowed - usesConsumed;
      if (left === 0) return `The permanent card ${id} is exhausted. Give its holder a new one.`;
      const uses = counted(left, 'use');
      return `The permanent card ${id} has ${uses} left. Give its holder a new one in time.`;
    });
}

function holderText({ holder }: Pick<Ticket, 'holder'>): string {
  return sanitizeForTerminal(holder ? `${holder.firstName} ${holder.lastName}`.trim() : '');
}
