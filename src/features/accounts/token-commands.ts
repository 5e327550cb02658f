import { Command } from '@commander-js/extra-typings';
import * as z from 'zod';
import { inZone, shownTime } from '../../core/time-zone.ts';
import { didYouMean } from '../../kit/nearest.ts';
import { sanitizeForTerminal } from '../../kit/safe-text.ts';
import { dataCommand } from '../../operations/data-command.ts';
import { zoneOf } from '../../operations/zone.ts';
import type { CliIo } from '../../terminal/io.ts';
import { showRecords } from '../../terminal/results.ts';
import { findNamed } from '../record-checks.ts';
import { foldedName } from './account-name.ts';
import {
  listOrganisationAccessTokens,
  OwnedAccessToken,
  revokeOrganisationAccessToken,
} from './operations.ts';

const EXAMPLES = `
Examples:
  ticketscan accounts tokens list
  ticketscan accounts tokens list --account ada --json
  ticketscan accounts tokens revoke pat_4k2m9x0q1z
  ticketscan accounts tokens list --url https://gate.example.org --token env:TOKEN    needs a token of an owner

A token has the rights of its account. A new password of the account ends all its tokens.`;

/** `ticketscan accounts tokens`: what scripts may come in with. Nobody can see the value of a token again. */
export function tokensCommand(io: CliIo) {
  return new Command('tokens')
    .description('List and revoke the access tokens of accounts.')
    .addHelpText('after', EXAMPLES)
    .addCommand(listCommand(io))
    .addCommand(revokeCommand(io));
}

function listCommand(io: CliIo) {
  return dataCommand(io, {
    name: 'list',
    summary: 'List access tokens, oldest first.',
    options: (command) =>
      command.option('--account <account>', 'only of this account (id or name)'),
    json: 'a JSON array',
    run: async (access, options) => {
      const zone = await zoneOf(access);
      const { items } = await access.call(listOrganisationAccessTokens, {});
      showRecords(
        io,
        options,
        items.filter((token) => isOf(token, options.account)),
        {
          json: (token) => z.encode(OwnedAccessToken, token),
          empty: noTokens(options.account, items),
          heads: ['ID', 'ACCOUNT', 'NAME', 'ROLE', inZone('EXPIRES', zone)],
          row: ({ id, account, name, role, expiresAt }) => [
            ...[id, account.name, name, role],
            shownTime(expiresAt, zone),
          ],
        },
      );
    },
  });
}

function noTokens(account: string | undefined, all: readonly OwnedAccessToken[]): string {
  if (account === undefined) return 'No access tokens. Users create their own in the dashboard.';
  const owners = all.map((token) => token.account.name);
  return `No account "${sanitizeForTerminal(account)}" has access tokens.${didYouMean(account, owners)}`;
}

function revokeCommand(io: CliIo) {
  return dataCommand(io, {
    name: 'revoke',
    summary: 'End an access token. Applies from the next request on.',
    argument: ['<token>', 'its id, or its name if no other token has it'],
    run: async ({ call }, _options, idOrName) => {
      const { items } = await call(listOrganisationAccessTokens, {});
      const { id, name, account } = findNamed('access token', idOrName, items);
      await call(revokeOrganisationAccessToken, { id });
      io.out(
        `Token "${sanitizeForTerminal(name)}" of ${sanitizeForTerminal(account.name)} (${id}) is revoked.`,
      );
    },
  });
}

function isOf({ account }: OwnedAccessToken, wanted: string | undefined): boolean {
  if (wanted === undefined || account.id === wanted) return true;
  return foldedName(account.name) === foldedName(wanted);
}
