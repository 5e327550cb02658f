import { TicketscanError } from '../../../core/errors.ts';
import { isInName, searchTerms } from '../../../core/folded-text.ts';
import type { TicketView } from '../../../core/records.ts';
import { foldedName } from '../../../stores/ticket-row.ts';
import type { DataAccess } from '../../data-access.ts';
import {
  filteredTickets,
  requireReference,
  requireTickets,
} from '../../tickets/commands/find-tickets.ts';
import { ERASED_AT_ONCE_MAX } from '../../tickets/rules.ts';

/**
 * The tickets whose holder has a text in the name.
 * @param consequence follows each message
 * @throws TicketscanError `usage`, `not_found`
 */
export async function ticketsNamed(
  access: DataAccess,
  name: string,
  consequence = '',
): Promise<TicketView[]> {
  const terms = searchTerms(name);
  if (terms.words.length === 0)
    throw new TicketscanError('usage', `--name is empty: write the holder's name.${consequence}`);
  const found = await atMost(access, { search: name }, 'name');
  // The search also finds ids and references: their holders are other people.
  const named = found.filter(({ holder }) => isInName(terms, foldedName({ holder }) ?? ''));
  if (named.length > 0) return named;
  throw new TicketscanError('not_found', `No ticket has a holder with "${name}" in the name.`);
}

/** The tickets that a guest asks about. @throws TicketscanError `usage`, `not_found` */
export async function ticketsOfGuest(
  access: DataAccess,
  ids: readonly string[],
  { name, reference }: { readonly name?: string; readonly reference?: string },
): Promise<TicketView[]> {
  const given = [ids.length > 0, name !== undefined, reference !== undefined].filter(Boolean);
  if (given.length !== 1)
    throw new TicketscanError(
      'usage',
      'Give one of --ticket, --name and --reference: it says whose data.',
    );
  if (name !== undefined) return ticketsNamed(access, name);
  if (reference === undefined) return requireTickets(access, ids, '');
  requireReference(reference);
  const found = await atMost(access, { reference }, 'reference');
  if (found.length > 0) return found;
  throw new TicketscanError('not_found', `No ticket has the reference "${reference}".`);
}

/** How many different names the holders have; a spelling without accents or capitals is the same. */
export function namesAmong(tickets: readonly Pick<TicketView, 'holder'>[]): number {
  const names = tickets.map(({ holder }) => foldedName({ holder: holder ?? null }) ?? '');
  return new Set(names.filter((name) => name !== '')).size;
}

async function atMost(
  access: DataAccess,
  filter: Parameters<typeof filteredTickets>[1],
  what: string,
): Promise<TicketView[]> {
  const found: TicketView[] = [];
  const limit = ERASED_AT_ONCE_MAX + 1;
  for await (const one of filteredTickets(access, filter, { limit })) found.push(one);
  if (found.length <= ERASED_AT_ONCE_MAX) return found;
  const advice = what === 'name' ? 'Give more of the name.' : 'Name the tickets.';
  throw new TicketscanError('usage', `More than ${ERASED_AT_ONCE_MAX} tickets match. ${advice}`);
}
