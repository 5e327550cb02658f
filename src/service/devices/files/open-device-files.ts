import { TicketscanError } from '../../../core/errors.ts';
import type { DeviceFiles } from './device-files.ts';

/**
 * Device files for a server; undefined where there are none. Their reader is loaded only where there are some.
 * @param places files, folders, and names of files that come with the program
 * @throws TicketscanError `usage` that names file, line and column
 */
export async function openDeviceFiles(
  places: readonly string[] | undefined,
): Promise<DeviceFiles | undefined> {
  if (places === undefined) return undefined;
  const [{ DeviceFileError, loadDeviceFiles }, { DeviceFiles }] = await Promise.all([
    import('../../../device-files/load.ts'),
    import('./device-files.ts'),
  ]);
  try {
    return new DeviceFiles(loadDeviceFiles(...places));
  } catch (error) {
    if (!(error instanceof DeviceFileError)) throw error;
    throw new TicketscanError('usage', error.message, { cause: error });
  }
}
