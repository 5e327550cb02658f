import type { MemoryStore } from '../../src/stores/sqlite/memory-store.ts';
import type { StoreFacts, TicketFact } from '../history/facts.ts';

/** What the simulated store holds, in the checker's terms. */
export async function memoryFacts(
  store: MemoryStore,
  keyIds: readonly string[],
  months: readonly number[],
): Promise<StoreFacts> {
  const tickets = (await store.listTickets({ limit: Number.MAX_SAFE_INTEGER })).map(
    (ticket): [string, TicketFact] => [
      ticket.id,
      { ...ticket, usesBrought: 0, cancelled: ticket.cancelledAt !== null },
    ],
  );
  const log = await store.readLog({ afterSequence: 0, limit: Number.MAX_SAFE_INTEGER });
  const requests = keyIds.flatMap((key) =>
    months.map(async (month) => ({
      key,
      month,
      requests: await store.requestsInMonth(key, month),
    })),
  );
  return {
    tickets: new Map(tickets),
    log: log.map(({ keyId, ticketId, operation, ...entry }) => ({
      ...entry,
      action: operation,
      key: keyId,
      ticket: ticketId,
    })),
    requests: await Promise.all(requests),
    keys: new Map(
      (await store.list('key')).map(({ id, active }) => [id, active ? 'active' : 'disabled']),
    ),
    damage: [],
  };
}
