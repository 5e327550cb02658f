import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { createKeyring, readKeyring, temporaryKeyring } from '../../config/keyring-file.ts';
import { settingOf } from '../../config/settings.ts';
import { TicketscanError } from '../../core/errors.ts';
import type { Keyring } from '../../core/ticket-code.ts';
import { inZone, shownTime } from '../../core/time-zone.ts';
import { fileProblem, isThere } from '../../kit/file-access.ts';
import { counted } from '../../kit/text.ts';
import { openToOthers } from '../../stores/file-guards.ts';
import {
  describeStoreUrl,
  filesOfStore,
  filesWithData,
  openStore,
  parseStoreUrl,
} from '../../stores/open-store.ts';
import type { Store, StoreInfo } from '../../stores/store.ts';
import type { CliIo } from '../../terminal/io.ts';

const KEYRING_FILE = 'ticketscan.keyring.json';

/** The settings that say where the data is. */
export const STORE_SETTINGS = ['store', 'keyring'] as const;

/** Says what opening a store did that people should know: for every command that opens one. */
export function tellNotice(io: Pick<CliIo, 'err'>, { notice }: Pick<Store, 'notice'>): void {
  if (notice !== undefined) io.err(notice);
}

/** The path of the keyring; undefined for a store in memory for which no keyring is named. */
export function keyringPath(storeUrl: string, named: string | undefined): string | undefined {
  if (named !== undefined) return resolve(named);
  const address = parseStoreUrl(storeUrl);
  if (address.engine === 'memory') return undefined;
  return join(address.engine === 'postgres' ? resolve('.') : dirname(address.path), KEYRING_FILE);
}

/**
 * Reads the keyring, and makes one for a store without tickets.
 * A missing keyring beside existing tickets is refused: a new one would turn every printed ticket into a forgery.
 * @param io gets a message that says where a new one is
 */
export async function openKeyring(
  store: Store,
  path: string | undefined,
  io?: Pick<CliIo, 'err'>,
): Promise<Keyring> {
  if (path === undefined) return temporaryKeyring();
  if (!existsSync(path)) {
    const tickets = await store.countTickets();
    // Another command may have made both meanwhile: it makes the keyring first.
    if (tickets > 0 && !existsSync(path)) {
      throw missingKeyring(path, `The store has ${counted(tickets, 'ticket')}, but their`);
    }
    createKeyring(path);
    io?.err(`New signing keys: ${path}`);
  }
  return readKeyring(path);
}

/** The refusal to go on without the keyring of a store. @param begin how the sentence begins */
export function missingKeyring(path: string, begin = 'The'): TicketscanError {
  return new TicketscanError(
    'keyring',
    `${begin} keyring ${path} is missing. Restore it, or name it with --keyring: with a new one all their codes would be invalid.`,
  );
}

/**
 * True if there is data at a store's URL. A store in memory begins without data.
 * @throws TicketscanError `store_unavailable` if this user may not look there: a store that cannot be seen may exist
 */
export function storeExists(url: string): boolean {
  const address = parseStoreUrl(url);
  if (address.engine === 'memory') return false;
  try {
    return !('path' in address) || filesWithData(url).some(isThere);
  } catch (cause) {
    throw new TicketscanError(
      'store_unavailable',
      `${describeStoreUrl(url)} cannot be opened: ${fileProblem(cause)}`,
      { cause },
    );
  }
}

/**
 * Refuses a URL without a store: a command that only reads must not make one.
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
    'usage',
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
 * The option by which a command names this store; empty for the default store. It never contains a password of PostgreSQL.
 * @returns text to append to the command, with a blank in front
 */
export function storeOption(url: string): string {
  return url === settingOf('store').fallback ? '' : ` --store ${quoted(describeStoreUrl(url))}`;
}

/** Quotes a path for a shell if it needs quotes. */
function quoted(path: string): string {
  return /^[\w./:@-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/** Opens a store. If it had to be made, says where it is. */
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

/** Opens an existing store. @throws TicketscanError for the reasons of `requireExistingStore` and `openStore` */
export async function openExistingStore(url: string): Promise<Store> {
  requireExistingStore(url);
  return openStore(url);
}

/** The facts that show whether it is the right store: names and values, in the order in which people see them. */
export function headOfInfo({ format, bytes, lastScanAt }: StoreInfo, zone: string): string[][] {
  return [
    ['format', String(format.version)],
    ['size', bytes === null ? 'unknown' : `${(bytes / 1_000_000).toFixed(1)} MB`],
    ['last scan', lastScanAt === null ? 'none' : inZone(shownTime(lastScanAt, zone), zone)],
  ];
}
