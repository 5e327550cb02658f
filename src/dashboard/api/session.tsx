import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, use } from 'react';
import { reaches } from '../../core/administrative-records.ts';
import { setPageZone } from '../i18n/formats.ts';
import { ApiFailure, call } from './http.ts';
import type { Role, Session } from './types.ts';
import { SESSION_KEY } from './use-api.ts';

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

/** The current session; null when nobody is signed in. */
export function useCurrentSession() {
  return useQuery<Session | null>({
    queryKey: SESSION_KEY,
    queryFn: () =>
      call('GET /sessions/current', {}).catch((error: unknown) => {
        if (error instanceof ApiFailure && error.status === 401) return null;
        throw error;
      }),
  });
}

/** Signs out; what was kept of the organisation's data is forgotten even when the server does not answer. */
export function useSignOut(): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    await call('DELETE /sessions/current', {}).catch(() => undefined);
    client.clear();
    client.setQueryData(SESSION_KEY, null);
  };
}

/** Whether the signed-in account may do what `role` may; the server decides, the page only leaves out the buttons. */
export function useMay(role: Role): boolean {
  return reaches(useSession().account.role, role);
}
