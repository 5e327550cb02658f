import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { type CliIo, Interrupted } from './io.ts';

/** Whether a person can answer a question of the program. */
export function canAsk(io: CliIo): boolean {
  return (io.stdin as NodeJS.ReadStream).isTTY === true && io.stderrIsTty;
}

/**
 * Asks on the terminal, and returns the line that was typed.
 * @param isSecret does not show what is typed
 * @throws Interrupted for Ctrl-C
 */
export async function ask(io: CliIo, question: string, isSecret = false): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const output = isSecret ? silent : io.stderr;
  const lines = createInterface({ input: io.stdin, output, terminal: true });
  // Only now does Ctrl-C reach this question, and not the whole process.
  if (isSecret) io.stderr.write(question);
  // The end of the input (Ctrl-D) answers nothing and would leave the question open for ever.
  const ended = new Promise<never>((_resolve, reject) => {
    lines.once('close', () => reject(new Interrupted()));
  });
  try {
    return await Promise.race([lines.question(isSecret ? '' : question), ended]);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ABORT_ERR' ? new Interrupted() : error;
  } finally {
    lines.close();
    if (isSecret) io.stderr.write('\n');
  }
}
