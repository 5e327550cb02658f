import { IS_PERSONAL, PERSONAL_MEMBERS } from './personal-texts.ts';
import type { Ticket } from './ticket.ts';
import { ofEachField } from './ticket-fields.ts';
import type { Words } from './words.ts';

/** The members of a ticket as they are called for a guest who asks what is stored. */
const MEMBER_WORDS: Readonly<Record<keyof Ticket, Words>> = {
  id: ['Ticket', 'Ticket'],
  eventId: ['Event', 'Veranstaltung'],
  ticketType: ['Type', 'Art'],
  usesAllowed: ['Uses', 'Nutzungen'],
  holder: ['Holder', 'Inhaber'],
  validFrom: ['Valid from', 'Gültig ab'],
  validUntil: ['Valid until', 'Gültig bis'],
  createdAt: ['Created', 'Angelegt'],
  batch: ['Batch', 'Serie'],
  usesConsumed: ['Uses consumed', 'Verbrauchte Nutzungen'],
  lastConsumedAt: ['Last use', 'Letzte Nutzung'],
  cancelledAt: ['Cancelled', 'Storniert'],
  ...ofEachField(({ label }) => label),
};

const TIMES: ReadonlySet<keyof Ticket> = new Set([
  'validFrom',
  'validUntil',
  'createdAt',
  'lastConsumedAt',
  'cancelledAt',
]);

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
  const others = (Object.keys(IS_PERSONAL) as (keyof Ticket)[]).filter(
    (name) => !IS_PERSONAL[name],
  );
  return [...PERSONAL_MEMBERS, ...others].flatMap((name) => {
    const value = ticket[name] ?? null;
    if (value === null) return [];
    const isPersonal = IS_PERSONAL[name];
    return [{ name, label: MEMBER_WORDS[name], isPersonal, isTime: TIMES.has(name), value }];
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
