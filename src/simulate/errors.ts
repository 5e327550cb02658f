import { fileFailure } from '../kit/failures.ts';

/** A failure that a person can act on: the message says what was wrong, where, and what to do. */
export class SimulateError extends Error {
  override readonly name = 'SimulateError';
}

/** What `read` gives of a file. @throws SimulateError when it cannot be read */
export async function readingOf<T>(
  path: string,
  read: (path: string) => T | Promise<T>,
): Promise<T> {
  try {
    return await read(path);
  } catch (error) {
    throw new SimulateError(`${path} cannot be read: ${fileFailure(error)}.`, { cause: error });
  }
}
