import { DeviceFileError, loadDeviceFiles } from '../../device-files/load.ts';
import type { DeviceFile } from '../../device-files/schema.ts';
import { SimulateError } from '../errors.ts';
import type { Weighted } from '../fleet/fleet.ts';
import type { DeviceModel } from '../models/device-model.ts';
import { modelFromFile } from '../models/file-model.ts';

/**
 * The models that `--device-file` and `--model` name together: a known model keeps its name.
 * @param names undefined for the only file
 * @throws SimulateError
 */
export function fileModels(
  paths: readonly string[],
  names: readonly Weighted<string>[] | undefined,
): Weighted<string | DeviceModel>[] {
  const files = deviceFilesAt(paths);
  if (names) {
    return names.map(({ value, weight }) => {
      const file = files.find(({ name }) => name === value);
      return { value: file ? modelFromFile(file) : value, weight };
    });
  }
  const [only, ...others] = files;
  if (only && others.length === 0) return [{ value: modelFromFile(only), weight: 1 }];
  const known = files.map(({ name }) => name).join(', ');
  throw new SimulateError(`Which of the device files? Add --model with one of: ${known}.`);
}

/** The names of device files, and the model of one: it throws SimulateError for a file without `simulate`. */
export function modelsByName(paths: readonly string[]) {
  const files = new Map(deviceFilesAt(paths).map((file) => [file.name, file]));
  const modelOf = (name: string) => {
    const file = files.get(name);
    return file && modelFromFile(file);
  };
  return { names: [...files.keys()], modelOf };
}

function deviceFilesAt(paths: readonly string[]): DeviceFile[] {
  try {
    return loadDeviceFiles(...paths);
  } catch (error) {
    if (!(error instanceof DeviceFileError)) throw error;
    throw new SimulateError(error.message);
  }
}
