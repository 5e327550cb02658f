import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { createKeyring, readKeyring, temporaryKeyring } from '../config/keyring-file.ts';
import { systemClock } from '../config/system-clock.ts';
import type { Clock } from '../core/clock.ts';
import { TicketscanError } from '../core/errors.ts';
import type { Keyring } from '../core/keyring.ts';
import { Administration } from '../features/keys/administration.ts';
import { counted } from '../kit/counted.ts';
import { describeStoreUrl, openStore, parseStoreUrl } from '../stores/open-store.ts';
import type { Store } from '../stores/store.ts';
import type { FormatOptions } from '../stores/store-format.ts';
import type { CliIo } from '../terminal/io.ts';
import { detail } from '../terminal/messages.ts';
import { readSettings } from '../terminal/setting-options.ts';
import { openOrMakeStore, requireExistingStore } from './existing-store.ts';

const KEYRING_FILE = 'ticketscan.keyring.json';

/** The settings that tell where the data is. */
export const STORE_SETTINGS = ['store', 'keyring'] as const;

export interface StoreAccess {
  readonly store: Store;
  readonly administration: Administration;
  readonly clock: Clock;
  /** The signing keys; made when the store is new. @throws TicketscanError `keyring` */
  keyring(): Promise<Keyring>;
}

/**
 * Opens the store that the options name, runs `work`, closes the store whatever happened. In a wrong folder it must not make a
 * store and say that there is nothing in it.
 * @throws TicketscanError `store_unavailable` where there is no store yet, and as `openStore` does
 */
export function withStore<Result>(
  io: CliIo,
  options: Readonly<Record<string, unknown>>,
  work: (access: StoreAccess) => Promise<Result>,
  format: FormatOptions = {},
): Promise<Result> {
  const settings = readSettings(STORE_SETTINGS, options, io);
  if (parseStoreUrl(settings.store).engine !== 'memory') requireExistingStore(settings.store);
  const open = (url: string) => openStore(url, format);
  return withOpened(io, settings, work, { open, mayMake: false });
}

/** As `withStore`, for commands that may make the store and its keyring. */
export function withNewStore<Result>(
  io: CliIo,
  options: Readonly<Record<string, unknown>>,
  work: (access: StoreAccess) => Promise<Result>,
): Promise<Result> {
  const settings = readSettings(STORE_SETTINGS, options, io);
  const open = (url: string) => openOrMakeStore(io, url);
  return withOpened(io, settings, work, { open, mayMake: true });
}

async function withOpened<Result>(
  io: CliIo,
  { store: url, keyring }: { store: string; keyring: string | undefined },
  work: (access: StoreAccess) => Promise<Result>,
  { open, mayMake }: { open: (url: string) => Promise<Store>; mayMake: boolean },
): Promise<Result> {
  const startedAt = performance.now();
  const store = await open(url);
  const elapsedMs = performance.now() - startedAt;
  detail(io, `Store: ${describeStoreUrl(url)}, opened in ${elapsedMs.toFixed(0)} ms`);
  try {
    return await work({
      store,
      administration: new Administration(store, systemClock, randomBytes),
      clock: systemClock,
      keyring: async () => {
        const path = keyringPath(url, keyring);
        if (!mayMake && path !== undefined && !existsSync(path)) throw missingKeyring(path);
        if (path !== undefined) detail(io, `Signing keys: ${path}`);
        return openKeyring(store, path, io);
      },
    });
  } finally {
    await store.close();
  }
}

/** Where the signing keys are; undefined for a store that lasts as long as the process and has none named. */
export function keyringPath(storeUrl: string, named: string | undefined): string | undefined {
  if (named !== undefined) return resolve(named);
  const address = parseStoreUrl(storeUrl);
  if (address.engine === 'memory') return undefined;
  return join(address.engine === 'postgres' ? resolve('.') : dirname(address.path), KEYRING_FILE);
}

/**
 * Reads the keyring, and makes one for a store without tickets.
 * A missing keyring beside existing tickets is refused: a new one would turn every printed ticket into a forgery.
 * @param io is told where a new one is
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

function missingKeyring(path: string, begin = 'The'): TicketscanError {
  return new TicketscanError(
    'keyring',
    `${begin} keyring ${path} is missing. Restore it, or name it with --keyring: with a new one all their codes would be invalid.`,
  );
}
