import { eventOfTicketId } from '../../../core/ticket-id.ts';
import type { StoreContent } from './document.ts';

export interface Issue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** What a schema cannot say: records that name each other, and names that are given once. */
export function mistakesIn(content: StoreContent): Issue[] {
  const { organisations, events, keys, tickets } = content;
  const organisationIds = new Set(organisations.map(({ id }) => id));
  const ownerOfEvent = new Map(events.map((event) => [event.id, event.organisationId]));
  const deletions = (content.documents ?? []).filter(({ kind }) => kind === 'deletion');
  const known = new Set([...ownerOfEvent.keys(), ...deletions.map(({ id }) => id)]);
  return [
    ...repeated('organisations', organisations, 'id'),
    ...repeated('organisations', organisations, 'name'),
    ...repeated('events', events, 'id'),
    ...repeated('keys', keys, 'id'),
    ...repeated('keys', keys, 'hash'),
    ...repeated('tickets', tickets, 'id'),
    ...strangers('events', events, organisationIds),
    ...strangers('keys', keys, organisationIds),
    ...keys.flatMap((key, index) => keyMistakes(key, index, ownerOfEvent)),
    ...tickets.flatMap((ticket, index) => ticketMistakes(ticket, index, known)),
  ];
}

function repeated<Name extends string>(
  list: string,
  records: readonly Readonly<Record<Name, string>>[],
  member: Name,
): Issue[] {
  const first = new Map<string, number>();
  return records.flatMap((record, index) => {
    const before = first.get(record[member]);
    if (before === undefined) {
      first.set(record[member], index);
      return [];
    }
    return [{ path: [list, index, member], message: `the same as in ${list}[${before}]` }];
  });
}

function strangers(
  list: string,
  records: readonly { readonly organisationId: string }[],
  organisationIds: ReadonlySet<string>,
): Issue[] {
  return records.flatMap(({ organisationId }, index) => {
    if (organisationIds.has(organisationId)) return [];
    const message = `unknown organisation ${organisationId}`;
    return [{ path: [list, index, 'organisationId'], message }];
  });
}

function keyMistakes(
  { events, organisationId }: StoreContent['keys'][number],
  index: number,
  ownerOfEvent: ReadonlyMap<string, string>,
): Issue[] {
  if (events === 'all') return [];
  return events.flatMap((eventId, position) => {
    if (ownerOfEvent.get(eventId) === organisationId) return [];
    const message = `the key's organisation has no event ${eventId}`;
    return [{ path: ['keys', index, 'events', position], message }];
  });
}

function ticketMistakes(
  { id, usesConsumed, usesAllowed }: StoreContent['tickets'][number],
  index: number,
  knownEvents: ReadonlySet<string>,
): Issue[] {
  const eventId = eventOfTicketId(id);
  const at = (member: string, message: string) => [{ path: ['tickets', index, member], message }];
  if (eventId === undefined) return at('id', 'expected tkt_<event>_<20 to 40 of a-z and 0-9>');
  if (!knownEvents.has(eventId)) return at('id', `unknown event ${eventId}`);
  if (usesConsumed > usesAllowed) return at('usesConsumed', `above usesAllowed, ${usesAllowed}`);
  return [];
}
