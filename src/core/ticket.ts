import { isGivenTime, isoTime } from './clock.ts';
import { refuse } from './errors.ts';
import {
  NAME_CHARACTERS_MAX,
  USES_MULTI_MAX,
  USES_MULTI_MIN,
  USES_PERMANENT,
  USES_SINGLE,
} from './limits.ts';
import { isPeopleText } from './people-texts.ts';
import { shownFields } from './ticket-field-values.ts';
import type { ShownTicketFields, TicketFieldValues } from './ticket-fields.ts';

/** The type on the wire (section 2.2); a permanent card is a `multi` with 9999 uses. */
export type TicketType = 'single' | 'multi';

/** What people buy; on the wire a permanent card is a `multi` with 9999 uses (section 2.2). */
export const TICKET_KINDS = ['single', 'multi', 'permanent'] as const;
/** What people buy: a single ticket, a card for several uses, or a permanent one. */
export type TicketKind = (typeof TICKET_KINDS)[number];

/** Whose ticket it is; at most one of the names is empty. */
export interface Holder {
  readonly firstName: string;
  readonly lastName: string;
}

/** The first and the last moment of a ticket; null is no bound. In the program, milliseconds since 1970 UTC. */
export interface ValidityWindow<Time = number> {
  readonly validFrom: Time | null;
  readonly validUntil: Time | null;
}

/** What a ticket is, without who it is. */
export interface TicketTerms extends ValidityWindow, TicketFieldValues {
  readonly ticketType: TicketType;
  readonly usesAllowed: number;
  readonly holder: Holder | null;
}

/** What is fixed when a ticket is created. */
export interface NewTicket extends TicketTerms {
  readonly id: string;
  readonly eventId: string;
  readonly createdAt: number;
  /** The run of mint, import or create that it came with; absent for tickets of before there were batches. */
  readonly batch?: string;
}

/** A ticket as it is made: all that are made together are found, cancelled and deleted by their batch. */
export type BatchedTicket = NewTicket & { readonly batch: string };

export interface Ticket extends NewTicket {
  readonly usesConsumed: number;
  /** When the last use was registered; null before the first. */
  readonly lastConsumedAt: number | null;
  /** When the ticket was cancelled; null while it is not. */
  readonly cancelledAt: number | null;
}

/** The changeable state of a ticket; an import includes it. */
export type TicketHistory = Pick<Ticket, 'usesConsumed' | 'lastConsumedAt' | 'cancelledAt'>;

/** The history of a ticket that was just made. */
export const UNUSED: TicketHistory = { usesConsumed: 0, lastConsumedAt: null, cancelledAt: null };

export function kindOf(ticket: Pick<Ticket, 'ticketType' | 'usesAllowed'>): TicketKind {
  if (ticket.ticketType === 'single') return 'single';
  return ticket.usesAllowed === USES_PERMANENT ? 'permanent' : 'multi';
}

/** The type on the wire of what people buy. */
export function typeOfKind(kind: TicketKind): TicketType {
  return kind === 'single' ? 'single' : 'multi';
}

/**
 * The uses that a ticket of `kind` allows (section 8).
 * @param uses required for a multi-use card, not allowed to differ for other kinds
 * @throws TicketscanError `usage` when the number is invalid for the kind
 */
export function usesAllowedFor(kind: TicketKind, uses: number | undefined): number {
  const fixed = { single: USES_SINGLE, multi: undefined, permanent: USES_PERMANENT }[kind];
  if (fixed !== undefined) {
    if (uses === undefined || uses === fixed) return fixed;
    throw refuse('uses_fixed', { kind, allowed: fixed });
  }
  if (
    uses === undefined ||
    !Number.isInteger(uses) ||
    uses < USES_MULTI_MIN ||
    uses > USES_MULTI_MAX
  ) {
    const bounds = { min: USES_MULTI_MIN, max: USES_MULTI_MAX };
    throw refuse(uses === undefined ? 'uses_missing' : 'uses_range', bounds);
  }
  return uses;
}

/**
 * A holder from two optional names; null when both are absent, because then the ticket is not personalised.
 * @throws TicketscanError `usage` for a name that is too long or contains control or direction characters
 */
