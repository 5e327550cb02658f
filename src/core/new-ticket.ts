import type { RandomBytes } from '../kit/random.ts';
import {
  checkWindow,
  type GivenWindow,
  holderFrom,
  type NewTicket,
  type TicketKind,
  type TicketTerms,
  usesAllowedFor,
  windowFrom,
} from './ticket.ts';
import { makeTicketId } from './ticket-id.ts';

/** The options of a new ticket. Times are milliseconds since 1970 UTC. */
export interface TicketOptions extends GivenWindow {
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
  const window = windowFrom(options, (time) => time);
  checkWindow(window);
  return {
    ticketType: options.kind === 'single' ? 'single' : 'multi',
    usesAllowed: usesAllowedFor(options.kind, options.uses),
    holder: holderFrom(options.firstName, options.lastName),
    ...window,
  };
}

/** Creates a ticket with a new identifier; it exists once a store has saved it. @throws as `newTerms` */
export function newTicket(
  options: TicketOptions,
  createdAt: number,
  random: RandomBytes,
): NewTicket {
  const { eventId } = options;
  return { id: makeTicketId(eventId, random), eventId, ...newTerms(options), createdAt };
}
