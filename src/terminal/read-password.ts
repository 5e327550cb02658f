import { TicketscanError } from '../core/errors.ts';
import { ask, canAsk } from './ask.ts';
import type { CliIo } from './io.ts';
import { readSecretValue } from './secret-value.ts';

/**
 * A password from `env:NAME` or `file:PATH`, or asked for twice on a terminal without showing it. Never from the command
 * line itself, where every other user of the machine could read it.
 * @throws TicketscanError `usage`
 */
export async function readPassword(given: string | undefined, io: CliIo): Promise<string> {
  if (given !== undefined) {
    if (!/^(?:env|file):./s.test(given)) {
      throw new TicketscanError(
        'usage',
        '--password needs env:NAME or file:PATH: other users can see the command line.',
      );
    }
    return readSecretValue(given, io);
  }
  if (!canAsk(io)) {
    throw new TicketscanError(
      'usage',
      'No terminal to ask for the password. Add --password env:NAME or file:PATH.',
    );
  }
  const first = await ask(io, 'Password: ', true);
  if (first === (await ask(io, 'Again:    ', true))) return first;
  throw new TicketscanError('usage', 'The two passwords differ. Nothing was changed.');
}
