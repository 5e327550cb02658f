import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { TicketscanError } from '../core/errors.ts';
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
  if ((io.stdin as NodeJS.ReadStream).isTTY !== true) {
    throw new TicketscanError(
      'usage',
      'No terminal to ask for the password. Add --password env:NAME or file:PATH.',
    );
  }
  const first = await ask('Password: ', io);
  if (first === (await ask('Again:    ', io))) return first;
  throw new TicketscanError('usage', 'The two passwords differ. Nothing was changed.');
}

async function ask(question: string, io: CliIo): Promise<string> {
  io.stderr.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: io.stdin, output: silent, terminal: true });
  try {
    return await lines.question('');
  } finally {
    lines.close();
    io.stderr.write('\n');
  }
}
