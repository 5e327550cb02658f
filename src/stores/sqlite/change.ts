import type { DatabaseSync } from 'node:sqlite';
import type { NewTrailEntry } from '../../core/administrative-records.ts';
import { inTransaction } from './open-database.ts';
import { recordAct } from './trail-table.ts';

/**
 * Changes what scans are authorised by, in one transaction that also moves the revision on, so that every process sees
 * with its next batch that what it remembers is stale. `act` is null for a copy, which brings the trail along.
 */
export function change<Result>(
  database: DatabaseSync,
  act: NewTrailEntry | null,
  work: () => Result,
): Result {
  return inTransaction(database, () => {
    const result = work();
    database.exec('UPDATE state SET revision = revision + 1');
    recordAct(database, act);
    return result;
  });
}
