import { fileFailure } from '../../kit/failures.ts';
import { readBoundedText } from '../../kit/files.ts';
import { SimulateError } from '../errors.ts';

/** @throws SimulateError `usage` when the file cannot be read */
export function readText(path: string): string {
  try {
    return readBoundedText(path);
  } catch (error) {
    throw new SimulateError('usage', `${path} cannot be read: ${fileFailure(error)}.`, {
      cause: error,
    });
  }
}
