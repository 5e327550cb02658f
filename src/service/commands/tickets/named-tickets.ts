import { TicketscanError } from '../../../core/errors.ts';
import { eventOfTicketId } from '../../../core/ticket-id.ts';
import type { DataAccess } from '../access/data-types.ts';

/**
 * Does the same with each of these tickets. Looks before it acts: a mistyped id among many must not leave half of them changed.
 * @param act gets the organisation of the ticket, null where the store does not know it
 * @throws TicketscanError `not_found`
 */
export async function forEachTicket<Result>(
  { store }: DataAccess,
  ids: readonly string[],
  act: (organisationId: string | null, ticketId: string) => Promise<Result>,
): Promise<Result[]> {
  for (const id of ids) {
    if (!(await store.findTicket(id))) {
      throw new TicketscanError('not_found', `Unknown ticket ${id}. Nothing was changed.`);
    }
  }
  const owners = new Map((await store.listEvents()).map((one) => [one.id, one.organisationId]));
  const results: Result[] = [];
  for (const id of ids) {
    results.push(await act(owners.get(eventOfTicketId(id) ?? '') ?? null, id));
  }
  return results;
}
