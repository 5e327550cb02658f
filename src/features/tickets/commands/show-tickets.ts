import { isNearItsEnd } from '../../../core/limits.ts';
import type { TicketView } from '../../../core/records.ts';
import { fieldsThat, TICKET_FIELDS } from '../../../core/ticket-fields.ts';
import { inZone, shownTime } from '../../../core/time-zone.ts';
import { counted, sanitizeForTerminal } from '../../../kit/text.ts';
import type { CliIo } from '../../../terminal/io.ts';
import { type Names, showTable } from '../../../terminal/results.ts';

const HEADS = ['ID', 'EVENT', 'TYPE', 'USES', 'STATE', 'HOLDER'];

/** Shows tickets to people, with their events by name and times in a zone, and warns of permanent cards near their end. */
export function showTickets(
  io: CliIo,
  tickets: readonly TicketView[],
  { events, zone }: { readonly events: Names; readonly zone: string },
): void {
  const listed = fieldsThat(({ isListed }) => isListed).filter((name) =>
    tickets.some((ticket) => ticket[name]),
  );
  const rows = tickets.map((ticket) => [
    ticket.ticketId,
    sanitizeForTerminal(events.get(ticket.event) ?? ''),
    ticket.kind,
    `${ticket.usesConsumed}/${ticket.usesAllowed}`,
    ticket.state,
    holderText(ticket),
    shownTime(ticket.validFrom, zone) ?? '',
    shownTime(ticket.validUntil, zone) ?? '',
    ...listed.map((name) => sanitizeForTerminal(String(ticket[name] || ''))),
  ]);
  const more = listed.map((name) => TICKET_FIELDS[name].label[0].toUpperCase());
  showTable(io, [...HEADS, inZone('VALID FROM', zone), 'VALID UNTIL', ...more], rows);
  for (const warning of endWarnings(tickets)) io.err(warning);
}

/** A warning for each permanent card that will soon be exhausted. */
function endWarnings(tickets: readonly TicketView[]): string[] {
  return tickets
    .filter((ticket) => isNearItsEnd(ticket))
    .map(({ ticketId, usesRemaining }) => {
      if (usesRemaining === 0) {
        return `The permanent card ${ticketId} is exhausted. Give its holder a new one.`;
      }
      const uses = counted(usesRemaining, 'use');
      return `The permanent card ${ticketId} has ${uses} left. Give its holder a new one in time.`;
    });
}

function holderText({ holder }: Pick<TicketView, 'holder'>): string {
  return sanitizeForTerminal(holder ? `${holder.firstName} ${holder.lastName}`.trim() : '');
}
