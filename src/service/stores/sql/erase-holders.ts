import { withoutNames } from '../../../core/erased.ts';
import type { StoredAnswer } from '../../../core/scan-batch.ts';
import { answerWithoutHolder } from '../erased-answer.ts';
import type { SqlConnection } from './connection.ts';

/** Inside a transaction; described in `Store.eraseHolders`. @returns how many tickets had a holder */
export async function eraseHolders(
  connection: SqlConnection,
  ticketIds: readonly string[],
): Promise<number> {
  const ids = [...ticketIds].sort();
  const erased = await connection.run(
    `UPDATE ticket SET first_name = NULL, last_name = NULL, folded_name = NULL
     WHERE ${connection.anyOf('id', '$1')} AND (first_name IS NOT NULL OR last_name IS NOT NULL)`,
    [ids],
  );
  await eraseInAnswers(connection, new Set(ids));
  await eraseInAuditLog(connection, ids);
  return erased;
}

/** The answers of the last 24 hours: a repeated request gets its answer again, without the name. */
async function eraseInAnswers(connection: SqlConnection, ids: ReadonlySet<string>): Promise<void> {
  const { column } = connection.key;
  const rows = await connection.rows<{ key: string | number; name: string; decision: string }>(
    `SELECT ${column} AS key, name, decision FROM stored_answer WHERE decision LIKE '%"holder":{%'`,
  );
  for (const { key, name, decision } of rows) {
    const before = JSON.parse(decision) as StoredAnswer['decision'];
    const after = answerWithoutHolder(before, ids);
    if (after === before) continue;
    await connection.run(
      `UPDATE stored_answer SET decision = $3 WHERE ${column} = $1 AND name = $2`,
      [key, name, JSON.stringify(after)],
    );
  }
}

async function eraseInAuditLog(connection: SqlConnection, ids: readonly string[]): Promise<void> {
  const rows = await connection.rows<{ sequence: number; details: string }>(
    `SELECT sequence, details FROM trail WHERE ${connection.anyOf('subject', '$1')}`,
    [ids],
  );
  for (const { sequence, details } of rows) {
    const text = JSON.stringify(withoutNames(JSON.parse(details)));
    if (text === details) continue;
    await connection.run('UPDATE trail SET details = $2 WHERE sequence = $1', [sequence, text]);
  }
}
