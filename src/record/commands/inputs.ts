import * as z from 'zod';
import { TicketscanError } from '../../core/errors.ts';
import { DeviceFileError, loadDeviceFiles } from '../../device-files/load.ts';
import type { DeviceFile } from '../../device-files/schema.ts';
import { fileFailure } from '../../kit/failures.ts';
import { readBoundedText } from '../../kit/files.ts';
import { parsedJson } from '../../kit/json-text.ts';
import type { CliIo } from '../../terminal/io.ts';
import { readKeyValue } from '../../terminal/key-value.ts';
import { parseRecording, type Recording, type StoredExchange } from '../recording.ts';

/** The recording at a path. @throws TicketscanError `usage` */
export function readRecording(path: string, io: CliIo): Recording {
  const recording = parseRecording(readFile(path), path);
  if (recording.isTorn)
    io.err(`ticketscan: the last line of ${path} is incomplete and was skipped.`);
  return recording;
}

/** @throws TicketscanError `usage` when the file cannot be read */
function readFile(path: string): string {
  try {
    return readBoundedText(path);
  } catch (error) {
    throw new TicketscanError('usage', `${path} cannot be read: ${fileFailure(error)}.`);
  }
}

/** @throws TicketscanError `usage` for a file that cannot be used */
export function readDeviceFiles(places: readonly string[]): DeviceFile[] {
  try {
    return loadDeviceFiles(...places);
  } catch (error) {
    if (!(error instanceof DeviceFileError)) throw error;
    throw new TicketscanError('usage', error.message, { cause: error });
  }
}

/** The placeholders of keys in these exchanges. */
export function labelsIn(exchanges: readonly StoredExchange[]): Set<string> {
  return new Set(exchanges.flatMap(({ keys }) => keys));
}

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
    const key = readKeyValue(text, io, '--key');
    for (const label of labels) keys.set(label, key);
  }
  for (const text of given) {
    const [, label, value] = LABELLED.exec(text) ?? [];
    if (label !== undefined && value !== undefined)
      keys.set(label, readKeyValue(value, io, `--key ${label}=…`));
  }
  return keys;
}

const Codes = z.record(z.string(), z.string()).refine((codes) => Object.keys(codes).length > 0);

/** @throws TicketscanError `usage` when the file is not an object of texts */
export function readCodes(path: string | undefined): Map<string, string> {
  if (path === undefined) return new Map();
  const codes = Codes.safeParse(parsedJson(readFile(path)));
  if (codes.success) return new Map(Object.entries(codes.data));
  throw new TicketscanError(
    'usage',
    `${path} must be a JSON object of ticket codes: {"code in the recording": "code to send"}.`,
  );
}
