import { type ErrorCode, messageOf, TicketscanError } from '../../core/errors.ts';
import { accessProblem } from '../../kit/file-access.ts';

/** SQLite's primary result codes, https://sqlite.org/rescode.html */
export const SQLITE = {
  BUSY: 5,
  LOCKED: 6,
  READONLY: 8,
  IOERR: 10,
  CORRUPT: 11,
  FULL: 13,
  CANTOPEN: 14,
  NOTADB: 26,
} as const;

/** Extended codes of the constraints that keep values unique. */
const CONSTRAINT_UNIQUE = 2067;
const CONSTRAINT_PRIMARYKEY = 1555;

const PRIMARY_CODE_MASK = 0xff;

/** The primary code of an error of SQLite; undefined for any other. */
export function sqliteCodeOf(error: unknown): number | undefined {
  const code = extendedCodeOf(error);
  return typeof code === 'number' ? code & PRIMARY_CODE_MASK : undefined;
}

export function isSqliteBusy(error: unknown): boolean {
  return sqliteCodeOf(error) === SQLITE.BUSY;
}

export function isSqliteUniqueViolation(error: unknown): boolean {
  const code = extendedCodeOf(error);
  return code === CONSTRAINT_UNIQUE || code === CONSTRAINT_PRIMARYKEY;
}

function extendedCodeOf(error: unknown): unknown {
  return (error as { errcode?: unknown } | null | undefined)?.errcode;
}

/** How long one program waits for the lock of another. */
export const BUSY_TIMEOUT_MS = 5000;

const LOCKED: Explained = [
  'store_busy',
  (path) =>
    `Another process has locked ${path} for more than ${BUSY_TIMEOUT_MS / 1000} s. Wait until it ends, then try again.`,
];
const DAMAGED: Explained = [
  'store_damaged',
  (path, reason) =>
    `${path} is not a SQLite database or is damaged (${reason}). Restore it from a backup; nothing was changed.`,
];

type Explained = readonly [code: ErrorCode, message: (path: string, reason: string) => string];

/** The errors that a person can fix, by the primary code. */
const EXPLAINED: Readonly<Record<number, Explained>> = {
  [SQLITE.BUSY]: LOCKED,
  [SQLITE.LOCKED]: LOCKED,
  [SQLITE.CANTOPEN]: [
    'store_unavailable',
    (path) =>
      `${path} cannot be opened: ${accessProblem(path) ?? 'check that it is a file, and that its folder exists and can be written.'}`,
  ],
  [SQLITE.READONLY]: [
    'store_unavailable',
    (path) =>
      `${path} is read-only for this user. Check that you can write the file, its folder and its disk.`,
  ],
  [SQLITE.IOERR]: [
    'store_unavailable',
    (path, reason) =>
      `The disk of ${path} reports an error (${reason}). Check whether it is full or damaged; acknowledged uses are kept.`,
  ],
  [SQLITE.FULL]: [
    'store_unavailable',
    (path) => `The disk of ${path} is full. Make room; acknowledged uses are kept.`,
  ],
  [SQLITE.CORRUPT]: DAMAGED,
  [SQLITE.NOTADB]: DAMAGED,
};

/** Turns an error of SQLite that a person can fix into one that says how. */
export function explain(error: unknown, path: string): unknown {
  const explained = EXPLAINED[sqliteCodeOf(error) ?? -1];
  if (!explained) return error;
  const [code, message] = explained;
  return new TicketscanError(code, message(path, messageOf(error)), { cause: error });
}
