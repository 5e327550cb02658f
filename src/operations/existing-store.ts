import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { settingOf } from '../config/settings.ts';
import { TicketscanError } from '../core/errors.ts';
import { openToOthers } from '../stores/file-guards.ts';
import { describeStoreUrl, filesOfStore, openStore, parseStoreUrl } from '../stores/open-store.ts';
import type { Store } from '../stores/store.ts';
import type { CliIo } from '../terminal/io.ts';

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
      'A store in memory is always empty when a command starts. Name another store.',
    );
  }
  throw new TicketscanError(
    'store_unavailable',
    `No store exists at ${describeStoreUrl(url)}. Change to its folder, or name it with --store. A new one is made by: ticketscan serve`,
  );
}

/** What to say when other users of this machine can read a store's files; undefined when they cannot. */
export function adviceOnOpenFiles(url: string): { finding: string; advice: string } | undefined {
  const open = openToOthers(filesOfStore(url));
  if (open.length === 0) return undefined;
  return {
    finding: `Other users of this machine can read ${open.join(', ')}, with names of visitors and hashes of keys.`,
    advice: `Unless you want that, run: chmod 600 ${open.map(quoted).join(' ')}`,
  };
}

/**
 * How a command names this store: nothing for the usual one. A password of PostgreSQL stays out.
 * @returns text to append to the command, with a blank in front
 */
export function storeOption(url: string): string {
  return url === settingOf('store').fallback ? '' : ` --store ${quoted(describeStoreUrl(url))}`;
}

/** For a shell, where it needs it. */
function quoted(path: string): string {
  return /^[\w./:@-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/** Opens a store, and says where it is when it was made for it. */
export async function openOrMakeStore(
  io: Pick<CliIo, 'err'>,
  url: string,
  open = openStore,
): Promise<Store> {
  const isNew = !storeExists(url);
  const address = parseStoreUrl(url);
  const store = await open(url);
  if (isNew && 'path' in address) io.err(`New store: ${resolve(address.path)}`);
  return store;
}

/** Opens a store that is there. @throws TicketscanError as `requireExistingStore` and `openStore` do */
export async function openExistingStore(url: string): Promise<Store> {
  requireExistingStore(url);
  return openStore(url);
}
