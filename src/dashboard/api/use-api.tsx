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
import { createContext, type ReactNode, use, useEffect, useState } from 'react';
import { reaches, UNNAMED_ORGANISATION } from '../../core/administrative-records.ts';
import { setPageZone } from '../i18n/formats.ts';
import {
  type AnswerOf,
  ApiFailure,
  call,
  type Input,
  type InputOf,
  type Role,
  type Route,
  type Session,
} from './http.ts';
import {
  askForSession,
  endSession,
  followOtherTabs,
  leavePage,
  SESSION_KEY,
  tellSessionBegun,
  tellSessionEnded,
} from './session.ts';

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
      // Without a line a change fails at once. Kept for later, it would come as a surprise.
      mutations: { networkMode: 'always', onError: (error) => endSessionOn(error, client) },
    },
  });
  return client;
}

/** Worth another attempt: no answer, or a fault of the server. */
function isPassing(error: Error): boolean {
  return !(error instanceof ApiFailure) || error.status === 0 || error.status >= 500;
}

function isSessionOver(error: Error): boolean {
  return error instanceof ApiFailure && error.status === 401;
}

function endSessionOn(error: Error, client: QueryClient): void {
  if (!isSessionOver(error)) return;
  endSession(client);
  tellSessionEnded('expired');
}

/** Answers are filed below the first segment of their path, so that a change can make all of a kind stale. */
function keyOf(route: Route, input: Input = {}): readonly [resource: string, Route, Input] {
  return [resourceOf(route), route, input];
}

function resourceOf(route: Route): string {
  return route.split('/')[1] ?? '';
}

interface ReadOptions<Answer> {
  /** Asks again after this time, in milliseconds; where the last answer says whether, undefined is never. */
  readonly everyMs?: number | ((answer: Answer) => number | undefined);
  readonly enabled?: boolean;
}

/** What the admin API answers, kept and shared between components. */
export function useRead<R extends Route>(
  route: R,
  input: InputOf<R> = {} as InputOf<R>,
  { everyMs, enabled = true }: ReadOptions<AnswerOf<R>> = {},
): UseQueryResult<AnswerOf<R>> {
  const afterMs = (answer: AnswerOf<R> | undefined) =>
    typeof everyMs !== 'function' ? everyMs : answer === undefined ? undefined : everyMs(answer);
  return useQuery({
    queryKey: keyOf(route, input),
    queryFn: () => call(route, input),
    enabled,
    refetchInterval: ({ state }) => afterMs(state.data) ?? false,
    placeholderData: keepPreviousData,
  });
}

/** Changes something; afterwards all of its kind is asked again. @param alsoStale other kinds, by the first segment of their paths */
export function useChange<R extends Route>(
  route: R,
  ...alsoStale: readonly string[]
): UseMutationResult<AnswerOf<R>, Error, InputOf<R>> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: InputOf<R>) => call(route, input),
    onSuccess: async () => {
      const stale = [resourceOf(route), ...alsoStale];
      await Promise.all(stale.map((kind) => client.invalidateQueries({ queryKey: [kind] })));
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

const PER_PAGE = 50;

type PagedRoute = 'GET /log' | 'GET /audit-log';

/**
 * A long list, page by page: only one page is in memory and in the document, however long the list is.
 * @param cursorName the parameter that takes the place where a page begins
 */
export function usePages<R extends PagedRoute>(
  route: R,
  filter: InputOf<R>,
  cursorName: 'after' | 'before',
): Pages<AnswerOf<R>> {
  const filtered = JSON.stringify([route, filter]);
  const [position, setPosition] = useState({ filtered, cursors: [] as (string | number)[] });
  // Another filter is another list: it begins at its first page.
  const cursors = position.filtered === filtered ? position.cursors : [];
  const input = { ...filter, limit: PER_PAGE, [cursorName]: cursors.at(-1) };
  const asked = useRead(route, input as InputOf<R>);
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

const SessionContext = createContext<Session | undefined>(undefined);

/** Gives everything below it the session. */
export function SessionProvider({ session, children }: { session: Session; children: ReactNode }) {
  setPageZone(session.organisation.timeZone);
  return <SessionContext value={session}>{children}</SessionContext>;
}

/** The session of the user of the page. */
export function useSession(): Session {
  const session = use(SessionContext);
  if (!session) throw new Error('useSession is for pages behind the sign-in');
  return session;
}

/** The name of the organisation; undefined until somebody gave it one. */
export function useVenueName(): string | undefined {
  const { name } = useSession().organisation;
  return name === UNNAMED_ORGANISATION ? undefined : name;
}

/** The current session; null when nobody is signed in. It ends here when it ends in another tab, and the other way round. */
export function useCurrentSession(): UseQueryResult<Session | null> {
  const client = useQueryClient();
  useEffect(() => followOtherTabs(client), [client]);
  const asked = useQuery({
    queryKey: SESSION_KEY,
    queryFn: () => askForSession(client),
    // Without a line it fails, and the page says so; another mode would wait without a word.
    networkMode: 'always',
  });
  const account = asked.data?.account.id;
  useEffect(() => {
    if (account !== undefined) tellSessionBegun(account);
  }, [account]);
  return asked;
}

interface SignOut {
  readonly signOut: () => void;
  readonly isPending: boolean;
  /** Why the session goes on; null while nothing is known to be wrong. */
  readonly error: Error | null;
}

/** Signs out, in every tab of the browser. Without an answer nobody is signed out: only the server ends a session. */
export function useSignOut(): SignOut {
  const client = useQueryClient();
  const end = () => {
    endSession(client);
    leavePage();
    tellSessionEnded('signed_out');
  };
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call('DELETE /sessions/current', {}, AbortSignal.timeout(SIGN_OUT_MS_MAX)),
    onSuccess: end,
    onError: (failure) => isSessionOver(failure) && end(),
  });
  return { signOut: () => mutate(), isPending, error };
}

/** The longest wait for an answer, before the page says that nobody is signed out. */
const SIGN_OUT_MS_MAX = 10_000;

/** Whether the signed-in account may do what `role` may; the server decides, the page only leaves out the buttons. */
export function useMay(role: Role): boolean {
  return reaches(useSession().account.role, role);
}
