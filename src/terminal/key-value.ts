import { givenKey } from '../config/given-value.ts';
import type { CliIo } from './io.ts';
import { readSecretValue } from './options.ts';

/**
 * A key or token that is sent to a server, read like `readSecretValue` and checked like `givenKey`.
 * @param from where the text stands, such as `--key`
 */
export function readKeyValue(text: string, io: Pick<CliIo, 'env'>, from: string): string {
  const value = readSecretValue(text, io, from);
  return givenKey(value, placeOf(text) ?? from);
}

/** Where the value is that a text refers to; undefined for one that is the value. */
function placeOf(text: string): string | undefined {
  if (text.startsWith('env:')) return `The environment variable ${text.slice(4)}`;
  return text.startsWith('file:') ? text.slice(5) : undefined;
}
