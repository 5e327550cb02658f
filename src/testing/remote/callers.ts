import type { IncomingMessage } from 'node:http';

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/i;

/** True for a request that names the server by a loopback name, as programs on this machine do. */
export function isFromThisMachine({ headers: { host = '' } }: IncomingMessage): boolean {
  return LOOPBACK.test(host.replace(/:\d+$/, ''));
}

/**
 * True for a request of a program, or of a page of the server itself. A web page of somebody else can make a browser send
 * requests to the server; the browser then says where the page is from.
 */
export function isFromOwnPageOrProgram({ headers, socket }: IncomingMessage): boolean {
  const { host = '', origin } = headers;
  const scheme = 'encrypted' in socket && socket.encrypted ? 'https' : 'http';
  if (origin !== undefined && origin !== `${scheme}://${host}`) return false;
  return headers['sec-fetch-site'] !== 'cross-site';
}
