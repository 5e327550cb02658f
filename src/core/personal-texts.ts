import type { Holder, Ticket } from './ticket.ts';
import { ofEachField } from './ticket-fields.ts';

/**
 * Whether each member of a ticket tells of its guest: a name, or what somebody typed about a person. What does is forgotten by
 * `privacy erase`, by `--keep-holders-days` and with the event, wherever a store has it: in the ticket, in stored answers and in the
 * audit log. `test/contract/personal-texts.test.ts` looks for it.
 */
export const IS_PERSONAL = {
  id: false,
  eventId: false,
  ticketType: false,
  usesAllowed: false,
  holder: true,
  validFrom: false,
  validUntil: false,
  createdAt: false,
  batch: false,
  usesConsumed: false,
  lastConsumedAt: false,
  cancelledAt: false,
  ...ofEachField(({ isPersonal }) => isPersonal),
} as const satisfies Record<keyof Ticket, boolean>;

const HOLDER_MEMBERS = ['firstName', 'lastName'] as const satisfies (keyof Holder)[];

export const PERSONAL_MEMBERS = (Object.keys(IS_PERSONAL) as (keyof Ticket)[]).filter(
  (member) => IS_PERSONAL[member],
);

/** The members of JSON that tell of a guest, wherever they are. */
export const PERSONAL_NAMES: ReadonlySet<string> = new Set([
  ...PERSONAL_MEMBERS,
  ...HOLDER_MEMBERS,
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
