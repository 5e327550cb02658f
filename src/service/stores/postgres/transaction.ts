import type { ClientBase, QueryResult } from 'pg';
import { saysRolledBack, UnknownOutcomeError } from './failures.ts';

/** One lock at a time is all that a store needs; what it reads after a lock must be what others committed before. */
export const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED';

/**
 * Runs `work` in a transaction and commits it durably. Rolls back when it throws.
 * @throws UnknownOutcomeError when nobody can say whether the commit happened
 */
export async function inTransaction<Result>(
  client: ClientBase,
  work: () => Promise<Result>,
): Promise<Result> {
  await client.query(BEGIN);
  let result: Result;
  try {
    result = await work();
  } catch (error) {
    await rollBack(client);
    throw error;
  }
  if (!(await durably(client, 'COMMIT'))) throw new Error('the server rolled the transaction back');
  return result;
}

/** A connection that cannot even do this is thrown away, which does it too. */
export async function rollBack(client: ClientBase): Promise<void> {
  await client.query('ROLLBACK').catch(() => {});
}

/**
 * Sends what ends a transaction, and waits until it is durable.
 *
 * A commit that waits for a synchronous standby can be made to stop waiting: it then succeeds with a mere warning and may
 * be lost with the server. So any notice makes the outcome unknown, and so does a connection that ends first.
 * @returns undefined when the server says that it rolled back instead
 * @throws UnknownOutcomeError; any other error means that nothing was committed
 */
export async function durably(
  client: ClientBase,
  statement: string,
  values: unknown[] = [],
): Promise<QueryResult | undefined> {
  let warned: string | undefined;
  const onNotice = (notice: { message?: string | undefined }) => {
    warned ??= notice.message ?? 'a warning';
  };
  client.on('notice', onNotice);
  try {
    const result = await client.query(statement, values);
    if (warned !== undefined)
      throw new UnknownOutcomeError(`The commit may not be durable: ${warned}`);
    return result.command === 'ROLLBACK' ? undefined : result;
  } catch (error) {
    if (error instanceof UnknownOutcomeError || saysRolledBack(error)) throw error;
    throw new UnknownOutcomeError(
      'The connection was lost during a commit; it may or may not have happened.',
      {
        cause: error,
      },
    );
  } finally {
    client.off('notice', onNotice);
  }
}
