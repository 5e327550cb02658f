import { TicketscanError } from '../../core/errors.ts';
import type { CliIo } from '../../terminal/io.ts';
import { readSecretValue } from '../../terminal/options.ts';
import { readFile } from './upstream-options.ts';

const LABELLED = /^(key-\d+)=(.+)$/s;

/**
 * The key for each label of a recording: `key-2=env:NAME` gives one, a value without a label all others.
 * @throws TicketscanError `usage` when the environment or file has none
 */
export function readKeys(
  given: readonly string[],
  labels: Iterable<string>,
  io: Pick<CliIo, 'env'>,
): Map<string, string> {
  const keys = new Map<string, string>();
  for (const text of given) {
    if (LABELLED.test(text)) continue;
    const key = readSecretValue(text, io);
    for (const label of labels) keys.set(label, key);
  }
  for (const text of given) {
    const [, label, value] = LABELLED.exec(text) ?? [];
    if (label !== undefined && value !== undefined) keys.set(label, readSecretValue(value, io));
  }
  return keys;
}

/** @throws TicketscanError `usage` when the file is not an object of texts */
export function readCodes(path: string | undefined): Map<string, string> {
  if (path === undefined) return new Map();
  const codes = Object.entries(parsed(readFile(path)) ?? {});
  if (codes.length > 0 && codes.every(([, code]) => typeof code === 'string')) {
    return new Map(codes as [string, string][]);
  }
  throw new TicketscanError(
    'usage',
    `${path} must be a JSON object of ticket codes: {"code in the recording": "code to send"}.`,
  );
}

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
