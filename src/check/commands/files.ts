import { messageOf, TicketscanError } from '../../core/errors.ts';
import { fileFailure } from '../../kit/failures.ts';
import { checkWritable, readBoundedText, writeForOwner } from '../../kit/files.ts';
import { positionOfJsonIssue } from '../../kit/json-text.ts';
import type { CliIo } from '../../terminal/io.ts';
import { readSecretValue } from '../../terminal/options.ts';
import { readTarget, type Target } from '../index.ts';

/** @throws TicketscanError `usage` when the file cannot be read */
function readText(path: string): string {
  try {
    return readBoundedText(path);
  } catch (error) {
    throw new TicketscanError('usage', `${path} cannot be read: ${fileFailure(error)}.`);
  }
}

/** @throws TicketscanError `usage` when the file cannot be read or is no JSON */
export function readJsonFile(path: string): unknown {
  const text = readText(path);
  try {
    return JSON.parse(text);
  } catch {
    throw new TicketscanError('usage', `${path} is not valid JSON: ${positionOfJsonIssue(text)}.`);
  }
}

/** A target file, with its `env:` and `file:` values filled in. @throws TicketscanError, CheckUsageError */
export function readTargetFile(path: string, io: CliIo): Target {
  return readTarget(readJsonFile(path), (text, member) => {
    try {
      return readSecretValue(text, io);
    } catch (error) {
      throw new TicketscanError('usage', `${path}, "${member}": ${messageOf(error)}`);
    }
  });
}

/** For its owner: some formats hold ticket codes. @throws TicketscanError `usage` when the file cannot be written */
export function writeReportFile(path: string, text: string): void {
  writing(path, () => writeForOwner(path, text));
}

/** @throws TicketscanError `usage` when the file could not be written after the run */
export function checkReportFile(path: string): void {
  writing(path, () => checkWritable(path));
}

function writing(path: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    throw new TicketscanError('usage', `${path} cannot be written: ${fileFailure(error)}.`);
  }
}
