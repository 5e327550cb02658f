import type { Logger } from 'pino';
import type { Settings } from '../../../config/settings.ts';
import { TicketscanError } from '../../../core/errors.ts';
import type { DeviceFiles } from '../../devices/files/device-files.ts';
import type { RecordStore } from '../../stores/store.ts';

/**
 * The device files of a server; undefined where there are none. Their reader is loaded only where there are some.
 * @throws TicketscanError `usage` that names file, line and column
 */
export async function deviceFilesFrom({
  deviceFile,
}: Pick<Settings, 'deviceFile'>): Promise<DeviceFiles | undefined> {
  if (deviceFile === undefined) return undefined;
  const [{ DeviceFileError, loadDeviceFiles }, { DeviceFiles }] = await Promise.all([
    import('../../../device-files/load.ts'),
    import('../../devices/files/device-files.ts'),
  ]);
  try {
    return new DeviceFiles(loadDeviceFiles(...deviceFile));
  } catch (error) {
    if (!(error instanceof DeviceFileError)) throw error;
    throw new TicketscanError('usage', error.message, { cause: error });
  }
}

/**
 * Warns in the log of keys whose device file this server was not given: their devices are read by the known models only. Another
 * server on the same store may have it, so it is no error.
 */
export async function warnOfMissingFiles(
  store: Pick<RecordStore, 'listKeys'>,
  files: DeviceFiles | undefined,
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  for (const { id, name, device, active } of await store.listKeys()) {
    if (device === undefined || !active || files?.named(device)) continue;
    log.warn(
      { keyId: id, key: name, device },
      'this key has a device file that the server was not given: its devices are not understood. Add --device-file, or take it from the key with keys edit --device none',
    );
  }
}
