import { existsSync, unwatchFile, watchFile } from 'node:fs';
import type { Logger } from 'pino';
import { readKeyring } from '../../../config/keyring-file.ts';
import { messageOf } from '../../../core/errors.ts';
import type { Keyring } from '../../../core/keyring.ts';
import type { Store } from '../../stores/store.ts';
import { openKeyring } from '../access/store-access.ts';

const KEYRING_WATCH_MS = 1000;

/** Another process may rotate or retire a key: the file is read again when it changes. */
export async function watchedKeyring(
  store: Store,
  path: string | undefined,
  log: Logger,
): Promise<{ current: () => Keyring; stop: () => void }> {
  let keyring = await openKeyring(store, path);
  if (path === undefined) return { current: () => keyring, stop: () => {} };
  const reload = () => {
    try {
      if (existsSync(path)) keyring = readKeyring(path);
    } catch (error) {
      log.error(
        { error: messageOf(error) },
        'the changed keyring cannot be used; the previous one stays in use',
      );
    }
  };
  watchFile(path, { interval: KEYRING_WATCH_MS, persistent: false }, reload);
  return { current: () => keyring, stop: () => unwatchFile(path, reload) };
}
