import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { call, queryOf } from './http.ts';
import type { Event, Key, LogEntry, Page, Ticket } from './types.ts';
import { type Pages, usePages, useRead } from './use-api.ts';

const LISTS = { events: '/events?archived=true', keys: '/keys' } as const;

/** All events of the organisation, archived ones too. */
export function useEvents(): UseQueryResult<Page<Event>> {
  return useRead<Page<Event>>(LISTS.events);
}

/** Events to choose from: those that are not archived, and the one that is chosen already. */
export function offered(
  events: readonly Event[],
  isChosen: (id: string) => boolean = () => false,
): Event[] {
  return events.filter(({ archivedAt, id }) => archivedAt === null || isChosen(id));
}

/** All keys of the organisation, without their values. */
export function useKeys(options: { everyMs?: number } = {}): UseQueryResult<Page<Key>> {
  return useRead<Page<Key>>('/keys', options);
}

/** Accounts that have scanned: the log names them in place of a key. */
export function useScanners(): UseQueryResult<Page<Named>> {
  return useRead<Page<Named>>('/scanners');
}

interface Named {
  readonly id: string;
  readonly name: string;
}

/** Finds the name that belongs to an id; the id itself when there is none, as for a deleted key. */
export function useNameOf(kind: 'events' | 'keys'): (id: string) => string {
  const { data } = useRead<Page<Named>>(LISTS[kind]);
  return useCallback((id) => data?.items.find((item) => item.id === id)?.name ?? id, [data]);
}

/** The name of what scanned: a key, or an account. */
export function useGateName(): (id: string) => string {
  const keyName = useNameOf('keys');
  const { data } = useScanners();
  return useCallback(
    (id) => data?.items.find((item) => item.id === id)?.name ?? keyName(id),
    [data, keyName],
  );
}

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

/** A page of the log may be short and yet have a next: one answer examines a limited number of entries. */
export interface LogPage extends Page<LogEntry> {
  readonly searchedBackTo: number;
}

const ENTRIES_PER_PAGE = 50;

/** The scan log, newest first, page by page. */
export function useLogPages(filter: Record<string, string | undefined>): Pages<LogPage> {
  return usePages<LogEntry, LogPage>('/log', { ...filter, limit: ENTRIES_PER_PAGE }, 'before');
}
