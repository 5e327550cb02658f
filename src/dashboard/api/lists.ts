import type { UseQueryResult } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { Event, Key, Page } from './types.ts';
import { useRead } from './use-api.ts';

/** All events of the organisation. */
export function useEvents(): UseQueryResult<Page<Event>> {
  return useRead<Page<Event>>('/events');
}

/** All keys of the organisation, without their values. */
export function useKeys(options: { everyMs?: number } = {}): UseQueryResult<Page<Key>> {
  return useRead<Page<Key>>('/keys', options);
}

/** Finds the name that belongs to an id; the id itself when there is none, as for a deleted key. */
export function useNameOf(kind: 'events' | 'keys'): (id: string) => string {
  const { data } = useRead<Page<{ id: string; name: string }>>(`/${kind}`);
  return useCallback((id) => data?.items.find((item) => item.id === id)?.name ?? id, [data]);
}
