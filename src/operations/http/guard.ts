import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Role, reaches } from '../../core/administrative-records.ts';
import type { ErrorReason } from '../../core/error-reasons.ts';
import type { Access, Principal } from '../../features/accounts/access.ts';
import { describeSecret, type RefusalFields } from '../../scan/refusals.ts';
import { isFromHere, isNotFromElsewhere } from './origin.ts';
import { sessionTokenOf } from './session-cookie.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The lowest role that may call the route; `anyone` needs no account. A route without it cannot be registered. */
    access?: Role | 'anyone';
    /** Access tokens may not call the route: with a stolen one, nobody may get access that lasts longer than the token. */
    sessionOnly?: true;
    /** For a route for anyone: the request must come from our page, as a request with a session must. */
    fromPage?: true;
  }
  interface FastifyRequest {
    /** The caller; null on routes for anyone. */
    principal: Principal | null;
    /** What the log says of a refusal besides status, route and address; never a secret. */
    refusedFor: RefusalFields | null;
  }
}

/** Rejects callers without the route's role. A route that declares no `access` cannot be registered. */
export function guard(app: FastifyInstance, access: Access): void {
  app.decorateRequest('principal', null);
  app.decorateRequest('refusedFor', null);
  app.addHook('onRoute', ({ config, url, method }) => {
    if (!config?.access) throw new Error(`route ${String(method)} ${url} declares no access`);
  });
  app.addHook('onRequest', async (request, reply) => {
    // No such route: there is nothing to guard.
    if (request.is404) return;
    const refusal = await admit(access, request);
    if (refusal)
      return reply.code(refusal.status).send({ message: refusal.message, code: refusal.reason });
  });
}

/** Whether the caller is still signed in, with the same role: for answers that take long. */
export async function stillAdmitted(access: Access, request: FastifyRequest): Promise<boolean> {
  const { role } = principalOfRequest(request);
  const refusal = await admit(access, request);
  return refusal === undefined && principalOfRequest(request).role === role;
}

interface Refusal {
  readonly status: 401 | 403;
  readonly message: string;
  readonly reason: ErrorReason;
}

const FROM_ELSEWHERE: Refusal = {
  status: 403,
  message: 'The request comes from another site: its Origin is not this server.',
  reason: 'other_site',
};

const NEEDS_SESSION: Refusal = {
  status: 403,
  message:
    'An access token cannot do this: scans, passwords, accounts, roles and new tokens need a session. ' +
    'Sign in to the dashboard, or use the command line on the store.',
  reason: 'session_needed',
};

/** Stores the caller in the request. @returns undefined when the call is allowed */
async function admit(access: Access, request: FastifyRequest): Promise<Refusal | undefined> {
  const { access: needed, sessionOnly } = request.routeOptions.config;
  if (needed === 'anyone') return isOfOurPage(request) ? undefined : FROM_ELSEWHERE;
  const credentials = credentialsOf(request);
  if (credentials.kind === 'foreign') return FROM_ELSEWHERE;
  const principal = await principalOf(access, credentials);
  if (!principal) {
    request.refusedFor = describeCredentials(credentials);
    return { status: 401, message: 'Sign in first.', reason: 'sign_in_first' };
  }
  request.refusedFor = { account: principal.account.id };
  if (!needed || !reaches(principal.role, needed)) {
    const message = `This needs the role ${needed}; you are ${principal.role}.`;
    return { status: 403, message, reason: 'role_missing' };
  }
  request.principal = principal;
  return sessionOnly && principal.sessionId === null ? NEEDS_SESSION : undefined;
}

/** For routes that need no account. */
function isOfOurPage({ method, headers, routeOptions }: FastifyRequest): boolean {
  return routeOptions.config.fromPage ? isFromHere(method, headers) : isNotFromElsewhere(headers);
}

/** The caller of a route that is not for anyone. */
export function principalOfRequest(request: FastifyRequest): Principal {
  if (!request.principal) throw new Error(`${request.url} was reached without an account`);
  return request.principal;
}

type Credentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'access_token'; readonly value: string }
  | { readonly kind: 'session'; readonly token: string }
  /** A session's cookie on a request from another site. */
  | { readonly kind: 'foreign' };

/** An `Authorization` header counts even when it is invalid: a script must not fall back on a browser's session. */
function credentialsOf(request: FastifyRequest): Credentials {
  const header = request.headers.authorization;
  if (header !== undefined) {
    return { kind: 'access_token', value: /^Bearer (\S+)$/i.exec(header)?.[1] ?? '' };
  }
  const token = sessionTokenOf(request);
  if (token === undefined) return { kind: 'none' };
  return isFromHere(request.method, request.headers)
    ? { kind: 'session', token }
    : { kind: 'foreign' };
}

function describeCredentials(credentials: Credentials): RefusalFields {
  if (credentials.kind !== 'access_token') return { credentials: credentials.kind };
  return { credentials: 'access_token', token: describeSecret(credentials.value) };
}

async function principalOf(
  access: Access,
  credentials: Credentials,
): Promise<Principal | undefined> {
  if (credentials.kind === 'access_token') return access.byAccessToken(credentials.value);
  return credentials.kind === 'session' ? access.bySession(credentials.token) : undefined;
}
