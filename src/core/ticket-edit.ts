import { counted } from '../kit/counted.ts';
import { isoTime } from './clock.ts';
import { TicketscanError } from './errors.ts';
import { checkWindow, kindOf, type Ticket, type TicketTerms, usesAllowedFor } from './ticket.ts';

/** What may change after the sale; what is not given stays. */
export type TicketEdits = Partial<Omit<TicketTerms, 'ticketType'>>;

/**
 * The ticket with what was edited, within the limits of section 2.2. Its kind stays.
 * @throws TicketscanError `usage` for uses that its kind cannot have and for an impossible window, `conflict` for fewer uses
 *   than were consumed
 */
export function editedTicket(ticket: Ticket, edits: TicketEdits): Ticket {
  const edited = { ...ticket, ...edits };
  const { holder: _, usesAllowed: __, ...window } = edits;
  if (Object.keys(window).length > 0) checkWindow(edited);
  usesAllowedFor(kindOf(ticket), edited.usesAllowed);
  if (edited.usesAllowed < ticket.usesConsumed) {
    throw new TicketscanError(
      'conflict',
      `Ticket ${ticket.id} was used ${counted(ticket.usesConsumed, 'time')}: it cannot allow only ${edited.usesAllowed}.`,
      { reason: 'uses_below_consumed', values: { consumed: ticket.usesConsumed } },
    );
  }
  return edited;
}

/** What an edit changed, as JSON for the audit log; null when it changed nothing. */
export function differenceOf(
  before: Ticket,
  after: Ticket,
): { readonly before: object; readonly after: object } | null {
  const changed = (Object.keys(after) as (keyof Ticket)[]).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  if (changed.length === 0) return null;
  const partOf = (ticket: Ticket) =>
    Object.fromEntries(
      changed.map((name) => {
        const isBound = name === 'validFrom' || name === 'validUntil';
        return [name, isBound ? isoTime(ticket[name]) : ticket[name]];
      }),
    );
  return { before: partOf(before), after: partOf(after) };
}