export function holderFrom(
  firstName: string | undefined,
  lastName: string | undefined,
): Holder | null {
  const holder = { firstName: checkedPart(firstName), lastName: checkedPart(lastName) };
  return holder.firstName === '' && holder.lastName === '' ? null : holder;
}

/** A person may have any name, also one that nobody sees. */
function checkedPart(name = ''): string {
  if (isPeopleText(name, NAME_CHARACTERS_MAX)) return name;
  throw refuse('holder_name', { max: NAME_CHARACTERS_MAX });
}

/** Whether nobody can enter with it any more; the last millisecond still counts. @param now milliseconds since 1970 UTC */
export function hasEnded({ validUntil }: Pick<ValidityWindow, 'validUntil'>, now: number): boolean {
  return validUntil !== null && now > validUntil;
}

/** @throws TicketscanError `usage` when the window ends before it begins, or a limit is not a valid input time */
export function checkWindow({ validFrom, validUntil }: ValidityWindow): void {
  for (const [name, bound] of Object.entries({
    'valid-from': validFrom,
    'valid-until': validUntil,
  })) {
    if (bound !== null && !isGivenTime(bound)) {
      throw refuse('time_range', {}, { of: name });
    }
  }
  if (validFrom !== null && validUntil !== null && validUntil < validFrom) {
    throw refuse('window_reversed');
  }
}

/**
 * A window from bounds in another form; a bound that is not given is none.
 * @param timeOf milliseconds since 1970 UTC of a bound
 */
export function windowFrom<Given>(
  { validFrom, validUntil }: GivenWindow<Given>,
  timeOf: (bound: Given, name: keyof ValidityWindow) => number,
): ValidityWindow {
  return {
    validFrom: validFrom == null ? null : timeOf(validFrom, 'validFrom'),
    validUntil: validUntil == null ? null : timeOf(validUntil, 'validUntil'),
  };
}

/** Only the bounds that are given; null removes one. */
export function boundsFrom<Given>(
  { validFrom, validUntil }: GivenWindow<Given>,
  timeOf: (bound: Given, name: keyof ValidityWindow) => number | null,
): Partial<ValidityWindow> {
  const bound = (given: Given | null, name: keyof ValidityWindow) =>
    given === null ? null : timeOf(given, name);
  return {
    ...(validFrom !== undefined && { validFrom: bound(validFrom, 'validFrom') }),
    ...(validUntil !== undefined && { validUntil: bound(validUntil, 'validUntil') }),
  };
}

/** The window that somebody asks for. */
export type GivenWindow<Time = number> = {
  readonly [Bound in keyof ValidityWindow]?: Time | null | undefined;
};

/** A ticket as it is handed out, with the text of its QR code, which is enough to enter. */
export interface HandedOutTicket extends NewTicket {
  readonly code: string;
  /** Printed on sheets; not in the JSON. */
  readonly eventName?: string;
}

/** A ticket as target files describe it; times are ISO 8601 in UTC. */
export interface DescribedJson extends ValidityWindow<string> {
  readonly ticketId: string;
  readonly code: string;
  readonly event: string;
  readonly ticketType: TicketType;
  readonly usesAllowed: number;
  readonly holder: Holder | null;
}

/** A ticket as `tickets.json` and the library have it. */
export type HandedOutJson = DescribedJson & ShownTicketFields;

export function handedOutToJson(ticket: HandedOutTicket): HandedOutJson {
  return { ...describedToJson(ticket), ...shownFields(ticket) };
}

export function describedToJson(ticket: HandedOutTicket): DescribedJson {
  const { id, eventId, code, ticketType, usesAllowed, holder, validFrom, validUntil } = ticket;
  return {
    ticketId: id,
    code,
    event: eventId,
    ticketType,
    usesAllowed,
    holder,
    validFrom: isoTime(validFrom),
    validUntil: isoTime(validUntil),
  };
}

/** Tickets that a store left out of those that were brought. */
export interface SkippedTickets {
  /** Their id exists. */
  readonly existing: number;
  /** Their reference is known. */
  readonly known: number;
}
