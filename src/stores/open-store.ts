import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { TicketscanError } from '../core/errors.ts';
import { fileFailure } from '../kit/failures.ts';
import { refusedAddress, withoutPasswords } from '../kit/secrets.ts';
import { isPostgresUrl } from './postgres/address.ts';
import type { Store } from './store.ts';
import { incompleteCopy } from './store-errors.ts';
import type { OpenOptions } from './store-format.ts';

/** A path that begins with the name of another kind of store is not a file, and it may hold a password. */
const OTHER_ADDRESS = /^(?:[a-z][a-z0-9+.-]*:\/\/|(?:sqlite|json|postgres(?:ql)?):)/i;

export type StoreAddress =
  | { readonly engine: 'memory' }
  | { readonly engine: 'sqlite' | 'json'; readonly path: string }
  /** The URL may hold a password: never print it, see `describeStoreUrl`. */
  | { readonly engine: 'postgres'; readonly url: string };

/**
 * Reads a store's URL: `sqlite:./file`, `json:./file`, `postgres://…` or `memory:`.
 * @throws TicketscanError `usage` for any other text
 */
export function parseStoreUrl(url: string): StoreAddress {
  if (url === 'memory:') return { engine: 'memory' };
  if (isPostgresUrl(url)) return { engine: 'postgres', url };
  const [, engine, path] = /^(sqlite|json):(.+)$/s.exec(url) ?? [];
  if (engine === undefined || path === undefined || OTHER_ADDRESS.test(path)) {
    throw new TicketscanError(
      'usage',
      `"${refusedAddress(url)}" is not a store URL. Use sqlite:./ticketscan.db, json:./ticketscan.json, postgres://user@host/database or memory:.`,
    );
  }
  return { engine: engine === 'json' ? 'json' : 'sqlite', path: resolve(path) };
}

/** Every file that holds a store's data, whether it exists or not; empty for a store that is not in files. */
export function filesOfStore(url: string): string[] {
  const address = parseStoreUrl(url);
  if (!('path' in address)) return [];
  const data = filesWithData(url);
  return [...data, ...['-wal', '-shm'].map((ending) => `${data.at(-1)}${ending}`)];
}

/** The files of a store of which each is enough to go on with: a document whose database is gone, and a database whose document was moved away. */
export function filesWithData(url: string): string[] {
  const address = parseStoreUrl(url);
  if (!('path' in address)) return [];
  return address.engine === 'json' ? [address.path, `${address.path}.db`] : [address.path];
}

/** A store's URL for people: without user, password and options, but with the folder of its socket. Accepts a text that is not a URL too. */
export function describeStoreUrl(url: string): string {
  const isStore = /^(?:(?:sqlite|json|memory):|(?:postgres(?:ql)?|https?):\/\/)/.test(url);
  return isStore ? withoutPasswords(withoutUserAndOptions(url)) : refusedAddress(url);
}

function withoutUserAndOptions(url: string): string {
  const shown = url.replace(/:\/\/(?:.*@)?([^/?]*)([^?]*).*/s, '://$1$2');
  if (!isPostgresUrl(url)) return shown;
  // The text before the last @ may be a password.
  const queryAt = url.indexOf('?', url.lastIndexOf('@') + 1);
  const parts = queryAt < 0 ? [] : url.slice(queryAt + 1).split('&');
  const query = parts.filter((part) => /^(?:host|port)=/.test(part)).join('&');
  return query === '' ? shown : `${shown}?${query}`;
}

/**
 * Opens the store at `url`, and creates it if there is none.
 * @throws TicketscanError `usage` for a URL that names no store, `store_…` if it cannot be opened, `conflict` if it is
 *   an unfinished copy: half of the tickets, or used tickets without their uses, must not reach a gate
 */
export async function openStore(url: string, options: OpenOptions = {}): Promise<Store> {
  const store = await openCopyTarget(url, options);
  if ((await store.unfinishedCopy()) === undefined) return store;
  await store.close();
  throw incompleteCopy();
}

/** Does what `openStore` does, but also opens an unfinished copy. */
export async function openCopyTarget(url: string, options: OpenOptions = {}): Promise<Store> {
  const address = parseStoreUrl(url);
  if (address.engine === 'memory') {
    const { MemoryStore } = await import('./sqlite/memory-store.ts');
    return new MemoryStore();
  }
  if (address.engine === 'postgres') {
    const { openPostgresStore } = await import('./postgres/postgres-store.ts');
    return openPostgresStore(address.url, options);
  }
  if (!existsSync(dirname(address.path))) {
    throw new TicketscanError(
      'usage',
      `The folder ${dirname(address.path)} does not exist. Create it, or name another file with --store.`,
    );
  }
  refuseOtherThanFile(address.path);
  return openingFile(async () => {
    if (address.engine === 'json') {
      const { openJsonStore } = await import('./json/json-store.ts');
      return openJsonStore(address.path, options);
    }
    const { openSqliteStore } = await import('./sqlite/sqlite-store.ts');
    return openSqliteStore(address.path, options);
  });
}

/** @throws TicketscanError `usage` if the path is a folder, a pipe, a socket or a device: an engine would wait, or blame the disk */
export function refuseOtherThanFile(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isFile()) return;
  const code = found.isDirectory() ? 'EISDIR' : 'ERR_NOT_REGULAR';
  throw new TicketscanError('usage', `${path} is not a store: ${fileFailure({ code })}.`);
}

/** Opens the file of a store. @throws TicketscanError `usage` if another file or another user would help; else what `open` throws */
export async function openingFile<Opened>(open: () => Promise<Opened>): Promise<Opened> {
  try {
    return await open();
  } catch (error) {
    throw isWrongFile(error) ? asUsage(error) : error;
  }
}

/** Failures that may pass without a change of settings. */
const FAILING_DISK = /^The disk of|the disk is full|quota|reports an error/;

/** True if another file or another user would help: nothing was opened, so nothing was lost. */
function isWrongFile(error: unknown): error is TicketscanError {
  return (
    error instanceof TicketscanError &&
    error.code === 'store_unavailable' &&
    !FAILING_DISK.test(error.message)
  );
}

function asUsage(error: TicketscanError): TicketscanError {
  return new TicketscanError('usage', error.message, { cause: error });
}
