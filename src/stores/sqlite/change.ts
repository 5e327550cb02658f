import type { DatabaseSync } from 'node:sqlite';
import { inTransaction } from './open-database.ts';

/**
 * Changes what scans are authorised by, in one transaction that also moves the revision on, so that every process sees
 * with its next batch that what it remembers is stale.
 */
export function change<Result>(database: DatabaseSync, work: () => Result): Result {
  return inTransaction(database, () => {
    const result = work();
    database.exec('UPDATE state SET revision = revision + 1');
    return result;
  });
}
