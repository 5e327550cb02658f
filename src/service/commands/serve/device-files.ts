import type { Logger } from 'pino';
import type { DeviceFiles } from '../../devices/files/device-files.ts';
import type { RecordStore } from '../../stores/record-store.ts';

/**
 * Warns in the log of keys whose device file this server was not given: their devices are read by the known models only. Another
 * server on the same store may have it, so it is no error.
 */
export async function warnOfMissingFiles(
  store: Pick<RecordStore, 'list'>,
  files: DeviceFiles | undefined,
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  for (const { id, name, device, active } of await store.list('key')) {
    if (device === undefined || !active || files?.named(device)) continue;
    log.warn(
      { keyId: id, key: name, device },
      'this key has a device file that the server was not given: its devices are not understood. Add --device-file, or take it from the key with keys edit --device none',
    );
  }
}
