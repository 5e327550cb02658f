import type { IncomingMessage } from 'node:http';

const SLASH = '/'.charCodeAt(0);

/** The authority of a target in absolute form. */
const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)/i;

/**
 * Turns a target in absolute form (`POST http://host/scan/validate`) into the usual one. Its host counts then, whatever the
 * Host header says (RFC 9112, section 3.2.2).
 */
export function takeOriginForm(request: IncomingMessage): void {
  const { url = '' } = request;
  if (url.charCodeAt(0) === SLASH) return;
  const [start, authority] = ABSOLUTE_FORM.exec(url) ?? [];
  if (start === undefined || authority === undefined) return;
  const rest = url.slice(start.length);
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
  request.headers.host = authority;
}

/** False for a request in HTTP/1.1 without a Host header, or with two: they could mean two servers (RFC 9112, section 3.2). */
export function namesOneHost({ headers, httpVersion, rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts < 2 && (headers.host !== undefined || httpVersion !== '1.1');
}
