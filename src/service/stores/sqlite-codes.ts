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

const PRIMARY_CODE_MASK = 0xff;

/** The primary code of an error of SQLite; undefined for any other. */
export function sqliteCodeOf(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown } | null)?.errcode;
  return typeof code === 'number' ? code & PRIMARY_CODE_MASK : undefined;
}

export function isSqliteBusy(error: unknown): boolean {
  return sqliteCodeOf(error) === SQLITE.BUSY;
}
