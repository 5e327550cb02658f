import { TicketscanError } from '../core/errors.ts';
import { type CliIo, hideInFailures } from './io.ts';
import { referredValue, textOf } from './options.ts';

/** A ticket code, read like `readSecretValue`; one on the command line counts as it is: a scan compares every character. */
export function readGivenCode(text: string, io: Pick<CliIo, 'env'>): string {
  const value = referredValue(text, io) ?? text;
  if (value !== text) hideInFailures(io, value);
  return value;
}

/** A code as it was read, with all that a reader added to it: of a file only the line end and the byte-order mark at its ends go. */
export function readCodeAsRead(text: string, io: Pick<CliIo, 'env'>): string {
  if (!text.startsWith('file:')) return readGivenCode(text, io);
  const path = text.slice(5);
  const value = textOf(path).replace(/^\ufeff|\r?\n$/gu, '');
  if (!value.trim()) throw new TicketscanError('usage', `${path} is empty.`);
  hideInFailures(io, value);
  return value;
}
