import { existsSync } from 'node:fs';
import { TicketscanError } from '../../core/errors.ts';
import { parseStoreUrl } from '../../stores/open-store.ts';

/**
 * Refuses a URL where there is no store yet: what only reads one must not make one.
 * @throws TicketscanError `not_found`, `usage` for a URL that names no store
 */
export function requireExistingStore(url: string): void {
  const address = parseStoreUrl(url);
  if (address.engine === 'memory') {
    throw new TicketscanError(
      'usage',
      'A store in memory lasts as long as one command: there is nothing in it. Name another store.',
    );
  }
  if ('path' in address && !existsSync(address.path)) {
    throw new TicketscanError('not_found', `There is no store ${address.path}.`);
  }
}

/** The same for two URLs of the same store; without user and password, but with options, which may name a schema. */
export function identityOfStore(url: string): string {
  const address = parseStoreUrl(url);
  return 'path' in address ? `${address.engine}:${address.path}` : url.replace(/:\/\/.*@/su, '://');
}
