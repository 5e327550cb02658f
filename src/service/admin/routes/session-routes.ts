import type { Access } from '../../../features/accounts/access.ts';
import { Done, ErrorBody } from '../../../operations/fields.ts';
import type { AdminApp, AdminContext } from '../admin-app.ts';
import { principalOfRequest } from '../security/guard.ts';
import {
  clearSessionCookie,
  deviceProofOf,
  sessionTokenOf,
  setDeviceCookie,
  setSessionCookie,
} from '../security/session-cookie.ts';
import { sessionView } from '../views/account-view.ts';
import { PasswordChange, Session, SignIn } from '../wire/sign-in.ts';

/** Signing in and out, and one's own password. */
export function sessionRoutes(app: AdminApp, context: AdminContext, access: Access): void {
  signInRoute(app, context, access);
  currentRoutes(app, access);
}

function signInRoute(app: AdminApp, context: AdminContext, access: Access): void {
  app.post(
    '/sessions',
    {
      config: { access: 'anyone' },
      schema: {
        tags: ['Sign-in'],
        operationId: 'signIn',
        summary: 'Sign in',
        description:
          'Sets the session cookie, with a new token every time. An unknown name and a wrong password get the same answer after the same time. After wrong passwords, further attempts must wait and get 429; 503 means that too many others are signing in at this time. A second cookie lets this browser sign in to the account later while others guess its password.',
        body: SignIn,
        response: { 201: Session, 401: ErrorBody, 429: ErrorBody, 503: ErrorBody },
      },
    },
    async (request, reply) => {
      const { name, password } = request.body;
      // Not the name: people type their password there.
      request.refusedFor = { name: `${name.length} characters` };
      const result = await access.signIn(name, password, {
        address: context.addressOf(request),
        replaced: sessionTokenOf(request),
        deviceProofOf: (accountId) => deviceProofOf(request, accountId),
      });
      if (result.kind === 'refused') {
        if (result.accountId !== null) request.refusedFor = { account: result.accountId };
        return reply
          .code(401)
          .send({ message: 'Name or password is wrong.', code: 'sign_in_refused' });
      }
      const { principal, token, deviceProof } = result;
      setSessionCookie(reply, token);
      if (deviceProof) setDeviceCookie(reply, principal.account.id, deviceProof);
      return reply.code(201).send(sessionView(principal));
    },
  );
}

function currentRoutes(app: AdminApp, access: Access): void {
  app.get(
    '/sessions/current',
    {
      config: { access: 'scanner' },
      schema: {
        tags: ['Sign-in'],
        operationId: 'getSession',
        summary: 'The signed-in account',
        response: { 200: Session },
      },
    },
    async (request) => sessionView(principalOfRequest(request)),
  );

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

  app.post(
    '/password',
    {
      config: { access: 'viewer', sessionOnly: true },
      schema: {
        tags: ['Sign-in'],
        operationId: 'changePassword',
        summary: 'Change your own password',
        description:
          'Ends every other session of the account, and its access tokens. A wrong current password gets 403; many get 429.',
        body: PasswordChange,
        response: { 200: Done, 403: ErrorBody, 429: ErrorBody },
      },
    },
    async (request) => {
      const { current, next } = request.body;
      await access.changePassword(principalOfRequest(request), current, next);
      return {};
    },
  );
}
