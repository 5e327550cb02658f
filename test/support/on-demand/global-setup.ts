import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SharedPostgres } from '../postgres/shared-postgres.ts';
import { WarmPrograms } from '../warm/warm-programs.ts';
import { SOCKET_VARIABLE } from './ask.ts';

/**
 * Starts what several test files share when the first of them asks for it: a PostgreSQL server, a warm program for each worker.
 * A run that asks for nothing pays for a socket. Each project of the test runner calls this; the first call is enough.
 */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env[SOCKET_VARIABLE] !== undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'ticketscan-tests-'));
  const postgres = new SharedPostgres();
  const programs = new WarmPrograms(folder);
  const server = createServer((client) => {
    client.on('error', () => undefined);
    client.setEncoding('utf8').once('data', async (asked: string) => {
      const [what = '', name = ''] = asked.trim().split(' ');
      const answer = what === 'postgres' ? postgres.url() : programs.path(name);
      client.end(await answer.catch((error: unknown) => `failed: ${String(error)}`));
    });
  });
  const socket = join(folder, 'on-demand');
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  process.env[SOCKET_VARIABLE] = socket;
  return async () => {
    server.close();
    programs.stop();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}
