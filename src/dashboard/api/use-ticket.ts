import { useQuery } from '@tanstack/react-query';
import { call, queryOf } from './http.ts';
import type { Page, Ticket } from './types.ts';

const COLLECT_MS = 50;
const IDS_AT_ONCE = 100;
const FRESH_MS = 60_000;
/** A live list leaves thousands behind. */
const KEPT_MS = 10_000;

interface Wanted {
  readonly id: string;
  readonly found: (ticket: Ticket | null) => void;
  readonly failed: (error: unknown) => void;
}

let wanted: Wanted[] = [];

/** The ticket of an id, for a row that has only the id; null for one that there is not. Rows are asked for together. */
export function useTicket(id: string | null): Ticket | null | undefined {
  return useQuery({
    queryKey: ['tickets', `one of many: ${id}`],
    queryFn: () => ask(id ?? ''),
    enabled: id !== null,
    staleTime: FRESH_MS,
    gcTime: KEPT_MS,
  }).data;
}

function ask(id: string): Promise<Ticket | null> {
  if (wanted.length === 0) setTimeout(askForAll, COLLECT_MS);
  return new Promise((found, failed) => wanted.push({ id, found, failed }));
}

function askForAll(): void {
  const all = wanted;
  wanted = [];
  for (let begin = 0; begin < all.length; begin += IDS_AT_ONCE) {
    void askFor(all.slice(begin, begin + IDS_AT_ONCE));
  }
}

async function askFor(some: readonly Wanted[]): Promise<void> {
  try {
    const ids = some.map(({ id }) => id).join(',');
    const { items } = await call<Page<Ticket>>({
      method: 'GET',
      path: `/tickets${queryOf({ ids })}`,
    });
    const tickets = new Map(items.map((ticket) => [ticket.ticketId, ticket]));
    for (const { id, found } of some) found(tickets.get(id) ?? null);
  } catch (error) {
    for (const { failed } of some) failed(error);
  }
}
