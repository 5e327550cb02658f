import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { createKeyring, readKeyring, temporaryKeyring } from '../../../config/keyring-file.ts';
import { systemClock } from '../../../config/system-clock.ts';
import type { Clock } from '../../../core/clock.ts';
import { TicketscanError } from '../../../core/errors.ts';
import type { Keyring } from '../../../core/keyring.ts';
import { counted } from '../../../kit/counted.ts';
import type { CliIo } from '../../../terminal/io.ts';
import { detail } from '../../../terminal/messages.ts';
import { readSettings } from '../../../terminal/setting-options.ts';
import { Administration } from '../../manage/administration.ts';
import { describeStoreUrl, openStore, parseStoreUrl } from '../../stores/open-store.ts';
import type { Store } from '../../stores/store.ts';

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

/** Opens the store that the options name, runs `work`, closes the store whatever happened. */
export async function withStore<Result>(
  io: CliIo,
  options: Readonly<Record<string, unknown>>,
  work: (access: StoreAccess) => Promise<Result>,
): Promise<Result> {
  const settings = readSettings(STORE_SETTINGS, options, io);
  const startedAt = performance.now();
  const store = await openStore(settings.store);
  const elapsedMs = performance.now() - startedAt;
  detail(io, `Store: ${describeStoreUrl(settings.store)}, opened in ${elapsedMs.toFixed(0)} ms`);
  try {
    return await work({
      store,
      administration: new Administration(store, systemClock, randomBytes),
      clock: systemClock,
      keyring: () => {
        const path = keyringPath(settings.store, settings.keyring);
        if (path !== undefined) detail(io, `Signing keys: ${path}`);
        return openKeyring(store, path);
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
 */
export async function openKeyring(store: Store, path: string | undefined): Promise<Keyring> {
  if (path === undefined) return temporaryKeyring();
  if (!existsSync(path)) {
    const tickets = await store.countTickets();
    // Another command may have made both meanwhile: it makes the keyring first.
    if (tickets > 0 && !existsSync(path)) {
      throw new TicketscanError(
        'keyring',
        `The store has ${counted(tickets, 'ticket')}, but their keyring ${path} is missing. Restore it, or name it with --keyring: ` +
          'with a new one all their codes would be invalid.',
      );
    }
    createKeyring(path);
  }
  return readKeyring(path);
}
