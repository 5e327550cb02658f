import { stateOf } from '../../../core/decision.ts';
import { isNearItsEnd } from '../../../core/limits.ts';
import { kindOf, type Ticket } from '../../../core/ticket.ts';
import { inZone, shownTime } from '../../../core/time-zone.ts';
import { counted } from '../../../kit/counted.ts';
import { sanitizeForTerminal } from '../../../kit/safe-text.ts';
import type { Names } from '../../../operations/names.ts';

const HEADS = ['ID', 'EVENT', 'TYPE', 'USES', 'STATE', 'HOLDER'];

export function ticketHeads(zone: string): string[] {
  return [...HEADS, inZone('VALID FROM', zone), 'VALID UNTIL'];
}

/** How tickets are shown: with the names of events, in their state at a time, in a time zone. */
export interface TicketView {
  readonly events: Names;
  readonly now: number;
  readonly zone: string;
}

/** A line for people, with the event by its name. */
export function ticketCells(ticket: Ticket, { events, now, zone }: TicketView): string[] {
  return [
    ticket.id,
    sanitizeForTerminal(events.get(ticket.eventId) ?? ''),
    kindOf(ticket),
    `${ticket.usesConsumed}/${ticket.usesAllowed}`,
    stateOf(ticket, now),
    holderText(ticket),
    shownTime(ticket.validFrom, zone) ?? '',
    shownTime(ticket.validUntil, zone) ?? '',
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
