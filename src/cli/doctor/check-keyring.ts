import { existsSync } from 'node:fs';
import { readKeyring } from '../../config/keyring-file.ts';
import { messageOf } from '../../core/errors.ts';
import { type Finding, Findings } from './finding.ts';

const keyring = new Findings('keyring');

/** Whether the signing keys are there, for nobody else to read, and one of them signs. @param tickets in the store */
export function checkKeyring(path: string | undefined, tickets: number): Finding {
  if (path === undefined) return keyring.good('In memory, like its store.');
  if (!existsSync(path)) {
    if (tickets === 0) {
      return keyring.skipped(`${path} is not there yet: the first ticket or server makes it.`);
    }
    return keyring.failed(
      `${path} is missing, and the store holds ${tickets} tickets that only it can verify.`,
      'Restore it from a backup, or name it with --keyring. Do not make a new one.',
    );
  }
  try {
    const keys = readKeyring(path);
    const active = keys
      .filter(({ state }) => state === 'active')
      .map(({ id, format }) => `${id} (${format})`);
    if (active.length > 0) {
      return keyring.good(`${path}: for you alone to read; signs with ${active.join(', ')}.`);
    }
    return keyring.failed(
      `${path} has no active key: tickets can be verified, but none can be made.`,
      'Run: ticketscan signing-keys rotate --format TS1',
    );
  } catch (error) {
    return keyring.failed(messageOf(error), 'Nobody is let in while the keyring cannot be read.');
  }
}
