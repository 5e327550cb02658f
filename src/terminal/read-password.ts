import { TicketscanError } from '../core/errors.ts';
import { ask, canAsk } from './ask.ts';
import type { CliIo } from './io.ts';
import { readSecretValue } from './option-values.ts';

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
