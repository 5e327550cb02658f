import type { LogStore } from '../stores/store.ts';
import { allEntries, newestSequence } from './log-reader.ts';

/** Which of these tickets the log names, and up to which entry it was read. The store answers scans meanwhile. */
export async function loggedTickets(
  store: Pick<LogStore, 'searchLog'>,
  ticketIds: readonly string[],
): Promise<{ logged: Set<string>; upTo: number }> {
  const upTo = await newestSequence(store);
  const wanted = new Set(ticketIds);
  const logged = new Set<string>();
  const [only] = ticketIds;
  const conditions = ticketIds.length === 1 && only !== undefined ? { ticketId: only } : {};
  for await (const { ticketId } of allEntries(store, conditions)) {
    if (ticketId !== null && wanted.has(ticketId)) logged.add(ticketId);
  }
  return { logged, upTo };
}
