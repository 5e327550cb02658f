import { existsSync } from 'node:fs';
import { TicketscanError } from '../core/errors.ts';
import { describeStoreUrl, openStore, parseStoreUrl } from '../stores/open-store.ts';
import type { Store } from '../stores/store.ts';

/** True when there is data at a store's URL; a store in memory begins without. */
export function storeExists(url: string): boolean {
  const address = parseStoreUrl(url);
  if (address.engine === 'memory') return false;
  return !('path' in address) || existsSync(address.path);
}

/**
 * Refuses a URL where there is no store yet: what only looks at one must not make one.
 * @throws TicketscanError `store_unavailable`, `usage` for a store in memory and for a URL that names no store
 */
export function requireExistingStore(url: string): void {
  if (storeExists(url)) return;
  if (parseStoreUrl(url).engine === 'memory') {
    throw new TicketscanError(
      'usage',
      'A store in memory lasts as long as one command: there is nothing in it. Name another store.',
    );
  }
  throw new TicketscanError(
    'store_unavailable',
    `There is no store at ${describeStoreUrl(url)}. Name another one, or make one: ticketscan seed`,
  );
}

/** Opens a store that is there. @throws TicketscanError as `requireExistingStore` and `openStore` do */
export async function openExistingStore(url: string): Promise<Store> {
  requireExistingStore(url);
  return openStore(url);
}
