import { Command } from 'commander';
import { isoTime } from '../../../core/clock.ts';
import { inZone, shownTime } from '../../../core/time-zone.ts';
import { foldedName } from '../../../features/accounts/account-name.ts';
import { didYouMean } from '../../../kit/nearest.ts';
import { sanitizeForTerminal } from '../../../kit/safe-text.ts';
import { zoneOf } from '../../../operations/zone.ts';
import type { CliIo } from '../../../terminal/io.ts';
import { showRecords } from '../../../terminal/results.ts';
import { addSettings } from '../../../terminal/setting-options.ts';
import { findNamed } from '../../manage/record-checks.ts';
import { DATA_SETTINGS, withData } from '../access/data-access.ts';
import type { ListedToken } from '../access/data-types.ts';

const EXAMPLES = `
Examples:
  ticketscan accounts tokens list
  ticketscan accounts tokens list --account ada --json
  ticketscan accounts tokens revoke pat_4k2m9x0q1z
  ticketscan accounts tokens list --url https://gate.example.org --token env:TOKEN    needs a token of an owner

A token has the rights of its account. A new password of the account ends all its tokens.`;

/** `ticketscan accounts tokens`: what scripts may come in with. Nobody can see the value of a token again. */
export function tokensCommand(io: CliIo): Command {
  return new Command('tokens')
    .description('List and revoke the access tokens of accounts.')
    .addHelpText('after', EXAMPLES)
    .addCommand(listCommand(io))
    .addCommand(revokeCommand(io));
}

function listCommand(io: CliIo): Command {
  const list = new Command('list')
    .description('List access tokens, oldest first.')
    .option('--account <account>', 'only of this account (id or name)')
    .option('--json', 'a JSON array')
    .action(async (options: { account?: string; json?: boolean }) => {
      await withData(io, { ...options }, async ({ store, tokens }) => {
        const zone = await zoneOf(store);
        const all = await tokens.list();
        const found = all.filter((token) => isOf(token, options.account));
        showRecords(io, options, found.map(shownToken), {
          empty: noTokens(options.account, all),
          heads: ['ID', 'ACCOUNT', 'NAME', 'ROLE', inZone('EXPIRES', zone)],
          row: ({ id, account, name, role, expiresAt }) => [
            id,
            account.name,
            name,
            role,
            shownTime(expiresAt ?? '', zone),
          ],
        });
      });
    });
  return addSettings(list, DATA_SETTINGS);
}

function noTokens(account: string | undefined, all: readonly ListedToken[]): string {
  if (account === undefined) return 'No access tokens. Users create their own in the dashboard.';
  const owners = all.map((token) => token.account.name);
  return `No account "${sanitizeForTerminal(account)}" has access tokens.${didYouMean(account, owners)}`;
}

function revokeCommand(io: CliIo): Command {
  const revoke = new Command('revoke')
    .description('End an access token. Applies from the next request on.')
    .argument('<token>', 'its id, or its name if no other token has it')
    .action(async (idOrName: string, options: Record<string, unknown>) => {
      await withData(io, { ...options }, async ({ tokens }) => {
        const { id, name, account } = findNamed('access token', idOrName, await tokens.list());
        await tokens.revoke(id);
        io.out(
          `Token "${sanitizeForTerminal(name)}" of ${sanitizeForTerminal(account.name)} (${id}) is revoked.`,
        );
      });
    });
  return addSettings(revoke, DATA_SETTINGS);
}

function shownToken({ createdAt, expiresAt, ...token }: ListedToken) {
  return { ...token, createdAt: isoTime(createdAt), expiresAt: isoTime(expiresAt) };
}

function isOf({ account }: ListedToken, wanted: string | undefined): boolean {
  if (wanted === undefined || account.id === wanted) return true;
  return foldedName(account.name) === foldedName(wanted);
}
