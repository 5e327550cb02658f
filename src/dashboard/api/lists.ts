import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { DeviceNames, type GatePlace } from '../../core/gate-name.ts';
import {
  call,
  type Device,
  type Event,
  type Key,
  type Page,
  type Phone,
  type Ticket,
} from './http.ts';
import { useRead } from './use-api.tsx';

/** Asks a list page by page until it is whole: a server answers a part at a time, so that gates never wait for a list. */
export async function whole<Item>(
  read: (after: string | undefined) => Promise<{
    readonly items: readonly Item[];
    readonly next: string | null;
  }>,
): Promise<Page<Item>> {
  const items: Item[] = [];
  for (let after: string | undefined; ; ) {
    const page = await read(after);
    items.push(...page.items);
    if (page.next === null) return { items, next: null };
    after = page.next;
  }
}

/** What was made last comes first. @param madeAt when one was made */
function newestFirst<Item>(
  { items, next }: Page<Item>,
  madeAt: (item: Item) => string,
): Page<Item> {
  // Two of one moment stay in the order of the server, which has the older one first.
  const newest = items.toReversed().sort((a, b) => Date.parse(madeAt(b)) - Date.parse(madeAt(a)));
  return { items: newest, next };
}

const createdAt = (item: { readonly createdAt: string }) => item.createdAt;

/** All events of the organisation, archived ones too, the newest first. */
export function useEvents(): UseQueryResult<Page<Event>> {
  return useQuery({
    // Below the name of what it lists, so that a change makes it stale.
    queryKey: ['events', 'whole'],
    queryFn: async () => {
      const events = await whole((after) => call('GET /events', { archived: 'true', after }));
      return newestFirst(events, createdAt);
    },
    placeholderData: keepPreviousData,
  });
}

/** Events to choose from: those that are not archived, and the one that is chosen already. */
export function offered(
  events: readonly Event[],
  isChosen: (id: string) => boolean = () => false,
): Event[] {
  return events.filter(({ archivedAt, id }) => archivedAt === null || isChosen(id));
}

/** The same as choices of a field. */
export function useEventChoices(chosen?: string): { value: string; label: string }[] {
  const events = offered(useEvents().data?.items ?? [], (id) => id === chosen);
  return events.map(({ id, name }) => ({ value: id, label: name }));
}

/** All keys of the organisation, without their values, the newest first. */
export function useKeys({ everyMs }: { everyMs?: number } = {}): UseQueryResult<Page<Key>> {
  return useQuery({
    queryKey: ['keys', 'whole'],
    queryFn: async () =>
      newestFirst(await whole((after) => call('GET /keys', { after })), createdAt),
    refetchInterval: everyMs ?? false,
    placeholderData: keepPreviousData,
  });
}

/** All devices of the organisation, the latest heartbeat first (of a device that only scans, its last scan), and the keys that have as many as are kept. */
export function useDevices(everyMs: number) {
  return useQuery({
    queryKey: ['devices', 'whole'],
    queryFn: async () => {
      let fullKeys: readonly string[] = [];
      const { items } = await whole(async (after) => {
        const page = await call('GET /devices', { after });
        fullKeys = page.fullKeys;
        return page;
      });
      const latestFirst = items.toSorted((a, b) => contactOf(b) - contactOf(a));
      return { items: latestFirst, next: null, fullKeys };
    },
    refetchInterval: everyMs,
    placeholderData: keepPreviousData,
  });
}

function contactOf({ lastHeartbeatAt, lastScanAt }: Device): number {
  return Date.parse(lastHeartbeatAt ?? lastScanAt ?? '') || 0;
}

/** All paired phones that the user may see, the one that was paired last first. */
export function usePhones(everyMs: number): UseQueryResult<Page<Phone>> {
  return useQuery({
    queryKey: ['phones', 'whole'],
    queryFn: async () => {
      const phones = await whole((after) => call('GET /phones', { after }));
      return newestFirst(phones, ({ pairedAt }) => pairedAt);
    },
    refetchInterval: everyMs,
    placeholderData: keepPreviousData,
  });
}

/** The access tokens of all accounts of the organisation, the newest first. */
export function useAccessTokensOfAll() {
  return useQuery({
    queryKey: ['organisation', 'access-tokens', 'whole'],
    queryFn: async () => {
      const tokens = await whole((after) => call('GET /organisation/access-tokens', { after }));
      return newestFirst(tokens, createdAt);
    },
    placeholderData: keepPreviousData,
  });
}

/** The accounts of the organisation, the newest first. */
export function useAccounts() {
  const { data, ...asked } = useRead('GET /accounts');
  return { ...asked, data: data && newestFirst(data, createdAt) };
}

interface Named {
  readonly id: string;
  readonly name: string;
}

/** Accounts that have scanned: the log names them in place of a key. */
export function useScanners(): UseQueryResult<Page<Named>> {
  return useQuery({
    queryKey: ['scanners', 'whole'],
    queryFn: () => whole((after) => call('GET /scanners', { after })),
    placeholderData: keepPreviousData,
  });
}

/** Finds the name of an event; or its id, for an event that was deleted. */
export function useEventName(): (id: string) => string {
  return useNameIn(useEvents().data?.items);
}

export function useKeyName(): (id: string) => string {
  return useNameIn(useKeys().data?.items);
}

/** The name of what scanned: a key, or an account. */
function useScannerName(): (id: string) => string {
  const keyName = useKeyName();
  const scannerName = useNameIn(useScanners().data?.items);
  return useCallback(
    (id) => (scannerName(id) === id ? keyName(id) : scannerName(id)),
    [scannerName, keyName],
  );
}

/** What a gate is called: the name of its device, else that of its key or account with the serial. */
export function useGateName(): (place: GatePlace) => string {
  const scannerName = useScannerName();
  const { data } = useQuery({
    queryKey: ['device-names', 'whole'],
    queryFn: () => whole((after) => call('GET /device-names', { after })),
    placeholderData: keepPreviousData,
  });
  return useMemo(() => {
    const names = new DeviceNames(data?.items ?? []);
    return (place) => names.gate(place, scannerName);
  }, [data, scannerName]);
}

/** The name of an event, a key or an account, for owners: only they may list the accounts. */
export function useNameOf(): (id: string) => string {
  const eventName = useEventName();
  const scannerName = useScannerName();
  const accountName = useNameIn(useRead('GET /accounts').data?.items);
  return (id) => accountName(scannerName(eventName(id)));
}

function useNameIn(items: readonly Named[] | undefined): (id: string) => string {
  return useCallback((id) => items?.find((item) => item.id === id)?.name ?? id, [items]);
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
    queryKey: ['tickets', 'one of many', id],
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
    const { items } = await call('GET /tickets', { ids: some.map(({ id }) => id).join(',') });
    const tickets = new Map(items.map((ticket) => [ticket.ticketId, ticket]));
    for (const { id, found } of some) found(tickets.get(id) ?? null);
  } catch (error) {
    for (const { failed } of some) failed(error);
  }
}
