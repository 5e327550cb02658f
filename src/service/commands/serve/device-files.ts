import type { Settings } from '../../../config/settings.ts';
import { TicketscanError } from '../../../core/errors.ts';
import type { DeviceFiles } from '../../devices/files/device-files.ts';

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
    return new DeviceFiles(loadDeviceFiles(deviceFile));
  } catch (error) {
    if (!(error instanceof DeviceFileError)) throw error;
    throw new TicketscanError('usage', error.message, { cause: error });
  }
}
