import { Writable } from 'node:stream';
import { runCli } from '../../../src/cli/program.ts';
import { type CliIo, type ExitCode, reportFailure } from '../../../src/terminal/io.ts';

/** Runs the program in this process, as a terminal-less shell would. */
export async function runCommand(args: readonly string[], env: Record<string, string> = {}) {
  const texts = { stdout: '', stderr: '' };
  const stream = (name: 'stdout' | 'stderr') =>
    new Writable({
      write(chunk, _, done) {
        texts[name] += chunk;
        done();
      },
    });
  let code: ExitCode = 0;
  const io: CliIo = {
    env,
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    stdin: process.stdin,
    stdoutIsTty: false,
    stderrIsTty: false,
    out: (line) => {
      texts.stdout += `${line}\n`;
    },
    err: (line) => {
      texts.stderr += `${line}\n`;
    },
    exit: (exitCode) => {
      code = exitCode;
    },
    stopSignal: () => new AbortController().signal,
    onHangup: () => {},
  };
  try {
    await runCli(args, io);
  } catch (error) {
    reportFailure(io, error);
  }
  return { ...texts, code };
}
