import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { runCli } from '../../src/cli/program.ts';
import { type ErrorCode, TicketscanError } from '../../src/core/errors.ts';
import { sanitizedMessage } from '../../src/kit/text.ts';
import { type CliIo, type ExitCode, reportFailure } from '../../src/terminal/io.ts';

export interface Ended {
  readonly code: ExitCode;
  readonly out: string;
  readonly err: string;
  /** What kind of failure ended it; `options` for what the command line itself refuses. */
  readonly failure: ErrorCode | 'options' | undefined;
}

type Environment = Readonly<Record<string, string>>;

/** The program in this process, in a folder of its own: for commands of which the process itself is not tested. */
export class InProcess implements AsyncDisposable {
  readonly path = realpathSync(mkdtempSync(join(tmpdir(), 'ticketscan-here-')));
  readonly #stop: AbortSignal;

  /** @param stop what asks commands to end that would go on; they never are by default */
  constructor(stop = new AbortController().signal) {
    this.#stop = stop;
  }

  /** @param line the words, or a text of them where quotes keep blanks together */
  async run(line: string | readonly string[], env: Environment = {}): Promise<Ended> {
    return this.#run(wordsOf(line), env);
  }

  /** The parsed output of a command that must succeed. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at whatever the command printed
  async json(line: string | readonly string[], env: Environment = {}): Promise<any> {
    const args = [...wordsOf(line), '--json'];
    const { code, out, err } = await this.#run(args, env);
    if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${err}`);
    return JSON.parse(out);
  }

  /** Runs a command on a terminal where somebody types `answer`. `err` has the question. */
  async ask(line: string | readonly string[], answer: string): Promise<Ended> {
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    const stopTyping = setInterval(() => stdin.write(answer), 20);
    try {
      return await this.#run(wordsOf(line), {}, stdin);
    } finally {
      clearInterval(stopTyping);
    }
  }

  async #run(args: readonly string[], env: Environment, terminal?: PassThrough): Promise<Ended> {
    const texts = { out: '', err: '' };
    const stream = (name: 'out' | 'err') =>
      new Writable({
        write(chunk, _, done) {
          texts[name] += chunk;
          done();
        },
      });
    const ended = { code: 0 as ExitCode };
    const io: CliIo = {
      env: { NO_COLOR: '1', ...env },
      stdout: stream('out'),
      stderr: stream('err'),
      stdin: terminal ?? new PassThrough().end(),
      stdoutIsTty: false,
      stderrIsTty: terminal !== undefined,
      out: (line) => {
        texts.out += `${line}\n`;
      },
      err: (line) => {
        texts.err += `${sanitizedMessage(line)}\n`;
      },
      exit: (exitCode) => {
        ended.code = exitCode;
      },
      stopSignal: () => this.#stop,
      onHangup: () => {},
    };
    const before = process.cwd();
    process.chdir(this.path);
    let thrown: unknown;
    try {
      await runCli(args, io);
    } catch (error) {
      thrown = error;
      reportFailure(io, error);
    } finally {
      process.chdir(before);
    }
    const refused = ended.code === 2 ? 'options' : undefined;
    return {
      ...texts,
      ...ended,
      failure: thrown instanceof TicketscanError ? thrown.code : refused,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    rmSync(this.path, { recursive: true, force: true });
  }
}

function wordsOf(line: string | readonly string[]): readonly string[] {
  if (typeof line !== 'string') return line;
  const words = line.match(/(?:"[^"]*"|[^\s"])+/g) ?? [];
  return words.map((word) => word.replaceAll('"', ''));
}
