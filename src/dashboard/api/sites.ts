import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { siteIdIn } from '../../core/event-home.ts';
import { call, type Page, type Site } from './http.ts';
import { whole } from './lists.ts';

/** The sites of the organisation, oldest first, retired ones at the end. */
export function useSites({
  everyMs,
  enabled = true,
}: {
  everyMs?: number;
  enabled?: boolean;
} = {}): UseQueryResult<Page<Site>> {
  return useQuery({
    queryKey: ['sites', 'whole'],
    queryFn: async () => {
      const { items, next } = await whole((after) => call('GET /sites', { after }));
      return { items: items.toSorted((a, b) => retired(a) - retired(b)), next };
    },
    enabled,
    refetchInterval: everyMs ?? false,
    placeholderData: keepPreviousData,
  });
}

function retired({ retiredAt }: Site): number {
  return retiredAt === null ? 0 : 1;
}

/** Finds the name of the site of a log entry. */
export function useSiteName(): (site: string) => string {
  const { data } = useSites();
  return useCallback(
    (site) => {
      const id = siteIdIn(site);
      return data?.items.find((one) => one.id === id)?.name ?? id;
    },
    [data],
  );
}
