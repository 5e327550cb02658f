import { type Command, Option } from '@commander-js/extra-typings';
import { TICKET_STATES } from '../../../core/decision.ts';
import { TicketscanError } from '../../../core/errors.ts';
import type { TicketView } from '../../../core/records.ts';
import { splitTicketCode } from '../../../core/ticket-code.ts';
import { eventOfTicketId, ticketIdIn } from '../../../core/ticket-id.ts';
import { PAGE_ITEMS_MAX } from '../../../operations/fields.ts';
import type { AnswerOf } from '../../../operations/operation.ts';
import type { OptionsOf } from '../../../terminal/command.ts';
import { readGivenCode } from '../../../terminal/given-codes.ts';
import type { CliIo } from '../../../terminal/io.ts';
import type { DataAccess } from '../../data-access.ts';
import { listTickets } from '../operations.ts';

/** How commands take a ticket. */
export const TICKET = ['<ticket>', 'code, or id as it is printed'] as const;
export const TICKETS_HELP = 'codes, or ids as they are printed';

export const NOTHING_CHANGED = ' Nothing was changed.';
/** Ids that one request asks for: its address stays short. */
const IDS_AT_ONCE = 100;

/** The id of a ticket named by its id or its code; the owner of the store needs no genuine code. */
export function ticketIdFrom(text: string, io: CliIo): string {
  const value = readGivenCode(text, io);
  return knownForm(value) ?? value;
}

/**
 * Reads an id like `ticketIdFrom`, for an option that finds nothing when the ticket does not exist: a mistyped value would look like an answer.
 * @throws TicketscanError `usage` for what can be neither an id nor a code
 */
export function givenTicketId(text: string, option: string, io: CliIo): string {
  const id = knownForm(readGivenCode(text, io));
  if (id !== undefined) return id;
  throw new TicketscanError(
    'usage',
    `${option} must be a ticket: its id, such as tkt_ab12cd_0123456789abcdefghij, or its code.`,
  );
}

function knownForm(value: string): string | undefined {
  return splitTicketCode(value)?.ticketId ?? ticketIdIn(value);
}

/** A part of an id finds nothing: that is no proof that there is no such ticket. @param consequence follows the sentence */
export function unknownTicket(id: string, consequence = ''): TicketscanError {
  const message =
    eventOfTicketId(id) === undefined
      ? `"${id}" is not a ticket code and not a whole ticket id.${consequence} Search for it: ticketscan tickets list --search TEXT`
      : `Unknown ticket ${id}.${consequence}`;
  return new TicketscanError('not_found', message);
}

/** Returns the tickets with these ids that exist. */
export async function findTickets(
  { call }: Pick<DataAccess, 'call'>,
  ids: readonly string[],
): Promise<TicketView[]> {
  const found: TicketView[] = [];
  for (let start = 0; start < ids.length; start += IDS_AT_ONCE) {
    const some = ids.slice(start, start + IDS_AT_ONCE);
    found.push(...(await call(listTickets, { ids: some.join(',') })).items);
  }
  return found;
}

/**
 * Commands look before they act: a mistyped id among many must not leave half of them changed.
 * @throws TicketscanError `not_found` for the first that there is not
 */
export async function requireTickets(
  access: Pick<DataAccess, 'call'>,
  ids: readonly string[],
  consequence = NOTHING_CHANGED,
): Promise<TicketView[]> {
  const found = await findTickets(access, ids);
  const known = new Set(found.map(({ ticketId }) => ticketId));
  const unknown = ids.find((id) => !known.has(id));
  if (unknown === undefined) return found;
  throw unknownTicket(unknown, consequence);
}

/** @throws TicketscanError `usage` for an empty one: it may be a variable of a script that is not set, and names no order */
export function requireReference(reference: string, consequence = ''): void {
  if (reference.trim() !== '') return;
  throw new TicketscanError(
    'usage',
    `--reference is empty: write the number of the order.${consequence}`,
  );
}

/** The options that say which tickets a command is about. */
export function addFilterOptions(command: Command) {
  return command
    .option('--event <event>', 'only of this event (id or name)')
    .addOption(
      new Option(
        '--state <state>',
        'only tickets for which a scan would give this result now',
      ).choices(TICKET_STATES),
    )
    .option('--search <text>', 'only with this text in the id, the holder or the reference')
    .option('--batch <batch>', 'only of this run of mint, import or create')
    .option('--reference <text>', 'only with exactly this reference');
}

export type FilterOptions = OptionsOf<typeof addFilterOptions>;

/**
 * The tickets that pass the filter, in the order of creation, a page in memory at a time.
 * @throws TicketscanError `not_found` for an unknown event
 */
export async function* filteredTickets(
  { call, findEvent }: Pick<DataAccess, 'call' | 'findEvent'>,
  { event, state, search, batch, reference }: FilterOptions,
  { after, limit = Number.POSITIVE_INFINITY }: { after?: string | undefined; limit?: number } = {},
): AsyncGenerator<TicketView> {
  const eventId = event === undefined ? undefined : (await findEvent(event)).id;
  const filter = { event: eventId, state, search, batch, reference };
  let left = limit;
  let next: string | null | undefined = after;
  while (next !== null && left > 0) {
    const page: AnswerOf<typeof listTickets> = await call(listTickets, {
      ...filter,
      after: next,
      limit: Math.min(left, PAGE_ITEMS_MAX),
    });
    yield* page.items;
    left -= page.items.length;
    ({ next } = page);
  }
}
