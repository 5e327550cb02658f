import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { freePort } from '../../test/support/free-port.ts';
import { LIBSQL, peerTool, peerVersion } from './peer-tools.ts';
import { startPeer } from './peers.ts';
import type { Running } from './servers.ts';

const ROWS = '/api/tables/scan/rows';

export const SOUL = {
  name: 'soul-cli',
  title: `soul-cli ${peerVersion('soul-cli')}`,
  how: `It runs on libsql ${LIBSQL} in place of better-sqlite3, which would have to be compiled: the same interface and the same SQLite, in WAL mode with synchronous = FULL.`,
  /** An insert with the ticket code as its value, as a scan has it. */
  post: { path: ROWS, before: '{"fields":{"ticketCode":"', after: '"}}' },
} as const;

/** Starts it on a new database with one table. */
export async function startSoul(folder: string): Promise<Running> {
  const file = join(folder, 'soul.db');
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = WAL');
  database.exec('CREATE TABLE scan (id INTEGER PRIMARY KEY, ticketCode TEXT NOT NULL)');
  database.close();
  const port = String(await freePort());
  const program = join(peerTool('soul-cli'), 'src/server.js');
  const url = `http://127.0.0.1:${port}`;
  return startPeer(process.execPath, [program, '-d', file, '-p', port], url, async () => {
    const row = { method: 'POST', headers: { 'content-type': 'application/json' } };
    const body = JSON.stringify({ fields: { ticketCode: 'TS1.sample' } });
    return (await fetch(`${url}${ROWS}`, { ...row, body })).status === 201;
  });
}
