import { readFileSync } from 'node:fs';
import { messageOf, TicketscanError } from '../../core/errors.ts';
import { Upstream } from '../proxy/upstream.ts';

/** How a server is trusted, as the command line says it. */
export interface TrustOptions {
  readonly tlsCa?: string;
  readonly insecure?: boolean;
}

/** @throws TicketscanError `usage` when the address is none or the certificate cannot be read */
export function upstreamOf(url: string, { tlsCa, insecure }: TrustOptions): Upstream {
  return new Upstream(url, { ca: tlsCa === undefined ? undefined : readFile(tlsCa), insecure });
}

/** @throws TicketscanError `usage` when the file cannot be read */
export function readFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new TicketscanError('usage', `${path} cannot be read: ${messageOf(error)}.`);
  }
}
