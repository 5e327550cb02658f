import { holdFiles } from '../json/hold-files.ts';
import { parseStoreUrl } from '../open-store.ts';
import { holdDatabase } from '../sqlite/hold-database.ts';
import type { HeldPlace } from './held-place.ts';

/**
 * Takes the place of a store in files for this program alone.
 * @throws TicketscanError `store_busy` while another program uses it
 */
export function holdPlace(url: string): HeldPlace {
  const address = parseStoreUrl(url);
  if (!('path' in address)) throw new Error('this store is no file');
  return address.engine === 'json' ? holdFiles(address.path) : holdDatabase(address.path);
}
