import { ERASED } from '../../../core/erased-details.ts';
import { TicketscanError } from '../../../core/errors.ts';
import { isInName, searchTerms } from '../../../core/folded-text.ts';
import { type Guest, guestsInEdit, holdingsOf, isSameGuest } from '../../../core/guest-holdings.ts';
import { ticketsIn } from '../../../core/guest-report.ts';
import { type TicketView, ticketFromView } from '../../../core/records.ts';
import type { Ticket } from '../../../core/ticket.ts';
import { PAGE_ITEMS_MAX } from '../../../operations/fields.ts';
import type { AnswerOf } from '../../../operations/operation.ts';
import { foldedName } from '../../../stores/ticket-row.ts';
import { readAuditLog } from '../../audit-log/operations.ts';
import type { DataAccess } from '../../data-access.ts';
import {
  filteredTickets,
  findTickets,
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
  consequence: string,
): Promise<TicketView[]> {
  const named = await presentlyNamed(access, name, consequence);
  if (named.length > 0) return named;
  throw new TicketscanError('not_found', `No ticket has a holder with "${name}" in the name.`);
}

async function presentlyNamed(
  access: DataAccess,
  name: string,
  consequence = '',
): Promise<TicketView[]> {
  const isNamed = named(name, consequence);
  const found = await atMost(access, { search: name }, 'name');
  // The search also finds ids and references: their holders are other people.
  return found.filter(({ holder }) => isNamed(holder));
}

/** Tells of whom the name has a text. @throws TicketscanError `usage` for an empty one */
function named(name: string, consequence = ''): (guest: Guest) => boolean {
  const terms = searchTerms(name);
  if (terms.words.length === 0)
    throw new TicketscanError('usage', `--name is empty: write the holder's name.${consequence}`);
  return (guest) =>
    guest !== null && guest !== ERASED && isInName(terms, foldedName({ holder: guest }) ?? '');
}

/** A ticket with its changes, and the guests of it who ask. */
export interface AskedTicket {
  readonly ticket: Ticket;
  /** Oldest first. */
  readonly changes: readonly AuditEntry[];
  readonly guests: readonly Guest[];
}

/**
 * The tickets that a guest asks about. A name is also looked for among earlier names, which the audit log has; otherwise the guest is the present
 * holder.
 * @throws TicketscanError `usage`, `not_found`
 */
export async function askedTickets(
  access: DataAccess,
  ids: readonly string[],
  options: { readonly name?: string; readonly reference?: string },
): Promise<AskedTicket[]> {
  const { name } = options;
  const views = await ticketsOfGuest(access, ids, options);
  const changes = await changesOf(access, new Set(views.map(({ ticketId }) => ticketId)));
  const isNamed = name === undefined ? undefined : named(name);
  return views.map((view) => {
    const ticket = ticketFromView(view);
    const own = changes.get(ticket.id) ?? [];
    const all = holdingsOf(ticket, own).map(({ guest }) => guest);
    const guests = isNamed ? different(all.filter(isNamed)) : [ticket.holder];
    return { ticket, changes: own, guests };
  });
}

/** Each of the guests once, with the latest spelling; the latest first. */
function different(guests: readonly Guest[]): Guest[] {
  const found: Guest[] = [];
  for (const guest of guests.toReversed())
    if (!found.some((one) => isSameGuest(one, guest))) found.push(guest);
  return found;
}

async function ticketsOfGuest(
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
  if (name !== undefined) return everNamed(access, name);
  if (reference === undefined) return requireTickets(access, ids, '');
  requireReference(reference);
  const found = await atMost(access, { reference }, 'reference');
  if (found.length > 0) return found;
  throw new TicketscanError('not_found', `No ticket has the reference "${reference}".`);
}

/** The tickets whose holder has a text in the name, or had it once. @throws TicketscanError `usage`, `not_found` */
async function everNamed(access: DataAccess, name: string): Promise<TicketView[]> {
  const present = await presentlyNamed(access, name);
  const known = new Set(present.map(({ ticketId }) => ticketId));
  const once = [...(await onceNamed(access, name))].filter((id) => !known.has(id));
  const earlier = await findTickets(access, once);
  if (present.length + earlier.length > ERASED_AT_ONCE_MAX) throw tooMany('name');
  const gone = once.filter((id) => !earlier.some(({ ticketId }) => ticketId === id));
  if (gone.length > 0)
    access.io.err(
      `The audit log also has the name with tickets that were deleted: ${gone.join(', ')}. ticketscan privacy erase with these ids removes it.`,
    );
  if (present.length + earlier.length > 0) return [...present, ...earlier];
  throw new TicketscanError(
    'not_found',
    `No ticket has or had a holder with "${name}" in the name.`,
  );
}

/** The ids of tickets that had a name once. @throws TicketscanError `usage` for too many */
async function onceNamed(access: DataAccess, name: string): Promise<Set<string>> {
  const isNamed = named(name);
  const ids = new Set<string>();
  await eachAuditEntry(access, (entry) => {
    if (guestsInEdit(entry).some(isNamed)) ids.add(entry.subject);
    if (ids.size > ERASED_AT_ONCE_MAX) throw tooMany('name');
  });
  return ids;
}

type AuditEntry = AnswerOf<typeof readAuditLog>['items'][number];

/** The audit entries about each of the tickets, oldest first. */
async function changesOf(
  access: DataAccess,
  ids: ReadonlySet<string>,
): Promise<Map<string, AuditEntry[]>> {
  const found = new Map([...ids].map((id) => [id, [] as AuditEntry[]]));
  await eachAuditEntry(access, (entry) => {
    for (const id of ticketsIn(entry)) found.get(id)?.push(entry);
  });
  for (const entries of found.values()) entries.reverse();
  return found;
}

/** Reads the audit log of each organisation, newest first, a page in memory at a time. */
async function eachAuditEntry(
  access: DataAccess,
  look: (entry: AuditEntry) => void,
): Promise<void> {
  for (const { id } of await access.list('organisation')) {
    const call = await access.callFor(id);
    let before: number | undefined;
    do {
      const page: AnswerOf<typeof readAuditLog> = await call(readAuditLog, {
        before,
        limit: PAGE_ITEMS_MAX,
      });
      for (const entry of page.items) look(entry);
      before = page.next ?? undefined;
    } while (before !== undefined);
  }
}

/** How many different names there are; a spelling without accents or capitals is the same. */
export function namesAmong(guests: readonly Guest[]): number {
  return different(guests.filter((guest) => guest !== null && guest !== ERASED)).length;
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
  throw tooMany(what);
}

function tooMany(what: string): TicketscanError {
  const advice = what === 'name' ? 'Give more of the name.' : 'Name the tickets.';
  return new TicketscanError('usage', `More than ${ERASED_AT_ONCE_MAX} tickets match. ${advice}`);
}
