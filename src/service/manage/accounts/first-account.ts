import { BASE62, randomText } from '../../../kit/random.ts';
import { COMMAND_LINE } from '../actor.ts';
import { type AccountDeps, Accounts } from './accounts.ts';

const FIRST_NAME = 'admin';
/** 119 random bits. */
const PASSWORD_CHARACTERS = 20;

/**
 * On a store without accounts, makes an owner of its first organisation with a random password.
 * @returns how to sign in, which nobody can find out again; undefined where there are accounts
 */
export async function makeFirstAccount(
  deps: AccountDeps,
): Promise<{ name: string; password: string } | undefined> {
  if ((await deps.store.list('account')).length > 0) return undefined;
  const [first] = await deps.store.list('organisation');
  const password = randomText(BASE62, PASSWORD_CHARACTERS, deps.random);
  const options = { name: FIRST_NAME, role: 'owner', organisationId: first?.id ?? null } as const;
  await new Accounts(deps, COMMAND_LINE).create({ ...options, password });
  return { name: FIRST_NAME, password };
}
