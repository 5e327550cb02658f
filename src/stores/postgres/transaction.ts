import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientBase, QueryResult } from 'pg';
import { DAY_MS } from '../../kit/durations.ts';
import type { Connections } from './connections.ts';
import { saysRolledBack, UnknownOutcomeError } from './failures.ts';

/** The isolation of writes: what a store reads after it took a lock must be what others committed before. */
export const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED';

/** A transaction that reads only; all of it sees the state at its first read. */
export const BEGIN_READING = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

/**
 * Runs `work` in a transaction and commits it durably. Rolls back when it throws.
 * @throws UnknownOutcomeError when it is unknown whether the commit happened
 */
export async function inTransaction<Result>(
  client: ClientBase,
  work: () => Promise<Result>,
): Promise<Result> {
  let result: Result;
  try {
    await client.query(BEGIN);
    result = await work();
  } catch (error) {
    await rollBack(client);
    throw error;
  }
  if (!(await sendDurably(client, 'COMMIT')))
    throw new Error('the server rolled the transaction back');
  return result;
}

/** Rolls back. If that fails, the connection is thrown away, which rolls back too. */
export async function rollBack(client: ClientBase): Promise<void> {
  await client.query('ROLLBACK').catch(() => {});
}

/**
 * Sends the statement that ends a transaction, and waits until the transaction is durable.
 *
 * A commit that waits for a synchronous standby can be told to stop waiting: it then succeeds with only a warning and may
 * be lost with the server. So any notice makes the outcome unknown, and so does a connection that ends before the answer.
 * @returns undefined if the server says that it rolled back instead
 * @throws UnknownOutcomeError; any other error means that nothing was committed
 */
export async function sendDurably(
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

const RETRY_MS = 50;

export interface Operation {
  /** The name of the connection on which it was committed. */
  readonly connection: string;
  readonly operation: string;
  /** The deadline, on `performance.now()`. */
  readonly deadlineMs: number;
}

/**
 * Finds out whether an operation was committed. It writes the connection's row again, or makes it. This waits for the transaction if
 * the server still runs it. As a commit of its own it is durable only when everything before it is durable, on the standby
 * too. From then on the row is closed: a statement of the connection that is still on its way can no longer be committed.
 * @param unknown the error that left the outcome unknown
 * @returns true if it is committed and durable, false if it is not and never will be
 * @throws UnknownOutcomeError that names the operation, if no server could tell in time
 */
export async function outcomeOf(
  connections: Connections,
  { connection, operation, deadlineMs }: Operation,
  unknown: UnknownOutcomeError,
): Promise<boolean> {
  const values = [connection, randomUUID(), Date.now()];
  while (performance.now() < deadlineMs) {
    try {
      const found = await connections.with((client) => sendDurably(client, ASK, values));
      return found?.rows[0]?.operation === operation;
    } catch {
      await sleep(RETRY_MS);
    }
  }
  throw new UnknownOutcomeError(
    `${unknown.message} It is unknown whether operation ${operation} was committed; how to find out: ticketscan docs postgres`,
    { cause: unknown },
  );
}

/** Closes the row: the time of a closed row is negative. */
const ASK = `
  INSERT INTO scan_operation (connection, operation, at) VALUES ($1, $2, -$3::bigint)
  ON CONFLICT (connection) DO UPDATE SET at = -1 - abs(scan_operation.at) RETURNING operation`;

const KEPT_MS = 30 * DAY_MS;

/** Forgets operations of connections that ended long ago. */
export async function dropOldOperations(client: ClientBase): Promise<void> {
  await client.query('DELETE FROM scan_operation WHERE abs(at) < $1', [Date.now() - KEPT_MS]);
}
