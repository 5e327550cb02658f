import { existsSync } from 'node:fs';
import { basename, dirname, extname } from 'node:path';
import { TicketscanError } from '../../core/errors.ts';
import { DeviceFileError, parseDeviceFile } from '../../device-files/load.ts';
import { fileFailure } from '../../kit/failures.ts';
import { writeForOwner } from '../../kit/files.ts';
import type { CliIo } from '../../terminal/io.ts';
import { learnDeviceFile } from '../device-files/learn.ts';
import type { StoredExchange } from '../recording.ts';

/** Refuses a file that exists, or that has no folder, before anything is recorded. @throws TicketscanError `usage` */
export function expectNoFile(path: string | undefined): void {
  if (path === undefined) return;
  if (existsSync(path))
    throw new TicketscanError(
      'usage',
      `${path} already exists: --learn overwrites no file. Name another one.`,
    );
  if (!existsSync(dirname(path)))
    throw new TicketscanError('usage', `The folder ${dirname(path)} of --learn does not exist.`);
}

/**
 * Writes a device file from a recording and says whether it can be loaded as it is.
 * @param from the recording, for messages
 * @throws TicketscanError `usage` when there is nothing to learn, or the file cannot be written
 */
export function learnFile(
  exchanges: readonly StoredExchange[],
  from: string,
  path: string,
  io: CliIo,
): void {
  expectNoFile(path);
  const text = learnDeviceFile(exchanges, nameFrom(path));
  if (text === undefined) {
    throw new TicketscanError(
      'usage',
      `${from} has no request of an unknown device: there is nothing to learn.`,
    );
  }
  try {
    writeForOwner(path, text, 'wx');
  } catch (error) {
    throw new TicketscanError('usage', `${path} cannot be written: ${fileFailure(error)}.`);
  }
  try {
    parseDeviceFile(text, path);
    io.err(
      `${path} can be loaded. Check the guesses, then: ticketscan replay ${from} --device-file ${path}`,
    );
  } catch (error) {
    if (!(error instanceof DeviceFileError)) throw error;
    io.err(`${path} was written. It cannot be loaded until this is corrected:\n${error.message}`);
  }
}

const NAME_CHARACTERS_MAX = 40;

/** `Gate X.yaml` becomes `gate-x`. */
function nameFrom(path: string): string {
  const bare = basename(path, extname(path)).toLowerCase();
  return bare.replaceAll(/[^a-z0-9]+/g, '-').slice(0, NAME_CHARACTERS_MAX);
}
