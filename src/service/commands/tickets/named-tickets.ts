import { TicketscanError } from '../../../core/errors.ts';
import { eventOfTicketId } from '../../../core/ticket-id.ts';
import type { DataAccess } from '../access/data-types.ts';

export const NOTHING_CHANGED = ' Nothing was changed.';

/** A part of an id finds nothing: that is no proof that there is no such ticket. @param consequence follows the sentence */
export function unknownTicket(id: string, consequence = ''): TicketscanError {
  const message =
    eventOfTicketId(id) === undefined
      ? `"${id}" is no ticket code and no whole ticket id.${consequence} Search for it: ticketscan tickets list --search TEXT`
      : `Unknown ticket ${id}.${consequence}`;
  return new TicketscanError('not_found', message);
}

/** @throws TicketscanError `not_found` for the first that the store does not know */
export async function requireTickets(
  { store }: Pick<DataAccess, 'store'>,
  ids: readonly string[],
): Promise<void> {
  for (const id of ids) {
    if (!(await store.findTicket(id))) throw unknownTicket(id, NOTHING_CHANGED);
  }
}

/**
 * Does the same with each of these tickets. Looks before it acts: a mistyped id among many must not leave half of them changed.
 * @param act gets the organisation of the ticket, null where the store does not know it
 * @throws TicketscanError `not_found`
 */
export async function forEachTicket<Result>(
  access: DataAccess,
  ids: readonly string[],
  act: (organisationId: string | null, ticketId: string) => Promise<Result>,
): Promise<Result[]> {
  await requireTickets(access, ids);
  const owners = new Map(
    (await access.store.list('event')).map((one) => [one.id, one.organisationId]),
  );
  const results: Result[] = [];
  for (const id of ids) {
    results.push(await act(owners.get(eventOfTicketId(id) ?? '') ?? null, id));
  }
  return results;
}
