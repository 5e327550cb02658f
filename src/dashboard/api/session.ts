/**
 * The end of a session, and the change to another account, in every tab of the browser: what was kept of an account leaves the
 * memory and the screen of each. Another tab is told by a channel; what it believes afterwards, it asks the server.
 */
import type { QueryClient } from '@tanstack/react-query';
import { forgetTab } from '../scanner/tab-settings.ts';
import { ApiFailure, BASE_PATH, call, type Session } from './http.ts';

/** Where the session of the user is kept; answers about it are filed below the first member. */
export const SESSION_KEY = ['sessions', 'GET /sessions/current', {}] as const;

/** Whether a person ended it; otherwise the server did, or its time was over. */
type End = 'signed_out' | 'expired';

type Told =
  | { readonly kind: 'ended'; readonly end: End }
  | { readonly kind: 'begun'; readonly account: string };

let channel: BroadcastChannel | undefined;

function tell(told: Told): void {
  channel?.postMessage(told);
}

/** Counts the ends: the answer to a question from before one says nothing any more. */
let ends = 0;

/** Tells the other tabs that the session has ended. */
export function tellSessionEnded(end: End): void {
  tell({ kind: 'ended', end });
}

/** Tells the other tabs who is signed in now. */
export function tellSessionBegun(account: string): void {
  tell({ kind: 'begun', account });
}

/** Whose page this tab shows, also when the session is over: who signs in again goes on there. */
let pageOf: string | undefined;

function goToStart(): void {
  history.replaceState(null, '', `${BASE_PATH}/`);
}

/**
 * Leaves the page of somebody who signed out: the next person begins at the start page. Its address names a ticket or what was searched
 * for, and so do those before it, to which *Back* leads.
 */
export function leavePage(): void {
  pageOf = undefined;
  goToStart();
  addEventListener('popstate', goToStart);
}

/** Called when it is known who is signed in, before the page is shown: that of another account is left. */
export function takePage(account: string): void {
  removeEventListener('popstate', goToStart);
  if (pageOf !== undefined && pageOf !== account) goToStart();
  pageOf = account;
}

/** Ends the session in this tab: the sign-in takes the place of everything. */
export function endSession(client: QueryClient): void {
  ends += 1;
  client.setQueryData<Session | null>(SESSION_KEY, null);
  forgetAccount(client);
}

/** Forgets what was kept of an account: its data, and what it chose in this tab. */
function forgetAccount(client: QueryClient): void {
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
  client.getMutationCache().clear();
  forgetTab();
}

/**
 * Asks who is signed in; null when nobody is. When it is somebody else than before, what was kept of them is forgotten first.
 * @throws ApiFailure
 */
export async function askForSession(client: QueryClient): Promise<Session | null> {
  const begunAt = ends;
  const session = await call('GET /sessions/current', {}).catch((error: unknown) => {
    if (error instanceof ApiFailure && error.status === 401) return null;
    throw error;
  });
  if (begunAt !== ends) return askForSession(client);
  const before = client.getQueryData<Session | null>(SESSION_KEY);
  if (session === null || (before && before.account.id !== session.account.id)) {
    forgetAccount(client);
    if (before && session === null) tellSessionEnded('expired');
  }
  if (session !== null) takePage(session.account.id);
  return session;
}

/** Does in this tab what other tabs tell. @returns what stops it */
export function followOtherTabs(client: QueryClient): () => void {
  const onMessage = ({ data }: MessageEvent<Told>) => {
    const current = client.getQueryData<Session | null>(SESSION_KEY);
    const isOther = data.kind === 'begun' && current?.account.id !== data.account;
    if (data.kind === 'begun' && !isOther) return;
    if (current) endSession(client);
    if (data.kind === 'ended' && data.end === 'signed_out') leavePage();
    if (current || isOther) void client.invalidateQueries({ queryKey: [SESSION_KEY[0]] });
  };
  const own = new BroadcastChannel('ticketscan.session');
  own.addEventListener('message', onMessage);
  channel = own;
  return () => own.close();
}
