import type { Ticket } from './ticket.ts';
import { HOLDER_LABELS, memberOf, TICKET_MEMBER_NAMES } from './ticket-members.ts';

/** Whether a member of a ticket tells of its guest. */
export function isPersonal(name: keyof Ticket): boolean {
  return memberOf(name).isPersonal === true;
}

export const PERSONAL_MEMBERS = TICKET_MEMBER_NAMES.filter(isPersonal);

/** The members of JSON that tell of a guest, wherever they are. */
export const PERSONAL_NAMES: ReadonlySet<string> = new Set([
  ...PERSONAL_MEMBERS,
  ...Object.keys(HOLDER_LABELS),
]);

/** Whether anything in it tells of its guest. */
export function hasPersonalTexts(ticket: Ticket): boolean {
  return PERSONAL_MEMBERS.some((member) => (ticket[member] ?? null) !== null);
}

/** A ticket that tells nothing of its guest; the same object when it told nothing. */
export function withoutPersonalTexts(ticket: Ticket): Ticket {
  if (!hasPersonalTexts(ticket)) return ticket;
  const kept = Object.entries(ticket).filter(([member]) => !PERSONAL_NAMES.has(member));
  return { ...(Object.fromEntries(kept) as Omit<Ticket, 'holder'>), holder: null };
}
