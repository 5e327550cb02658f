import { TicketscanError } from '../../core/errors.ts';
import { fileFailure as reasonOf } from '../../kit/failures.ts';

/** What a person can do about a file that could not be written or read; other errors come back as they are. */
export function fileFailure(path: string, error: unknown): unknown {
  const isOfSystem = error instanceof Error && 'code' in error && typeof error.code === 'string';
  if (!isOfSystem || error instanceof TicketscanError) return error;
  return new TicketscanError('usage', `${path}: ${reasonOf(error)}.`, { cause: error });
}
