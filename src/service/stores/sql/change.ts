import type { NewAuditLogEntry } from '../../../core/administrative-records.ts';
import { taken } from '../store-errors.ts';
import { writeAuditEntry } from './audit-log.ts';
import type { SqlConnection } from './connection.ts';

/**
 * Changes what scans are authorised by, in one transaction that also moves the revision on: every process then sees
 * that what it remembers is stale. The revision comes first, because its row lock makes such changes wait for one another:
 * what they count and compare stays true until they commit.
 * @param auditEntry null for a copy, which brings its entries along
 */
export function change<Result>(
  connection: SqlConnection,
  auditEntry: NewAuditLogEntry | null,
  work: () => Promise<Result>,
): Promise<Result> {
  return connection.inTransaction(async () => {
    await connection.run('UPDATE state SET revision = revision + 1');
    const result = await work();
    await writeAuditEntry(connection, auditEntry);
    return result;
  });
}

/** An existing name or id becomes a `conflict` that says what is taken. */
export async function unlessTaken<Result>(
  connection: SqlConnection,
  what: string,
  insert: Promise<Result>,
): Promise<Result> {
  try {
    return await insert;
  } catch (error) {
    if (!connection.isUniqueViolation(error)) throw error;
    throw taken(what, error);
  }
}
