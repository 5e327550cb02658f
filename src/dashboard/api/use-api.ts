import {
  keepPreviousData,
  QueryCache,
  QueryClient,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useState } from 'react';
import { ApiFailure, type Call, call, queryOf } from './http.ts';
import type { Page } from './types.ts';

export const SESSION_PATH = '/sessions/current';

/** Answers are asked again after this time when somebody looks at them. */
const FRESH_MS = 5000;
const ATTEMPTS = 2;

/** Keeps answers of the admin API; when one says that the session has ended, the page goes back to the sign-in. */
export function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError: (error) => endSessionOn(error, client) }),
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        retry: (failures, error) => failures < ATTEMPTS && isPassing(error),
      },
      mutations: { onError: (error) => endSessionOn(error, client) },
    },
  });
  return client;
}

/** Worth another attempt: no answer, or a fault of the server. */
function isPassing(error: Error): boolean {
  return !(error instanceof ApiFailure) || error.status === 0 || error.status >= 500;
}

function endSessionOn(error: Error, client: QueryClient): void {
  if (error instanceof ApiFailure && error.status === 401) {
    client.setQueryData(keyOf(SESSION_PATH), null);
  }
}

/** Answers are filed below the first segment of their path, so that a change can make all of a kind stale. */
export function keyOf(path: string): readonly [resource: string, path: string] {
  return [path.split(/[/?]/)[1] ?? '', path];
}

interface ReadOptions {
  /** Asks again after this time, in milliseconds. */
  readonly everyMs?: number;
  readonly enabled?: boolean;
}

/** The answer to GET `path`, kept and shared between components. */
export function useRead<Answer>(path: string, options: ReadOptions = {}): UseQueryResult<Answer> {
  return useQuery({
    queryKey: keyOf(path),
    queryFn: () => call<Answer>({ method: 'GET', path }),
    enabled: options.enabled ?? true,
    refetchInterval: options.everyMs ?? false,
    placeholderData: keepPreviousData,
  });
}

/** Changes something; afterwards every list of the named resources is asked again. */
export function useChange<Answer = unknown>(
  ...resources: readonly string[]
): UseMutationResult<Answer, Error, Call> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (wanted: Call) => call<Answer>(wanted),
    onSuccess: async () => {
      await Promise.all(
        resources.map((resource) => client.invalidateQueries({ queryKey: [resource] })),
      );
    },
  });
}

export interface Pages<Answer> {
  readonly data: Answer | undefined;
  readonly error: Error | null;
  readonly refetch: () => unknown;
  /** Counted from 1. */
  readonly number: number;
  readonly older: (() => void) | undefined;
  readonly newer: (() => void) | undefined;
}

/**
 * A long list, page by page: only one page is in memory and in the document, however long the list is.
 * @param cursorName the parameter that takes the place where a page begins
 */
export function usePages<Item, Answer extends Page<Item> = Page<Item>>(
  path: string,
  filter: Record<string, string | number | undefined>,
  cursorName: 'after' | 'before',
): Pages<Answer> {
  const filtered = JSON.stringify([path, filter]);
  const [position, setPosition] = useState({ filtered, cursors: [] as (string | number)[] });
  // Another filter is another list: it begins at its first page.
  const cursors = position.filtered === filtered ? position.cursors : [];
  const asked = useRead<Answer>(`${path}${queryOf({ ...filter, [cursorName]: cursors.at(-1) })}`);
  const goTo = (next: (string | number)[]) => setPosition({ filtered, cursors: next });
  const next = asked.data?.next ?? null;
  return {
    data: asked.data,
    error: asked.error,
    refetch: asked.refetch,
    number: cursors.length + 1,
    older: next === null ? undefined : () => goTo([...cursors, next]),
    newer: cursors.length === 0 ? undefined : () => goTo(cursors.slice(0, -1)),
  };
}
