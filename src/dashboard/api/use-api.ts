import {
  keepPreviousData,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { type Call, call } from './http.ts';
import { keyOf } from './query-client.ts';

export interface ReadOptions {
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
