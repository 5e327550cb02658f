import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import { DAY_MS } from '../../../kit/durations.ts';
import type { Connections } from './connections.ts';
import { UnknownOutcomeError } from './failures.ts';
import { durably } from './transaction.ts';

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
 * too.
 * @param unknown why it has to be asked
 * @returns true when it is there for good, false when it is not and never will be
 * @throws UnknownOutcomeError that names the operation, when no server could tell in time
 */
export async function outcomeOf(
  connections: Connections,
  { connection, operation, deadlineMs }: Operation,
  unknown: UnknownOutcomeError,
): Promise<boolean> {
  const fence = randomUUID();
  while (performance.now() < deadlineMs) {
    try {
      const found = await connections.with((client) => durably(client, ASK, [connection, fence]));
      return found?.rows[0]?.operation === operation;
    } catch {
      await sleep(RETRY_MS);
    }
  }
  throw new UnknownOutcomeError(
    `${unknown.message} It is unknown whether operation ${operation} was committed; docs/postgres.md says how to find out.`,
    { cause: unknown },
  );
}

const ASK = `
  INSERT INTO scan_operation (connection, operation, at) VALUES ($1, $2, 0)
  ON CONFLICT (connection) DO UPDATE SET at = scan_operation.at RETURNING operation`;

const KEPT_MS = 30 * DAY_MS;

/** Forgets operations of connections that are long gone. */
export async function dropOldOperations(client: ClientBase): Promise<void> {
  await client.query('DELETE FROM scan_operation WHERE at < $1', [Date.now() - KEPT_MS]);
}
