import type { Duplex } from 'node:stream';
import type { ClientBase } from 'pg';

/**
 * Sends all that `ask` asks of this connection before it returns in one write. The driver would write each statement by
 * itself, and each write is a system call and wakes the server: that costs more than the statements' text.
 */
export function inOneWrite<Result>(client: ClientBase, ask: () => Result): Result {
  const { stream } = (client as ClientBase & { readonly connection: { readonly stream: Duplex } })
    .connection;
  stream.cork();
  try {
    return ask();
  } finally {
    stream.uncork();
  }
}
