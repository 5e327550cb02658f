import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { call, type Ticket } from './http.ts';
import { useEvents } from './lists.ts';

/** The orders in which a list of tickets comes. The server has the first two; the page sorts the others by itself, once it has the whole list. */
export const TICKET_ORDERS = ['newest', 'oldest', 'name', 'end', 'lastUse'] as const;
export type TicketOrder = (typeof TICKET_ORDERS)[number];

const PER_PAGE = 50;
const PER_ANSWER_MAX = 200;
/** More are not fetched to be sorted. */
export const SORTED_MAX = 1000;

/** Which tickets are wanted, and from which place on. */
interface TicketsWanted {
  readonly filter: Readonly<Record<string, string>>;
  readonly order: 'newest' | 'oldest';
  readonly after: string | undefined;
  readonly count: number;
}

/** What a search has found so far. */
export interface FoundTickets {
  readonly items: readonly Ticket[];
  /** Where it goes on; null when there is no more. */
  readonly next: string | null;
  /** The part of the tickets that is behind it, from 0 to 1. */
  readonly searched: number;
}

interface SearchOptions {
  /** Asks for one answer. */
  readonly ask: (input: Record<string, string | number | undefined>) => Promise<FoundTickets>;
  /** Called after each answer; the search ends with what it has when this says false. */
  readonly goesOn: (found: FoundTickets) => boolean;
}

/** One answer looks at a part of the tickets: asks until enough are found, or there are no more. */
export async function searchOn(
  { filter, order, after, count }: TicketsWanted,
  { ask, goesOn }: SearchOptions,
): Promise<FoundTickets> {
  let found: FoundTickets = { items: [], next: after ?? null, searched: 0 };
  do {
    const limit = Math.min(PER_ANSWER_MAX, count - found.items.length);
    const place = found.next ?? undefined;
    const answer = await ask({ ...filter, order, after: place, limit });
    found = { ...answer, items: [...found.items, ...answer.items] };
  } while (found.next !== null && found.items.length < count && goesOn(found));
  return found;
}

export interface TicketList {
  /** Undefined until there is an answer. */
  readonly data: { readonly items: readonly Ticket[] } | undefined;
  readonly error: Error | null;
  readonly refetch: () => unknown;
  /** Counted from 1. */
  readonly number: number;
  readonly older: (() => void) | undefined;
  readonly newer: (() => void) | undefined;
  /** While a search goes on. */
  readonly progress: { readonly found: FoundTickets; readonly stop: () => void } | undefined;
  /** How many there are: all of them, or those that the search has found so far. */
  readonly count: { readonly tickets: number; readonly isWhole: boolean } | undefined;
  /** There are more than the page sorts: they come newest first. */
  readonly isUnsorted: boolean;
}

type TicketConditions = Readonly<
  Record<'event' | 'state' | 'search' | 'batch' | 'reference', string>
>;

/** The tickets that meet the conditions, a page at a time. */
export function useTicketList(filter: TicketConditions, order: TicketOrder): TicketList {
  const isSorted = order !== 'newest' && order !== 'oldest';
  const all = useSearch(
    { filter, order: 'newest', count: SORTED_MAX + 1, after: undefined },
    isSorted,
  );
  const isUnsorted = isSorted && all.data !== undefined && all.data.items.length > SORTED_MAX;
  const plain = usePlainList(
    filter,
    order === 'oldest' ? order : 'newest',
    !isSorted || isUnsorted,
  );
  const sorted = useSortedList(all, order);
  return isSorted && !isUnsorted ? sorted : { ...plain, isUnsorted };
}

type Search = ReturnType<typeof useSearch>;

/** Stopped or not, the answer is kept like any other. */
function useSearch(wanted: TicketsWanted, enabled: boolean) {
  const [found, setFound] = useState<FoundTickets>();
  const isStopped = useRef(false);
  const asked = useQuery({
    // Below the name of what it lists, so that a change makes it stale.
    queryKey: ['tickets', 'search', wanted],
    queryFn: async ({ signal }) => {
      isStopped.current = false;
      setFound(undefined);
      const goesOn = (some: FoundTickets) => {
        setFound(some);
        return !isStopped.current;
      };
      const ask = (input: Record<string, string | number | undefined>) =>
        call('GET /tickets', input as object, signal);
      return await searchOn(wanted, { ask, goesOn });
    },
    enabled,
    placeholderData: keepPreviousData,
  });
  const isFirst = asked.isFetching && (asked.data === undefined || asked.isPlaceholderData);
  const stop = () => {
    isStopped.current = true;
  };
  return { ...asked, progress: isFirst && found ? { found, stop } : undefined };
}

