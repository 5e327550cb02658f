import { isIPv6 } from 'node:net';

/** What a request says of the host that it is for. */
export interface HostFacts {
  readonly httpVersion: string;
  /** Names and values by turns, as they were sent. */
  readonly rawHeaders: readonly string[];
  /** `host` is the one that counts: that of a target in absolute form comes before the header. */
  readonly headers: { readonly host?: string | undefined };
}

/** A name or an address of version 4, of the characters that a URI has in that place; then a port. */
const NAME = /^(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*(?::(\d*))?$/i;
const IN_BRACKETS = /^\[([^\]]*)\](?::(\d*))?$/;
const PORT_MAX = 65_535;

/**
 * True for a value that a Host header may have (RFC 9112, section 3.2). Nothing at all is allowed: the server to which the connection leads is
 * meant then. So is the zone of an address of version 6, which some clients leave in.
 */
export function isHost(value: string): boolean {
  const [, address, portOfAddress] = IN_BRACKETS.exec(value) ?? [];
  if (address !== undefined) return isIPv6(address) && isPort(portOfAddress);
  const found = NAME.exec(value);
  return found !== null && isPort(found[1]);
}

function isPort(digits = ''): boolean {
  return Number(digits) <= PORT_MAX;
}

/**
 * What is wrong with the host of a request: HTTP/1.1 without a Host header, or any with several, could mean two servers, and one that is
 * no host means none (RFC 9112, section 3.2). HTTP/1.0 needs none.
 */
export function hostFault({
  httpVersion,
  rawHeaders,
  headers,
}: HostFacts): 'host_missing' | 'host_invalid' | undefined {
  let hosts = 0;
  let sent = '';
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length !== 4 || name.toLowerCase() !== 'host') continue;
    hosts += 1;
    sent = rawHeaders[at + 1] ?? '';
  }
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) return 'host_missing';
  const { host = '' } = headers;
  return isHost(sent) && (host === sent || isHost(host)) ? undefined : 'host_invalid';
}
