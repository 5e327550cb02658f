import * as z from 'zod';
import { type LogEntry, Time } from '../../core/records.ts';
import type { Ticket } from '../../core/ticket.ts';
import type { LogStore } from '../../stores/store.ts';
import type { OrganisationScope } from '../context.ts';
import { firstAfter, lastBefore, readLogPage } from './log-reader.ts';

/** Entries on both sides of where the use belongs by its time: batches and instances write a little out of order. */
const NEARBY_ENTRIES = 1000;
/** Repeated answers of a use may have its time. */
const USES_AT_ONCE_MAX = 20;

type UsedTicket = Pick<Ticket, 'id' | 'lastConsumedAt'>;
type LogSearcher = Pick<LogStore, 'searchLog'>;

/** False when every use was taken back: the ticket keeps the time of the last one. */
export function wasUsed<Used extends Ticket>(
  ticket: Used,
): ticket is Used & { readonly lastConsumedAt: number } {
  return ticket.usesConsumed > 0 && ticket.lastConsumedAt !== null;
}

/**
 * The log entry of a ticket's last use, found by the time that the ticket keeps.
 * @returns undefined when the log does not hold it: it was pruned, or came with an import
 */
export async function findLastUse(
  store: LogSearcher,
  ticket: UsedTicket,
): Promise<LogEntry | undefined> {
  const nearby = await findLastUseNearby(store, ticket);
  if (nearby || ticket.lastConsumedAt === null) return nearby;
  const { entries } = await readLogPage(store, conditionsFor(ticket), USES_AT_ONCE_MAX);
  return entries.find(isUse);
}

/**
 * As `findLastUse`, in some 30 short questions to the store however long the log is. It misses a use that was written while the
 * clock was wrong.
 */
export async function findLastUseNearby(
  store: LogSearcher,
  ticket: UsedTicket,
): Promise<LogEntry | undefined> {
  if (ticket.lastConsumedAt === null) return undefined;
  const before = await lastBefore(store, ticket.lastConsumedAt);
  const position = (await firstAfter(store, before))?.sequence ?? before;
  const { entries } = await store.searchLog({
    ...conditionsFor(ticket),
    beforeSequence: position + NEARBY_ENTRIES,
    limit: USES_AT_ONCE_MAX,
    searchMax: 2 * NEARBY_ENTRIES,
  });
  return entries.find(isUse);
}

function conditionsFor({ id, lastConsumedAt }: UsedTicket) {
  const at = lastConsumedAt ?? 0;
  return { ticketId: id, outcome: 'admitted', fromAt: at, untilAt: at };
}

/** A use that was taken back does not count, although the ticket keeps its time. */
function isUse({ replayed, undoneBy }: LogEntry): boolean {
  return !replayed && undoneBy === undefined;
}

/** When and where a ticket was last used; the gate is null when the log does not have the use any more. */
export const LastUse = z.object({ at: Time, gate: z.string().nullable() });

/** A guest who is refused asks for it. @returns null for a ticket that was never used */
export async function lastUseOf(
  ticket: Ticket,
  scope: OrganisationScope,
): Promise<z.output<typeof LastUse> | null> {
  if (!wasUsed(ticket)) return null;
  const entry = await findLastUse(scope.store, ticket);
  const gate = entry ? (entry.serial ?? (await scope.gateName(entry.keyId))) : null;
  return { at: ticket.lastConsumedAt, gate };
}
