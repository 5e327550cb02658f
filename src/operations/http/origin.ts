import type { IncomingHttpHeaders } from 'node:http';

const SAFE_METHODS = new Set(['GET', 'HEAD']);

/**
 * Whether a request with a session cookie comes from our own pages. The cookie is SameSite=Strict already; this also
 * refuses other ports and subdomains, which are the same site, and browsers that know no SameSite.
 *
 * Reading needs no proof of origin. A change does: the browser must say that the request comes from this page.
 * Only the host is compared: where TLS ends at a proxy, this server does not see the browser's scheme.
 */
export function isFromHere(method: string, headers: IncomingHttpHeaders): boolean {
  const { origin, host } = headers;
  const site = headers['sec-fetch-site'];
  if (origin !== undefined && hostOf(origin) !== host?.toLowerCase()) return false;
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  return SAFE_METHODS.has(method) || origin !== undefined || site === 'same-origin';
}

/** As `isFromHere` where no cookie is needed yet: programs that send neither header may sign in. */
export function isNotFromElsewhere(headers: IncomingHttpHeaders): boolean {
  return isFromHere('GET', headers);
}

/** The origin that a browser names, when it is this server's. */
export function ownOrigin({ origin, host }: IncomingHttpHeaders): string | undefined {
  return origin !== undefined && hostOf(origin) === host?.toLowerCase() ? origin : undefined;
}

/** Undefined for `null`, which a sandboxed page sends, and for whatever is no URL. */
function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
