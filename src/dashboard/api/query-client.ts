import { QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiFailure } from './http.ts';

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
