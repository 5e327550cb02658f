import { TicketscanError } from '../core/errors.ts';
import { readBoundedText } from '../kit/bounded-file.ts';
import { fileFailure } from '../kit/failures.ts';
import type { CliIo } from './io.ts';

/**
 * A key or code from the command line, or from `env:NAME` or `file:PATH`, so that it need not be in a shell's history.
 * @throws TicketscanError `usage` when the variable or file is missing or empty
 */
export function readSecretValue(text: string, io: Pick<CliIo, 'env'>): string {
  if (text.startsWith('env:')) {
    const value = io.env[text.slice(4)];
    if (!value)
      throw new TicketscanError('usage', `The environment variable ${text.slice(4)} is not set.`);
    return value;
  }
  if (!text.startsWith('file:')) return text;
  try {
    const value = readBoundedText(text.slice(5)).trim();
    if (value !== '') return value;
  } catch (error) {
    throw new TicketscanError('usage', `${text.slice(5)} cannot be read: ${fileFailure(error)}.`);
  }
  throw new TicketscanError('usage', `${text.slice(5)} is empty.`);
}
