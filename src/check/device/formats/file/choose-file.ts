import { DeviceFileError, loadDeviceFiles } from '../../../../device-files/load.ts';
import type { DeviceFile } from '../../../../device-files/schema.ts';
import { CheckUsageError } from '../../../target/target.ts';
import type { Format } from '../format.ts';
import { MODELS } from '../models.ts';
import { formatFrom } from './file-format.ts';

/**
 * The format of a device file.
 * @param path of a file or a folder, or the name of a file that comes with the program
 * @param name of one of several files; a known model is none
 * @returns undefined when `name` is a known model
 * @throws CheckUsageError when a file cannot be used, or it is not clear which
 */
export function formatOfFile(path: string, name: string | undefined): Format | undefined {
  const files = filesAt(path);
  const names = files.map((file) => file.name);
  const file = name === undefined && files.length === 1 ? files[0] : undefined;
  const chosen = file ?? files.find((one) => one.name === name);
  if (chosen) return formatFrom(chosen, optionsOf(path, files.length > 1 ? chosen : undefined));
  if (name !== undefined && MODELS.includes(name)) return undefined;
  const known = names.join(', ');
  throw new CheckUsageError(
    name === undefined
      ? `Which of the device files? Name the model (--model): ${known}.`
      : `No device file of ${path} has the name "${name}"; there is: ${known}.`,
  );
}

function filesAt(path: string): DeviceFile[] {
  try {
    return loadDeviceFiles(path);
  } catch (error) {
    if (!(error instanceof DeviceFileError)) throw error;
    throw new CheckUsageError(error.message);
  }
}

function optionsOf(path: string, chosen: DeviceFile | undefined): string {
  const shown = /^[\w./-]+$/.test(path) ? path : `'${path}'`;
  return `--device-file ${shown}${chosen ? ` --model ${chosen.name}` : ''}`;
}
