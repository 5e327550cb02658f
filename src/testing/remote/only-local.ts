import type { IncomingMessage } from 'node:http';

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/i;

/**
 * True for a request that a program on this machine sent, or a page of the server itself. A web page of somebody else
 * can make a browser send requests to loopback; it then says where it is from, or names the server by another name.
 */
export function isFromThisMachine({ headers, socket }: IncomingMessage): boolean {
  const { host = '', origin } = headers;
  const scheme = 'encrypted' in socket && socket.encrypted ? 'https' : 'http';
  if (!LOOPBACK.test(host.replace(/:\d+$/, ''))) return false;
  if (origin !== undefined && origin !== `${scheme}://${host}`) return false;
  return headers['sec-fetch-site'] !== 'cross-site';
}
