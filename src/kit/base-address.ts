/** The end of an address that is one of the endpoints. A service may well be below a path /scan of its own. */
const ENDPOINT =
  /\/(?:scan(?:\/hw)?\/(?:validate|consume|heartbeat)|admin\/v1(?:\/.*)?|devices\/tscn_hw_.*)$/i;
/** Where ticketscan serves something else. A service of others may be below such a path. */
const OWN_PLACE =
  /\/(?:scan(?:\/hw(?:\/.*)?)?|admin|docs(?:\/.*)?|openapi\.json|healthz|readyz|metrics|devices\/.*)$/i;

/** An address that leads into a service, taken apart. */
interface Pasted {
  /** The address of the service itself. */
  readonly base: string;
  /** What stands behind it, without the values of a query: one may be a key. */
  readonly end: string;
}

/**
 * What to say of the address of an endpoint, or of a page, in the place of a base address: requests to it would go to an endpoint below an
 * endpoint.
 * @returns undefined for another address
 */
export function pastedEndpoint(url: URL): string | undefined {
  const { base, end } = behindBase(url, [ENDPOINT]) ?? {};
  return base === undefined ? undefined : `Leave ${end} out of the address: give ${base}.`;
}

/** The same for the address of a ticketscan server, as the end of "must be …". */
export function pastedPlace(url: URL): string | undefined {
  const { base, end } = behindBase(url, [ENDPOINT, OWN_PLACE]) ?? {};
  return base === undefined
    ? undefined
    : `the address of the server alone, ${base}, without ${end}`;
}

function behindBase({ origin, pathname, search, hash }: URL, ends: RegExp[]): Pasted | undefined {
  const path = withoutEndSlashes(pathname);
  const [found = ''] = ends.map((end) => end.exec(path)?.[0]).filter(Boolean);
  const page = hash.startsWith('#/') ? hash.replace(/[?].*/s, '') : '';
  if (found === '' && page === '') return undefined;
  const shown = found.replace(/^(\/devices\/)[^/]*/i, '$1…');
  const before = withoutEndSlashes(path.slice(0, path.length - found.length));
  return { base: `${origin}${before}`, end: `${shown}${search === '' ? '' : '?…'}${page}` };
}

/** An address that paths can be appended to. */
export function withoutEndSlashes(url: string): string {
  return url.replace(/(?<!\/)\/+$/, '');
}
