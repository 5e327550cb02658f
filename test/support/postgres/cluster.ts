import { execFile } from 'node:child_process';
import {
  appendFileSync,
  chownSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../free-port.ts';
import { postgresBinaries, SERVER_USER } from './binaries.ts';

const run = promisify(execFile);

export type ServerSettings = Readonly<Record<string, string | number>>;

export interface ClusterPlace {
  /** A free one by default. */
  readonly port?: number;
  /** The folder that its own is made in. */
  readonly parent?: string;
}

const START_TRIES = 3;

/** A PostgreSQL server of our own, on a free port of loopback, in a temporary folder. */
export class PostgresCluster implements AsyncDisposable {
  readonly folder: string;
  readonly port: number;

  private constructor(folder: string, port: number) {
    this.folder = folder;
    this.port = port;
  }

  /** A new and empty one, started. Another process may take the free port first: then it is tried with another. */
  static async start(
    settings: ServerSettings = {},
    place: ClusterPlace = {},
  ): Promise<PostgresCluster> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await PostgresCluster.#startNew(settings, place);
      } catch (error) {
        if (place.port !== undefined || tries === START_TRIES) throw error;
      }
    }
  }

  static async #startNew(settings: ServerSettings, place: ClusterPlace): Promise<PostgresCluster> {
    const cluster = await PostgresCluster.prepare(place);
    await cluster.#run(
      'initdb',
      '-D',
      cluster.folder,
      '-U',
      'postgres',
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--locale=C',
      '--no-sync',
    );
    cluster.configure({ max_connections: 200, ...settings });
    await cluster.start();
    return cluster;
  }

  /** A folder for one that is filled in another way. */
  static async prepare({ port, parent = tmpdir() }: ClusterPlace): Promise<PostgresCluster> {
    const folder = mkdtempSync(join(parent, 'ticketscan-postgres-'));
    if (SERVER_USER) chownSync(folder, SERVER_USER.uid, SERVER_USER.gid);
    return new PostgresCluster(folder, port ?? (await freePort()));
  }

  static freePorts(count: number): Promise<number[]> {
    return Promise.all(Array.from({ length: count }, freePort));
  }

  configure(settings: ServerSettings): void {
    const all = {
      port: this.port,
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      ...settings,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name} = '${value}'\n`);
    appendFileSync(join(this.folder, 'postgresql.conf'), lines.join(''));
  }

  /** Puts a file into its folder, in the place of another of that name. */
  write(name: string, text: string): void {
    const path = join(this.folder, name);
    writeFileSync(path, text);
    if (SERVER_USER) chownSync(path, SERVER_USER.uid, SERVER_USER.gid);
  }

  async start(): Promise<void> {
    const log = join(this.folder, 'server.log');
    try {
      await this.#control('start', '-l', log);
    } catch (error) {
      throw new Error(`${messageOf(error)}\n${readFileSync(log, 'utf8').slice(-2000)}`);
    }
  }

  async stop(mode: 'fast' | 'immediate' = 'fast'): Promise<void> {
    await this.#control('stop', '-m', mode);
  }

  async promote(): Promise<void> {
    await this.#control('promote');
  }

  async reload(): Promise<void> {
    await this.#control('reload');
  }

  /** Holds back what leaves for the standby from now on, as when the network between them fails. */
  holdBackFromStandby(): void {
    const senders = this.processes().filter((pid) => commandOf(pid).includes('walsender'));
    if (senders.length === 0) throw new Error('the server sends to no standby');
    for (const pid of senders) signal(pid, 'SIGSTOP');
  }

  /** Its machine hangs: connections are accepted, and nothing is answered. */
  freeze(): void {
    for (const pid of this.processes()) signal(pid, 'SIGSTOP');
  }

  /** Goes on after `freeze`. @returns false where there is nothing that could */
  thaw(): boolean {
    const frozen = this.processes();
    for (const pid of frozen) signal(pid, 'SIGCONT');
    return frozen.length > 0;
  }

  /** Cuts the server's power: ends all its processes at once, without a word to anybody. Resolves when they are gone. */
  async kill(): Promise<void> {
    const killed = this.processes();
    for (const pid of killed) signal(pid, 'SIGKILL');
    while (killed.some((pid) => isAlive(pid))) await sleep(5);
    // While nobody has collected the ended process, its number would pass for a server that runs.
    if (killed.length > 0) rmSync(join(this.folder, 'postmaster.pid'), { force: true });
  }

  /** Its processes; none when it does not run. The first starts and watches the others. */
  processes(): number[] {
    const postmaster = this.#postmaster();
    return postmaster === undefined ? [] : [postmaster, ...childrenOf(postmaster)];
  }

  /** A server that was killed leaves its file, and its number may be another process's by now. */
  #postmaster(): number | undefined {
    try {
      const pid = Number(readFileSync(join(this.folder, 'postmaster.pid'), 'utf8').split('\n')[0]);
      return commandOf(pid).includes(this.folder) ? pid : undefined;
    } catch {
      return undefined;
    }
  }

  url(database = 'postgres'): string {
    return `postgres://postgres@127.0.0.1:${this.port}/${database}`;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop('immediate').catch(() => {});
    this.remove();
  }

  async #control(action: string, ...options: string[]): Promise<void> {
    await this.#run('pg_ctl', action, '-D', this.folder, '-w', '-s', ...options);
  }

  async #run(program: string, ...args: string[]): Promise<void> {
    try {
      await run(join(postgresBinaries(), program), args, { ...SERVER_USER, cwd: tmpdir() });
    } catch (error) {
      throw new Error(
        `${program} ${args.join(' ')} failed: ${(error as { stderr?: string }).stderr ?? error}`,
      );
    }
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended by itself just now.
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Empty for one that has ended. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

/** One that has ended and was not collected yet is gone. */
function isAlive(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return (
          Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]) === parent
        );
      } catch {
        return false;
      }
    });
}
