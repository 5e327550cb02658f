import { isPersonal, PERSONAL_MEMBERS } from './personal-texts.ts';
import type { Ticket } from './ticket.ts';
import { memberOf, TICKET_MEMBER_NAMES } from './ticket-members.ts';
import type { Words } from './words.ts';

/** What a ticket has in one member. */
export interface StoredMember {
  readonly name: keyof Ticket;
  readonly label: Words;
  /** Whether it tells of the guest: then erasing and retention forget it. */
  readonly isPersonal: boolean;
  /** Whether the value is a time, in milliseconds since 1970 UTC. */
  readonly isTime: boolean;
  readonly value: NonNullable<unknown>;
}

/** Everything that a ticket says, what tells of its guest first. */
export function storedMembers(ticket: Ticket): StoredMember[] {
  const others = TICKET_MEMBER_NAMES.filter((name) => !isPersonal(name));
  return [...PERSONAL_MEMBERS, ...others].flatMap((name) => {
    const value = ticket[name] ?? null;
    if (value === null) return [];
    const { label, isTime = false } = memberOf(name);
    return [{ name, label, isPersonal: isPersonal(name), isTime, value }];
  });
}

/** What of an entry of the audit log says which ticket it is about. */
interface ChangeOfTickets {
  readonly subject: string | null;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Whether a change was about a ticket, by itself or among others. */
export function isAbout({ subject, details }: ChangeOfTickets, ticketId: string): boolean {
  const listed = details['tickets'];
  return subject === ticketId || (Array.isArray(listed) && listed.includes(ticketId));
}

/** The details of a change without the other tickets that it was about. */
export function detailsOfGuest(
  details: ChangeOfTickets['details'],
): Readonly<Record<string, unknown>> {
  const { tickets: _, ...own } = details;
  return own;
}
