import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../free-port.ts';
import { SERVER_USER } from './binaries.ts';
import type { PostgresCluster } from './cluster.ts';

export interface PgBouncerOptions {
  readonly mode: 'session' | 'transaction' | 'statement';
  /** Connections to the server, for each database. */
  readonly size: number;
}

/** A PgBouncer in front of a server, configured with nothing but what it cannot do without. */
export class PgBouncer implements AsyncDisposable {
  readonly #process: ChildProcess;
  readonly #folder: string;
  readonly #port: number;

  private constructor(process: ChildProcess, folder: string, port: number) {
    this.#process = process;
    this.#folder = folder;
    this.#port = port;
  }

  static async start(
    server: PostgresCluster,
    { mode, size }: PgBouncerOptions,
  ): Promise<PgBouncer> {
    const folder = mkdtempSync(join(tmpdir(), 'ticketscan-pgbouncer-'));
    const port = await freePort();
    const file = join(folder, 'pgbouncer.ini');
    writeFileSync(
      file,
      `[databases]
      * = host=127.0.0.1 port=${server.port} user=postgres
      [pgbouncer]
      listen_addr = 127.0.0.1
      listen_port = ${port}
      unix_socket_dir =
      auth_type = any
      pool_mode = ${mode}
      default_pool_size = ${size}
      `.replace(/^ +/gm, ''),
    );
    if (SERVER_USER) chownSync(folder, SERVER_USER.uid, SERVER_USER.gid);
    const started = spawn('pgbouncer', [file], { ...SERVER_USER, stdio: 'ignore' });
    const made = new PgBouncer(started, folder, port);
    while (!(await isOpen(port))) {
      if (started.exitCode !== null) throw new Error(`pgbouncer ended: ${readFileSync(file)}`);
      await sleep(20);
    }
    return made;
  }

  url(database: string): string {
    return `postgres://postgres@127.0.0.1:${this.#port}/${database}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#process, 'exit');
    if (this.#process.exitCode === null) {
      this.#process.kill('SIGKILL');
      await ended;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
