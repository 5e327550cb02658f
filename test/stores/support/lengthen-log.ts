import { DatabaseSync } from 'node:sqlite';

/** Puts repeated denials at the end of the log of a SQLite store until the store folds it with the next batch. */
export function lengthenLog(path: string): void {
  const database = new DatabaseSync(path);
  database.exec(`
    WITH RECURSIVE entry (number) AS (
      SELECT coalesce(max(sequence), 0) + 1 FROM scan_log UNION ALL SELECT number + 1 FROM entry LIMIT 131072
    )
    INSERT INTO scan_log (sequence, at, api_key, operation, status, reason, ticket, replayed)
      SELECT number, 0, 1, 'consume', 'rejected', 'exhausted', 1, 1 FROM entry`);
  database.close();
}
