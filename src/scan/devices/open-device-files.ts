import { TicketscanError } from '../../core/errors.ts';
import type { DeviceFile } from '../../device-files/schema.ts';
import type { DeviceFiles } from './device-files.ts';

/**
 * Device files for a server; undefined where there are none. Their reader is loaded only where there are some.
 * @param addresses files, folders, and names of files that come with the program
 * @param always200 the setting for controllers that ignore the body of any answer but a 200
 * @throws TicketscanError `usage` that names file, line and column, or the file whose doors that setting would open
 */
export async function openDeviceFiles(
  addresses: readonly string[] | undefined,
  always200: boolean,
): Promise<DeviceFiles | undefined> {
  if (addresses === undefined) return undefined;
  const [{ DeviceFileError, loadDeviceFiles }, { opensAtAny200 }, { DeviceFiles }] =
    await Promise.all([
      import('../../device-files/load.ts'),
      import('../../device-files/opening.ts'),
      import('./device-files.ts'),
    ]);
  try {
    const files = loadDeviceFiles(...addresses);
    const opened = always200 ? files.find(opensAtAny200) : undefined;
    if (opened) throw new TicketscanError('usage', openedByAny200(opened));
    return new DeviceFiles(files);
  } catch (error) {
    if (!(error instanceof DeviceFileError)) throw error;
    throw new TicketscanError('usage', error.message, { cause: error });
  }
}

function openedByAny200({ name }: DeviceFile): string {
  return `The device file "${name}" calls the Card URL and opens at the status 200 alone; with --hardware-always-200 a denial of a known model would open its doors. Leave that option away, or give the scan of the file a path of its own.`;
}
