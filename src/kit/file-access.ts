import { accessSync, closeSync, constants, openSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import { fileFailure } from './failures.ts';

/** The codes of the system that say: there is nothing at this path. */
const ABSENT: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR']);

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

/** True when a file is there. @throws Error of the system when this user may not look: then nobody knows */
export function isThere(path: string): boolean {
  try {
    statSync(path);
    return true;
  } catch (error) {
    if (ABSENT.has(codeOf(error))) return false;
    throw error;
  }
}

/** What happened to a file, and what a user can do whom the system refuses it: a sentence, and begins with a small letter. */
export function fileProblem(error: unknown): string {
  const isForbidden = codeOf(error) === 'EACCES';
  return `${fileFailure(error)}.${isForbidden ? ` ${ownerAdvice()}` : ''}`;
}

/** Why a file can be neither opened nor made, as `fileProblem`; undefined when the system allows it. */
export function accessProblem(path: string): string | undefined {
  try {
    // A file is opened to know: accessSync asks for the real user, and the effective one is refused.
    closeSync(openSync(path, 'r+'));
    return undefined;
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? folderProblem(dirname(path)) : fileProblem(error);
  }
}

function folderProblem(path: string): string | undefined {
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return fileProblem(error);
  }
}

/** What a user can do whom the system refuses a file. */
export function ownerAdvice(): string {
  return `This is user ${thisUser()}. Run the command as the owner of the file, or change its owner with chown.`;
}

/** The name of this user; the number in a container, whose users have no names. */
function thisUser(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.geteuid?.());
  }
}
