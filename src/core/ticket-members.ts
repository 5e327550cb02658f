import type { Holder, Ticket } from './ticket.ts';
import { ofEachField } from './ticket-fields.ts';
import type { Words } from './words.ts';

/**
 * One member of a ticket. The headings of lists in both directions, what the page calls it, what the audit log and the report for a guest
 * say, and what is forgotten with a guest follow from it. What a member means for a scan is in `ticket.ts` and `decision.ts`.
 */
interface TicketMember {
  readonly label: Words;
  /** Its name in JSON and in lists; that of the member where it is not given. */
  readonly json?: string;
  /** The heading of a German list; the German label where it is not given. */
  readonly heading?: string;
  /**
   * Whether it tells of the guest: a name, or what somebody typed about a person. What does is forgotten by `privacy erase`, by
   * `--keep-holders-days` and with the event, wherever a store has it. `test/contract/personal-texts.test.ts` looks for it.
   */
  readonly isPersonal?: true;
  /** Whether it is a time, in milliseconds since 1970 UTC. */
  readonly isTime?: true;
}

export const TICKET_MEMBERS = {
  id: { label: ['Ticket id', 'Ticket-ID'], json: 'ticketId', heading: 'Ticketkennung' },
  eventId: { label: ['Event', 'Veranstaltung'], json: 'event', heading: 'Veranstaltungskennung' },
  ticketType: { label: ['Type', 'Art'], heading: 'Ticketart' },
  usesAllowed: { label: ['Uses', 'Nutzungen'] },
  usesConsumed: { label: ['Uses consumed', 'Verbrauchte Nutzungen'] },
  holder: { label: ['Holder', 'Inhaber'], isPersonal: true },
  validFrom: { label: ['Valid from', 'Gültig ab'], isTime: true },
  validUntil: { label: ['Valid until', 'Gültig bis'], isTime: true },
  createdAt: { label: ['Created', 'Angelegt'], isTime: true },
  lastConsumedAt: { label: ['Last use', 'Letzte Nutzung'], isTime: true },
  cancelledAt: { label: ['Cancelled', 'Storniert'], isTime: true },
  batch: { label: ['Batch', 'Serie'] },
  ...ofEachField(
    ({ label, isPersonal }): TicketMember => (isPersonal ? { label, isPersonal } : { label }),
  ),
} as const satisfies Readonly<Record<keyof Ticket, TicketMember>>;

/** The names of a holder, which lists have as columns of their own. */
export const HOLDER_LABELS = {
  firstName: ['First name', 'Vorname'],
  lastName: ['Last name', 'Nachname'],
} as const satisfies Readonly<Record<keyof Holder, Words>>;

export const TICKET_MEMBER_NAMES = Object.keys(TICKET_MEMBERS) as (keyof Ticket)[];

/** What is said of a member. */
export function memberOf(name: keyof Ticket): TicketMember {
  return TICKET_MEMBERS[name];
}

/** The name of each member in JSON and in lists. */
type JsonName<Name extends keyof Ticket> = (typeof TICKET_MEMBERS)[Name] extends {
  readonly json: infer Json extends string;
}
  ? Json
  : Name;

type JsonNames = { readonly [Name in keyof Ticket as JsonName<Name>]-?: string };

const HEADINGS = TICKET_MEMBER_NAMES.map((name) => {
  const { json = name, label, heading = label[1] } = memberOf(name);
  return [json, heading] as const;
});

/** The holder is no column: each of the names is one. */
const { holder: _, ...JSON_HEADINGS } = Object.fromEntries(HEADINGS) as JsonNames;

/** The headings of a German list, by the name of the column; an import knows them too. */
export const GERMAN_TICKET_HEADINGS = {
  ...JSON_HEADINGS,
  eventName: 'Veranstaltung',
  state: 'Zustand',
  firstName: HOLDER_LABELS.firstName[1],
  lastName: HOLDER_LABELS.lastName[1],
  timeZone: 'Zeitzone',
};
