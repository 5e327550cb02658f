import { TicketscanError } from '../../core/errors.ts';
import { DeviceFileError, loadDeviceFiles } from '../../device-files/load.ts';
import type { DeviceFile } from '../../device-files/schema.ts';
import { FileDevices } from '../device-files/file-devices.ts';

/** @throws TicketscanError `usage` for a file that cannot be used */
export function readDeviceFiles(places: readonly string[]): DeviceFile[] {
  try {
    return loadDeviceFiles(...places);
  } catch (error) {
    if (!(error instanceof DeviceFileError)) throw error;
    throw new TicketscanError('usage', error.message, { cause: error });
  }
}

/** @throws TicketscanError `usage` for a file that cannot be used */
export function fileDevicesAt(places: readonly string[]): FileDevices {
  return new FileDevices(readDeviceFiles(places));
}
