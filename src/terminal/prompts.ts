import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { TicketscanError } from '../core/errors.ts';
import { sanitizedMessage } from '../kit/text.ts';
import { type CliIo, Interrupted, note } from './io.ts';
import { readSecretValue } from './options.ts';

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

/** What cannot be undone, or is very large. */
interface Question {
  /** What happens, as a sentence, which is sanitized: `Every ticket that it signed is refused from now on.` */
  readonly consequence: string;
  /** `--yes` */
  readonly yes?: boolean | undefined;
  /** `--json`: a program reads the answer, so nobody is asked. */
  readonly json?: boolean | undefined;
  /** Whether `--yes` is needed where nobody can be asked. */
  readonly needsYes: boolean;
}

/**
 * Asks a person on a terminal before an action. Elsewhere the action goes on, or needs `--yes`.
 * @returns false when the answer is no; the exit code is then 1
 * @throws TicketscanError `usage` where nobody can be asked and `--yes` is missing
 */
export async function confirm(
  io: CliIo,
  { consequence, yes, json, needsYes }: Question,
): Promise<boolean> {
  if (yes) return true;
  if (json || !canAsk(io)) {
    if (!needsYes) return true;
    throw new TicketscanError('usage', `${consequence} Add --yes to do it. Nothing was changed.`);
  }
  const answer = await ask(io, `${sanitizedMessage(consequence)} Go on? [y/N] `);
  if (/^(?:y|yes)$/i.test(answer.trim())) return true;
  note(io, 'Nothing was changed.');
  io.exit(1);
  return false;
}

export interface PasswordWords {
  /** The option that gives it. */
  readonly option: string;
  /** What it is called in questions. */
  readonly name: string;
  /** It exists already, so that it is asked for once. */
  readonly isKnown?: boolean;
}

const NEW_PASSWORD: PasswordWords = { option: '--password', name: 'password' };

/**
 * A password from `env:NAME` or `file:PATH`, or asked for on a terminal without showing it; a new one twice. Never from the command
 * line itself, where every other user of the machine could read it.
 * @throws TicketscanError `usage`
 */
export async function readPassword(
  given: string | undefined,
  io: CliIo,
  { option, name, isKnown = false }: PasswordWords = NEW_PASSWORD,
): Promise<string> {
  if (given !== undefined) {
    if (!/^(?:env|file):./s.test(given)) {
      throw new TicketscanError(
        'usage',
        `${option} needs env:NAME or file:PATH: other users can see the command line.`,
      );
    }
    return readSecretValue(given, io);
  }
  if (!canAsk(io)) {
    throw new TicketscanError(
      'usage',
      `No terminal to ask for the ${name}. Add ${option} env:NAME or file:PATH.`,
    );
  }
  const question = `${name.replace(/^./, (letter) => letter.toUpperCase())}: `;
  const first = await ask(io, question, true);
  if (isKnown || first === (await ask(io, 'Again: '.padEnd(question.length), true))) return first;
  throw new TicketscanError('usage', `The two ${name}s differ. Nothing was changed.`);
}
