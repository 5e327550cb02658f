import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROGRAM } from '../../support/warm/command.ts';
import { runProgram } from '../../support/warm/run-program.ts';

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder of its own with a store, in which the program runs as a user would run it. */
export class Workplace {
  readonly folder = mkdtempSync(join(tmpdir(), 'ticketscan-test-'));
  readonly environment: NodeJS.ProcessEnv = { ...process.env, NO_COLOR: '1' };

  path(...names: string[]): string {
    return join(this.folder, ...names);
  }

  start(...args: string[]): ChildProcess {
    return spawn(process.execPath, [PROGRAM, ...args], {
      cwd: this.folder,
      env: this.environment,
    });
  }

  /** Runs the program with room for a few open files only. */
  async runWithFewFiles(...args: string[]): Promise<Finished> {
    const command = ['-c', 'ulimit -n 64 && exec "$0" "$@"', process.execPath, PROGRAM, ...args];
    return finished(spawn('bash', command, { cwd: this.folder }));
  }

  async run(...args: string[]): Promise<Finished> {
    const command = { args, cwd: this.folder, env: this.environment };
    const { code, out, err } = await runProgram(command);
    return { code, stdout: out, stderr: err };
  }

  /** The output of a run that has to succeed. */
  async output(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(...args);
    if (code !== 0) throw new Error(`ticketscan ${args.join(' ')} ended with ${code}: ${stderr}`);
    return stdout;
  }

  async json<Value>(...args: string[]): Promise<Value> {
    return JSON.parse(await this.output(...args, '--json')) as Value;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export async function finished(child: ChildProcess): Promise<Finished> {
  const parts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      parts[name] += text;
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { code, ...parts };
}
