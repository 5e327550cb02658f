import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientBase, QueryResult } from 'pg';
import { DAY_MS } from '../../kit/durations.ts';
import type { Connections } from './connections.ts';
import { saysRolledBack, UnknownOutcomeError } from './failures.ts';

/** One lock at a time is all that a store needs; what it reads after a lock must be what others committed before. */
export const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED';

/** All that it reads is the state at its first read. */
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

const RETRY_MS = 50;

export interface Operation {
  /** The name of the connection that it was committed on. */
  readonly connection: string;
  readonly operation: string;
  /** On `performance.now()`. */
  readonly deadlineMs: number;
}

/**
 * Finds out whether an operation was committed. The connection's row is written again, or made: that waits for the transaction if
 * the server is still at it, and, being a commit of its own, is durable only when everything before it is, on the standby
 * too. From then on the row is closed: what the connection sent and is still on its way cannot be committed any more.
 * @param unknown why it has to be asked
 * @returns true when it is there for good, false when it is not and never will be
 * @throws UnknownOutcomeError that names the operation, when no server could tell in time
 */
export async function outcomeOf(
  connections: Connections,
  { connection, operation, deadlineMs }: Operation,
  unknown: UnknownOutcomeError,
): Promise<boolean> {
  const values = [connection, randomUUID(), Date.now()];
  while (performance.now() < deadlineMs) {
    try {
      const found = await connections.with((client) => durably(client, ASK, values));
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

/** The time of a row that is closed is negative. */
const ASK = `
  INSERT INTO scan_operation (connection, operation, at) VALUES ($1, $2, -$3::bigint)
  ON CONFLICT (connection) DO UPDATE SET at = -1 - abs(scan_operation.at) RETURNING operation`;

const KEPT_MS = 30 * DAY_MS;

/** Forgets operations of connections that are long gone. */
export async function dropOldOperations(client: ClientBase): Promise<void> {
  await client.query('DELETE FROM scan_operation WHERE abs(at) < $1', [Date.now() - KEPT_MS]);
}
