import type { RandomBytes } from '../kit/random.ts';
import type { AdministrativeKind, AdministrativeRecord } from './administrative-records.ts';
import { isoTime } from './clock.ts';
import { refuse } from './errors.ts';
import type { GivenWindow, NewTicket, Ticket, TicketKind, TicketTerms } from './ticket.ts';
import {
  checkWindow,
  holderFrom,
  kindOf,
  typeOfKind,
  usesAllowedFor,
  windowFrom,
} from './ticket.ts';
import { fieldEditsFrom, withoutEmptyFields } from './ticket-field-values.ts';
import type { GivenTicketFields, TicketFieldEdits, TicketFieldName } from './ticket-fields.ts';
import { makeTicketId } from './ticket-id.ts';
import { memberOf } from './ticket-members.ts';

/** The options of a new ticket. Times are milliseconds since 1970 UTC. */
export interface TicketOptions extends GivenWindow, GivenTicketFields {
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
  const { kind, uses, firstName, lastName, validFrom, validUntil, ...fields } = options;
  const window = windowFrom({ validFrom, validUntil }, (time) => time);
  checkWindow(window);
  return withoutEmptyFields({
    ticketType: typeOfKind(kind),
    usesAllowed: usesAllowedFor(kind, uses),
    holder: holderFrom(firstName, lastName),
    ...window,
    ...fieldEditsFrom(fields),
  });
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
export type TicketEdits = Partial<Omit<TicketTerms, 'ticketType' | TicketFieldName>> &
  TicketFieldEdits;

/**
 * The ticket with what was edited, within the limits of section 2.2. Its kind stays.
 * @throws TicketscanError `usage` for uses that its kind cannot have and for an impossible window, `conflict` for fewer uses
 *   than were consumed
 */
export function editedTicket(ticket: Ticket, edits: TicketEdits): Ticket {
  const edited: Ticket = withoutEmptyFields({ ...ticket, ...edits });
  if ('validFrom' in edits || 'validUntil' in edits) checkWindow(edited);
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
  const names = new Set([...Object.keys(before), ...Object.keys(after)] as (keyof Ticket)[]);
  const changed = [...names].filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  if (changed.length === 0) return null;
  const partOf = (ticket: Ticket) =>
    Object.fromEntries(
      changed.map((name) => {
        const value = ticket[name] ?? null;
        return [name, memberOf(name).isTime ? isoTime(value as number | null) : value];
      }),
    );
  return { before: partOf(before), after: partOf(after) };
}

/** What links a ticket that was lost and the one that was issued for it: an administrative record of each, found by the id of its ticket. */
export const LINK_KINDS = [
  'replaced-ticket',
  'replacement',
] as const satisfies AdministrativeKind[];

/**
 * What is issued for a lost ticket: all that it is, with the uses that it had.
 * @throws TicketscanError `conflict` for a cancelled one
 */
export function replacementOf(lost: Ticket, id: string, createdAt: number): Ticket {
  if (lost.cancelledAt === null) return { ...lost, id, createdAt };
  throw refuse('replace_cancelled', {}, { of: lost.id });
}

/** Both new. */
export function linksOf(lostId: string, replacementId: string): readonly AdministrativeRecord[] {
  return [
    { kind: 'replaced-ticket', id: lostId, revision: 0, value: { replacedBy: replacementId } },
    { kind: 'replacement', id: replacementId, revision: 0, value: { replaces: lostId } },
  ];
}
