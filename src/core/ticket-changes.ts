import type { RandomBytes } from '../kit/random.ts';
import type { AdministrativeDocument, DocumentKind } from './administrative-records.ts';
import { isoTime } from './clock.ts';
import { refuse } from './errors.ts';
import type { GivenWindow, NewTicket, Ticket, TicketKind, TicketTerms } from './ticket.ts';
import { checkWindow, holderFrom, kindOf, usesAllowedFor, windowFrom } from './ticket.ts';
import { makeTicketId } from './ticket-id.ts';

/** What is asked for as the ticket then has it. */
type PlainTerms = Omit<TicketTerms, 'ticketType' | 'usesAllowed' | 'holder' | keyof GivenWindow>;

/** The options of a new ticket. Times are milliseconds since 1970 UTC. */
export interface TicketOptions extends GivenWindow, PlainTerms {
  readonly eventId: string;
  readonly kind: TicketKind;
  /** Needed for a multi-use card, 2 to 100. */
  readonly uses?: number | undefined;
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
}

/**
 * What a new ticket allows, and whose it is.
 * @throws TicketscanError `usage` when uses, names or window are invalid
 */
export function newTerms(options: Omit<TicketOptions, 'eventId'>): TicketTerms {
  const { kind, uses, firstName, lastName, validFrom, validUntil, ...plain } = options;
  const window = windowFrom({ validFrom, validUntil }, (time) => time);
  checkWindow(window);
  return {
    ticketType: kind === 'single' ? 'single' : 'multi',
    usesAllowed: usesAllowedFor(kind, uses),
    holder: holderFrom(firstName, lastName),
    ...window,
    ...plain,
  };
}

/** Creates a ticket with a new identifier; it exists once a store has saved it. @throws as `newTerms` */
export function newTicket(
  { eventId, ...options }: TicketOptions,
  createdAt: number,
  random: RandomBytes,
): NewTicket {
  return { id: makeTicketId(eventId, random), eventId, ...newTerms(options), createdAt };
}

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
    throw refuse('uses_below_consumed', { consumed: ticket.usesConsumed }, { of: ticket.id });
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

/** What links a ticket that was lost and the one that was issued for it: a document of each, found by the id of its ticket. */
export const LINK_KINDS = ['replaced-ticket', 'replacement'] as const satisfies DocumentKind[];

/**
 * What is issued for a lost ticket: all that it is, with the uses that it had.
 * @throws TicketscanError `conflict` for a cancelled one
 */
export function replacementOf(lost: Ticket, id: string, createdAt: number): Ticket {
  if (lost.cancelledAt === null) return { ...lost, id, createdAt };
  throw refuse('replace_cancelled', {}, { of: lost.id });
}

/** Both new. */
export function linksOf(lostId: string, replacementId: string): readonly AdministrativeDocument[] {
  return [
    { kind: 'replaced-ticket', id: lostId, revision: 0, value: { replacedBy: replacementId } },
    { kind: 'replacement', id: replacementId, revision: 0, value: { replaces: lostId } },
  ];
}
