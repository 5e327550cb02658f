import type { UseQueryResult } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { Event, Key, Page } from './types.ts';
import { useRead } from './use-api.ts';

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
