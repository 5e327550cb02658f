import { messageOf, TicketscanError } from '../../core/errors.ts';

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EACCES: 'no permission to write there',
  EPERM: 'no permission to write there',
  EROFS: 'the disk is read-only',
  ENOTDIR: 'a part of its path is not a folder',
  ELOOP: 'its links form a loop',
  EISDIR: 'it is a folder',
  ENOENT: 'no such file or folder',
};

/** What a person can do about a file that could not be written or read; other errors come back as they are. */
export function fileFailure(path: string, error: unknown): unknown {
  if (error instanceof TicketscanError) return error;
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code !== 'string' || !(error instanceof Error)) return error;
  const reason = REASONS[code] ?? messageOf(error);
  return new TicketscanError('usage', `${path}: ${reason}.`, { cause: error });
}
