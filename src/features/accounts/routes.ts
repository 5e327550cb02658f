import * as z from 'zod';
import { refuse } from '../../core/errors.ts';
import { PASSWORD_CHARACTERS_MAX } from '../../core/limits.ts';
import { MINUTE_MS } from '../../kit/durations.ts';
import { Done, ErrorBody } from '../../operations/fields.ts';
import type { AdminApp } from '../../operations/http/route.ts';
import type { AdminContext } from '../context.ts';
import { Redeemed, Redemption, RedemptionState } from '../phones/operations.ts';
import { SESSION_MS } from './access.ts';
import {
  clearPairingCookie,
  clearSessionCookie,
  deviceProofOf,
  pairingTokenOf,
  sessionTokenOf,
  setDeviceCookie,
  setPairingCookie,
  setSessionCookie,
} from './cookies.ts';
import { Session, shownSession } from './operations.ts';

const SignIn = z.strictObject({
  name: z.string().min(1).max(200),
  password: z.string().min(1).max(PASSWORD_CHARACTERS_MAX),
});

/** A browser keeps the token of its pairing for so long: the screen of a phone may go dark while the desk answers. */
const PAIRED_WITHIN_MS = 10 * MINUTE_MS;

/** The routes that set cookies, or that serve a phone without an account: signing in and out, and the phone's side of a pairing. */
export function signInRoutes(app: AdminApp, context: AdminContext): void {
  signInRoute(app, context);
  signOutRoute(app, context);
  redemptionRoutes(app, context);
}

function signInRoute(app: AdminApp, { access, store, addressOf }: AdminContext): void {
  app.post(
    '/sessions',
    {
      config: { access: 'anyone' },
      schema: {
        tags: ['Sign-in'],
        operationId: 'signIn',
        summary: 'Sign in',
        description:
          'Sets the session cookie, with a new token every time. Over plain HTTP on a loopback address it has a name without `__Host-`, because some browsers keep no Secure cookie there. An unknown name and a wrong password get the same answer after the same time. After wrong passwords, further attempts must wait and get 429; 503 means that too many others are signing in at this time. A second cookie lets this browser sign in to the account later while others guess its password.',
        body: SignIn,
        response: { 201: Session, 401: ErrorBody, 429: ErrorBody, 503: ErrorBody },
      },
    },
    async (request, reply) => {
      const { name, password } = request.body;
      // The name is not logged: people type their password there.
      request.refusedFor = { name: `${name.length} characters` };
      const result = await access.signIn(name, password, {
        address: addressOf(request),
        replaced: sessionTokenOf(request),
        deviceProofOf: (accountId) => deviceProofOf(request, accountId),
      });
      if (result.kind === 'refused') {
        if (result.accountId !== null) request.refusedFor = { account: result.accountId };
        const { message, reason } = refuse('sign_in_refused');
        return reply.code(401).send({ message, code: reason });
      }
      const { principal, token, deviceProof } = result;
      setSessionCookie(reply, token);
      if (deviceProof) setDeviceCookie(reply, principal.account.id, deviceProof);
      return reply.code(201).send(await shownSession(principal, store));
    },
  );
}

function signOutRoute(app: AdminApp, { access }: AdminContext): void {
  app.delete(
    '/sessions/current',
    {
      config: { access: 'scanner' },
      schema: {
        tags: ['Sign-in'],
        operationId: 'signOut',
        summary: 'Sign out',
        response: { 200: Done },
      },
    },
    async (request, reply) => {
      const token = sessionTokenOf(request);
      if (token !== undefined) await access.endSession(token);
      clearSessionCookie(reply);
      return {};
    },
  );
}

function redemptionRoutes(app: AdminApp, context: AdminContext): void {
  redeemRoute(app, context);
  redemptionRoute(app, context);
  phoneSessionRoute(app, context);
}

const OF_THE_PHONE = { access: 'anyone', fromPage: true } as const;
const tags = ['Phones'];

function redeemRoute(app: AdminApp, { phones, addressOf }: AdminContext): void {
  app.post(
    '/redemptions',
    {
      config: OF_THE_PHONE,
      schema: {
        tags,
        operationId: 'redeemPairing',
        summary: 'Redeem the token of a pairing, as the phone',
        description:
          'Sets a cookie of its own for the pairing that waits. A session that works in this browser stays. A token that is unknown, has expired or was used gets 404; many attempts get 429.',
        body: Redemption,
        response: { 201: Redeemed, 404: ErrorBody, 429: ErrorBody },
      },
    },
    async (request, reply) => {
      const { token, name } = request.body;
      const redeemed = await phones.redeem(token, name, addressOf(request));
      const { code, sessionToken, expiresAt } = redeemed;
      setPairingCookie(reply, sessionToken, PAIRED_WITHIN_MS);
      return reply.code(201).send({ code, expiresAt });
    },
  );
}

type State = z.output<typeof RedemptionState>['state'];

function redemptionRoute(app: AdminApp, { access, phones }: AdminContext): void {
  const stateOf = async (token: string | undefined): Promise<State> => {
    if (token === undefined) return 'ended';
    if (await phones.isWaiting(token)) return 'waiting';
    return (await access.bySession(token))?.phone ? 'paired' : 'ended';
  };
  app.get(
    '/redemptions/current',
    {
      config: OF_THE_PHONE,
      schema: {
        tags,
        operationId: 'getRedemption',
        summary: 'The state of the pairing, as the phone',
        description:
          'Asked by the phone until it is paired: `waiting` for the confirmation at the desk, `paired`, or `ended`. `signedIn` says whether this browser has a session that works whatever becomes of the pairing.',
        response: { 200: RedemptionState },
      },
    },
    async (request) => {
      const own = sessionTokenOf(request);
      const signedIn = own !== undefined && (await access.bySession(own)) !== undefined;
      return { state: await stateOf(pairingTokenOf(request)), signedIn };
    },
  );
}

function phoneSessionRoute(app: AdminApp, { access }: AdminContext): void {
  app.post(
    '/redemptions/current',
    {
      config: OF_THE_PHONE,
      schema: {
        tags,
        operationId: 'beginPhoneSession',
        summary: 'Begin the session that the dashboard has confirmed, as the phone',
        description:
          'Sets the session cookie and ends the session that this browser had before. A pairing that was not confirmed gets 404, and changes nothing.',
        response: { 200: Done, 404: ErrorBody },
      },
    },
    async (request, reply) => {
      const token = pairingTokenOf(request);
      const principal = token === undefined ? undefined : await access.bySession(token);
      if (token === undefined || !principal?.phone) throw refuse('pairing_unconfirmed');
      const replaced = sessionTokenOf(request);
      // An answer that was lost is asked for again.
      if (replaced !== undefined && replaced !== token) await access.endSession(replaced);
      setSessionCookie(reply, token, SESSION_MS);
      clearPairingCookie(reply);
      return {};
    },
  );
}
