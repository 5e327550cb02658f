import { randomBytes } from 'node:crypto';
import { systemClock } from '../../../config/system-clock.ts';
import { messageOf, TicketscanError } from '../../../core/errors.ts';
import { makeFirstAccount } from '../../../features/accounts/accounts.ts';
import { Passwords } from '../../../features/accounts/passwords.ts';
import { fileFailure } from '../../../kit/failures.ts';
import type { CliIo } from '../../../terminal/io.ts';
import { writeForOwner } from '../../../terminal/write-for-owner.ts';
import type { AdministeredStore } from '../../manage/organisation-administration.ts';
import { storeOption } from '../access/existing-store.ts';

interface SignIn {
  readonly name: string;
  readonly password: string;
}

/**
 * On a store without accounts: makes one, and shows how to sign in, this once, where people look.
 * @param file for its owner only; undefined writes to stderr, which a service must not: many may read its log
 */
export async function showFirstSignIn(
  io: CliIo,
  store: AdministeredStore,
  storeUrl: string,
  urls: readonly string[],
  file: string | undefined,
): Promise<void> {
  const first = await firstSignIn(io, store, storeUrl);
  if (!first) return;
  if (file !== undefined) {
    writeSignIn(io, file, first, { storeUrl, urls });
    return;
  }
  io.err(`First sign-in at ${urls[0]}/  name: ${first.name}  password: ${first.password}`);
  if (storeUrl === 'memory:') {
    io.err('The password is shown only once.');
    return;
  }
  io.err('The password is shown only once. Change it in the dashboard, or create another account:');
  io.err(`  ${createAnAccount(storeUrl)}`);
}

const createAnAccount = (storeUrl: string) =>
  `ticketscan accounts create --name NAME --role owner${storeOption(storeUrl)}`;

function writeSignIn(
  io: CliIo,
  file: string,
  { name, password }: SignIn,
  { storeUrl, urls }: { readonly storeUrl: string; readonly urls: readonly string[] },
): void {
  const lines = [
    ...urls.map((url) => `address: ${url}/`),
    `name: ${name}`,
    `password: ${password}`,
  ];
  const advice = 'Change the password in the dashboard, then delete this file.';
  try {
    writeForOwner(file, `${[...lines, '', advice].join('\n')}\n`);
    io.err(`The first sign-in is in ${file}, which only its owner can read.`);
  } catch (error) {
    io.err(`The first sign-in could not be written to ${file}: ${fileFailure(error)}.`);
    const command = `ticketscan accounts password ${name}${storeOption(storeUrl)}`;
    io.err(`Set a password to sign in with: ${command}`);
  }
}

/**
 * On a store without accounts: makes one and prints how to sign in. A failure is printed on stderr and stops nothing.
 * @returns undefined where there are accounts, or none could be made
 */
export async function firstSignIn(
  io: CliIo,
  store: AdministeredStore,
  storeUrl: string,
): Promise<SignIn | undefined> {
  const deps = { store, clock: systemClock, random: randomBytes, passwords: new Passwords() };
  try {
    return await makeFirstAccount(deps);
  } catch (error) {
    // Two servers started on an empty store: the other one was faster and shows its own.
    if (error instanceof TicketscanError && error.code === 'conflict') return undefined;
    // The gates are served all the same, or get an error.
    io.err(`The first account could not be created: ${messageOf(error)}`);
    io.err(`Create it yourself, or restart the server: ${createAnAccount(storeUrl)}`);
    return undefined;
  }
}
