import { existsSync } from 'node:fs';
import { readKeyring } from '../../config/keyring-file.ts';
import { messageOf } from '../../core/errors.ts';
import { counted } from '../../kit/counted.ts';
import { type Finding, Findings } from './finding.ts';

const keyring = new Findings('keyring');

/** Checks that the signing keys exist, that only the owner can read them, and that one signs. @param tickets in the store */
export function checkKeyring(path: string | undefined, tickets: number): Finding {
  if (path === undefined) return keyring.good('In memory, like its store.');
  if (!existsSync(path)) {
    if (tickets === 0) {
      return keyring.skipped(`${path} does not exist yet: the first ticket or server creates it.`);
    }
    return keyring.failed(
      `${path} is missing, but the store has ${counted(tickets, 'ticket')} that only it can verify.`,
      'Restore it from a backup, or name it with --keyring. Do not create a new one.',
    );
  }
  try {
    const keys = readKeyring(path);
    const active = keys
      .filter(({ state }) => state === 'active')
      .map(({ id, format }) => `${id} (${format})`);
    if (active.length > 0) {
      return keyring.good(`${path}: readable by you only; signs with ${active.join(', ')}.`);
    }
    return keyring.failed(
      `${path} has no active key: tickets can be verified, but not created.`,
      'Run: ticketscan signing-keys rotate --format TS1',
    );
  } catch (error) {
    return keyring.failed(messageOf(error), 'Nobody is admitted while the keyring cannot be read.');
  }
}