interface Turned {
  readonly of: string;
  /** Where each page before this one ended, and how many tickets it had. */
  readonly before: readonly { readonly next: string; readonly tickets: number }[];
}

/** Lists tickets in an order that the server has: a page of it is in memory. */
function usePlainList(
  filter: TicketConditions,
  order: 'newest' | 'oldest',
  enabled: boolean,
): TicketList {
  const of = JSON.stringify([filter, order]);
  const [turned, setTurned] = useState<Turned>({ of, before: [] });
  // Another filter is another list: it begins at its first page.
  const before = turned.of === of ? turned.before : [];
  const after = before.at(-1)?.next;
  const search = useSearch({ filter, order, after, count: PER_PAGE }, enabled);
  const { data, progress } = search;
  const total = useTotal(filter);
  const shown = progress?.found ?? data;
  const next = data?.next ?? null;
  const tickets = before.reduce((sum, page) => sum + page.tickets, shown?.items.length ?? 0);
  const goTo = (pages: Turned['before']) => setTurned({ of, before: pages });
  return {
    data: shown && { items: shown.items },
    error: search.error,
    refetch: search.refetch,
    number: before.length + 1,
    older:
      next === null
        ? undefined
        : () => goTo([...before, { next, tickets: data?.items.length ?? 0 }]),
    newer: before.length === 0 ? undefined : () => goTo(before.slice(0, -1)),
    progress,
    count: total ?? (shown && { tickets, isWhole: !search.isPlaceholderData && next === null }),
    isUnsorted: false,
  };
}

/** How many tickets there are where nothing but an event is chosen: the events say it. */
function useTotal({ event, ...others }: TicketConditions): TicketList['count'] {
  const events = useEvents().data?.items;
  if (!events || Object.values(others).some((value) => value)) return undefined;
  const chosen = event ? events.filter(({ id }) => id === event) : events;
  return { tickets: chosen.reduce((sum, { tickets }) => sum + tickets.total, 0), isWhole: true };
}

/** A short list as a whole, in an order of its own. */
function useSortedList(all: Search, order: TicketOrder): TicketList {
  const [turned, setTurned] = useState({ of: order, number: 1 });
  const items = all.data ? inOrder(all.data.items, order) : undefined;
  const pages = Math.max(1, Math.ceil((items?.length ?? 0) / PER_PAGE));
  const number = turned.of === order ? Math.min(turned.number, pages) : 1;
  const goTo = (page: number) => setTurned({ of: order, number: page });
  return {
    data: items && { items: items.slice((number - 1) * PER_PAGE, number * PER_PAGE) },
    error: all.error,
    refetch: all.refetch,
    number,
    older: number < pages ? () => goTo(number + 1) : undefined,
    newer: number > 1 ? () => goTo(number - 1) : undefined,
    progress: all.progress,
    count: items && { tickets: items.length, isWhole: all.data?.next === null },
    isUnsorted: false,
  };
}

const NAMES = new Intl.Collator(undefined, { sensitivity: 'base', numeric: true });

/** Sorts by name (last names first), by end (the next first) or by last use (the latest first); tickets without one come last. */
export function inOrder(tickets: readonly Ticket[], order: TicketOrder): Ticket[] {
  switch (order) {
    case 'name':
      return tickets.toSorted((a, b) => emptyLast(nameOf(a), nameOf(b), NAMES.compare));
    case 'end':
      return tickets.toSorted((a, b) => emptyLast(a.validUntil, b.validUntil, byText));
    case 'lastUse':
      return tickets.toSorted((a, b) =>
        emptyLast(a.lastConsumedAt, b.lastConsumedAt, (one, other) => byText(other, one)),
      );
    default:
      return [...tickets];
  }
}

function nameOf({ holder }: Ticket): string {
  return holder === null ? '' : `${holder.lastName} ${holder.firstName}`.trim();
}

function byText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function emptyLast(
  a: string | null,
  b: string | null,
  compare: (a: string, b: string) => number,
): number {
  if (!a || !b) return Number(!a) - Number(!b);
  return compare(a, b);
}
