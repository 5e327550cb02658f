import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Role, reaches } from '../../core/administrative-records.ts';
import { refuse, type TicketscanError } from '../../core/errors.ts';
import { describeSecret, type RefusalFields } from '../../scan/refusal-counter.ts';
import type { Access, Principal } from './access.ts';
import { sessionTokenOf } from './cookies.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The lowest role that may call the route; `anyone` needs no account. A route without it cannot be registered. */
    access?: Role | 'anyone';
    /** Access tokens may not call the route: with a stolen one, nobody may get access that lasts longer than the token. */
    sessionOnly?: true;
    /** True for a route for anyone whose requests must come from our page, as a request with a session must. */
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
    // The route does not exist, so there is nothing to guard.
    if (request.is404) return;
    const refusal = await admit(access, request);
    if (!refusal) return;
    const [status, { message, reason }] = refusal;
    return reply.code(status).send({ message, code: reason });
  });
}

/** Whether the caller is still signed in, with the same role: for answers that take long. */
export async function stillAdmitted(access: Access, request: FastifyRequest): Promise<boolean> {
  const { role } = principalOfRequest(request);
  const refusal = await admit(access, request);
  return refusal === undefined && principalOfRequest(request).role === role;
}

type Refusal = readonly [status: 401 | 403, error: TicketscanError];

const fromElsewhere = (): Refusal => [
  403,
  refuse('other_site', {}, { detail: 'Its Origin is not this server.' }),
];

/** An account that may do more helps nobody whose token may not. */
const TOKENS_KEEP_ROLES =
  'An access token never has more than the role that it was created with: if the account may do this, create another token.';

/** Stores the caller in the request. @returns undefined when the call is allowed */
async function admit(access: Access, request: FastifyRequest): Promise<Refusal | undefined> {
  const { access: needed, sessionOnly } = request.routeOptions.config;
  if (needed === 'anyone') return isOfOurPage(request) ? undefined : fromElsewhere();
  const credentials = credentialsOf(request);
  if (credentials.kind === 'foreign') return fromElsewhere();
  const principal = await principalOf(access, credentials);
  if (!principal) {
    request.refusedFor = describeCredentials(credentials);
    return [401, refuse('sign_in_first')];
  }
  request.refusedFor = { account: principal.account.id };
  if (!needed || !reaches(principal.role, needed)) {
    const lacks = `This needs the role ${needed}; you are ${principal.role}.`;
    const ofToken = principal.sessionId === null ? ` ${TOKENS_KEEP_ROLES}` : '';
    return [403, refuse('role_missing', {}, { detail: lacks + ofToken })];
  }
  request.principal = principal;
  if (!sessionOnly || principal.sessionId !== null) return undefined;
  return [403, refuse('session_needed', {}, { detail: 'Or use the command line on the store.' })];
}

/** True when a request that needs no account comes from our page or, where the route lets programs in, from no other page. */
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

const SAFE_METHODS = new Set(['GET', 'HEAD']);

/**
 * Whether a request with a session cookie comes from our own pages. The cookie is SameSite=Strict already; this also
 * refuses other ports and subdomains, which are the same site, and browsers that know no SameSite.
 *
 * Reading needs no proof of origin. A change does: the browser must say that the request comes from this page.
 * It compares the host alone: where TLS ends at a proxy, this server does not see the browser's scheme.
 */
function isFromHere(method: string, headers: IncomingHttpHeaders): boolean {
  const { origin, host } = headers;
  const site = headers['sec-fetch-site'];
  if (origin !== undefined && hostOf(origin) !== host?.toLowerCase()) return false;
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  return SAFE_METHODS.has(method) || origin !== undefined || site === 'same-origin';
}

/** True unless another page sent it. No cookie is needed yet: programs that send neither header may sign in. */
function isNotFromElsewhere(headers: IncomingHttpHeaders): boolean {
  return isFromHere('GET', headers);
}

/** The origin that a browser names, when it is this server's. */
export function ownOrigin({ origin, host }: IncomingHttpHeaders): string | undefined {
  return origin !== undefined && hostOf(origin) === host?.toLowerCase() ? origin : undefined;
}

/** The host of an origin; undefined for `null`, which a sandboxed page sends, and for a text that is not a URL. */
function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
