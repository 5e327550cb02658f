/** The end of an address that is one of the endpoints. A service may well be below a path /scan of its own. */
const ENDPOINT = /\/scan(?:\/hw)?\/(?:validate|consume|heartbeat)\/*$/i;

/**
 * What to say of the address of an endpoint in the place of a base address: requests to it would go to an endpoint below an endpoint.
 * @returns undefined for another address
 */
export function pastedEndpoint({ origin, pathname }: URL): string | undefined {
  const [end] = ENDPOINT.exec(pathname) ?? [];
  if (end === undefined) return undefined;
  const base = `${origin}${pathname.slice(0, -end.length)}`;
  return `Leave ${end.replace(/(?<!\/)\/+$/, '')} out of the address: give ${base}.`;
}
