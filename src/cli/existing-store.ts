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

/** Opens a store that is there: looking must not make one. @throws TicketscanError `store_unavailable` and as `openStore` */
export function openExistingStore(url: string): Promise<Store> {
  if (storeExists(url)) return openStore(url);
  throw new TicketscanError(
    'store_unavailable',
    `There is no store at ${describeStoreUrl(url)}. Name another with --store, or make one: ticketscan seed`,
  );
}
