import { fstatSync, type Stats } from 'node:fs';
import { readOpenedText, whileOpen } from './files.ts';

const GROUP_MAY_WRITE = 0o020;
const OTHERS_MAY_WRITE = 0o002;

/** A text file, with whose it is. */
export interface OwnedText {
  readonly text: string;
  /** Why somebody else than this user or root may have written it, as a clause; undefined where nobody else can have. */
  readonly foreign: string | undefined;
}

/** Reads a text file and says of the same file, whatever its name stands for a moment later, who may have written it. @throws as `readBoundedText` */
export function readOwnedText(path: string): OwnedText {
  return whileOpen(path, 'r', (file) => ({
    foreign: foreignReason(fstatSync(file)),
    text: readOpenedText(file),
  }));
}

/**
 * Why a file is not only this user's or root's. A group may write where it is the owner's own: systems that give each user a group of
 * the same number make all files so.
 */
function foreignReason({ uid, gid, mode }: Stats): string | undefined {
  const user = process.geteuid?.();
  if (user === undefined) return undefined;
  if (uid !== user && uid !== 0) return `it belongs to another user (${uid})`;
  if ((mode & OTHERS_MAY_WRITE) !== 0) return 'all users may write it';
  if ((mode & GROUP_MAY_WRITE) !== 0 && gid !== uid) return 'the users of its group may write it';
  return undefined;
}
