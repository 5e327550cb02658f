import { readFileSync } from 'node:fs';
import { SimulateError } from '../errors.ts';

/** @throws SimulateError `usage` when the file cannot be read */
export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new SimulateError('usage', `${path} cannot be read (${code}).`, { cause: error });
  }
}
