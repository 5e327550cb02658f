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
