import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';

interface ActionStep {
  readonly id?: string;
  readonly shell?: string;
  readonly run?: string;
  readonly uses?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface ActionFile {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly ActionStep[] };
}

export const ACTION = parse(readFileSync('action.yml', 'utf8')) as ActionFile;

export interface StepsResult {
  readonly code: number | null;
  readonly log: string;
  readonly summary: string;
  readonly outputs: Readonly<Record<string, string>>;
}

/** A folder as a runner of a pipeline has it: the user's repository. */
export class Workspace implements AsyncDisposable {
  readonly path = mkdtempSync(join(tmpdir(), 'ticketscan-pipeline-'));

  write(name: string, content: unknown): void {
    writeFileSync(join(this.path, name), JSON.stringify(content));
  }

  read(name: string): string {
    return readFileSync(join(this.path, name), 'utf8');
  }

  has(name: string): boolean {
    return existsSync(join(this.path, name));
  }

  /**
   * Runs the `run:` steps of the action one after another, as GitHub's runner does: expressions in `env` only, the script in a file, outputs and the
   * summary through files. `actionPath` is where the action lies. Steps that use another action do not run here.
   */
  async runAction(
    inputs: Readonly<Record<string, string>>,
    actionPath = resolve('.'),
  ): Promise<StepsResult> {
    const files = { output: join(this.path, '.output'), summary: join(this.path, '.summary') };
    for (const file of Object.values(files)) writeFileSync(file, '');
    let log = '';
    let code: number | null = 0;
    for (const step of ACTION.runs.steps) {
      if (step.run === undefined || code !== 0) continue;
      const known = { inputs: withDefaults(inputs), outputs: outputsIn(files.output) };
      const ran = await this.#script(
        ['bash', '--noprofile', '--norc', '-eo', 'pipefail'],
        step.run,
        {
          ...Object.fromEntries(
            Object.entries(step.env ?? {}).map(([name, text]) => [name, filled(text, known)]),
          ),
          GITHUB_OUTPUT: files.output,
          GITHUB_STEP_SUMMARY: files.summary,
          GITHUB_WORKSPACE: this.path,
          GITHUB_ACTION_PATH: actionPath,
        },
      );
      code = ran.code;
      log += ran.log;
    }
    const summary = readFileSync(files.summary, 'utf8');
    return { code, log, summary, outputs: outputsIn(files.output) };
  }

  /** Runs the lines of a GitLab job with that shell. */
  async runJob(
    shell: 'bash' | 'sh',
    variables: Readonly<Record<string, string>>,
  ): Promise<{ code: number | null; log: string }> {
    const file = parse(readFileSync('ci/gitlab.yml', 'utf8')) as Record<string, GitLabJob>;
    const job = file['ticketscan-check'];
    if (!job) throw new Error('ci/gitlab.yml has no job ticketscan-check');
    const lines = [...job.before_script, ...job.script].join('\n');
    return this.#script([shell, '-e'], lines, { ...job.variables, ...variables });
  }

  async #script(
    [shell = '', ...options]: readonly string[],
    text: string,
    env: Readonly<Record<string, string>>,
  ): Promise<{ code: number | null; log: string }> {
    const file = join(this.path, '.script');
    writeFileSync(file, text);
    const path = process.env['PATH'] ?? '';
    const child = spawn(shell, [...options, file], { cwd: this.path, env: { PATH: path, ...env } });
    let log = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (data) => {
        log += data;
      });
    }
    const code = await new Promise<number | null>((done) => child.once('close', done));
    return { code, log };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    rmSync(this.path, { recursive: true });
  }
}

interface GitLabJob {
  readonly variables: Readonly<Record<string, string>>;
  readonly before_script: readonly string[];
  readonly script: readonly string[];
}

function withDefaults(inputs: Readonly<Record<string, string>>): Record<string, string> {
  const names = Object.entries(ACTION.inputs);
  return Object.fromEntries(names.map(([name, input]) => [name, inputs[name] ?? input.default]));
}

function outputsIn(file: string): Record<string, string> {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  return Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2)));
}

/** The two kinds of expression that the action uses. */
function filled(
  text: string,
  known: { inputs: Record<string, string>; outputs: Record<string, string> },
): string {
  return text.replace(/\$\{\{ (?:inputs|steps\.check\.outputs)\.([\w-]+) \}\}/g, (all, name) => {
    const value = (all.includes('inputs.') ? known.inputs : known.outputs)[name];
    if (value === undefined) throw new Error(`${all} does not exist`);
    return value;
  });
}
