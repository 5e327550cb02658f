import { randomBytes } from 'node:crypto';
import { Command, Option } from '@commander-js/extra-typings';
import * as z from 'zod';
import { ROLES, type Role } from '../../core/administrative-records.ts';
import { isoTime } from '../../core/clock.ts';
import { TicketscanError } from '../../core/errors.ts';
import type { Organisation } from '../../core/records.ts';
import { inZone, shownTime } from '../../core/time-zone.ts';
import { didYouMean } from '../../kit/nearest.ts';
import { sanitizeForTerminal } from '../../kit/text.ts';
import {
  STORE_SETTINGS,
  type StoreAccess,
  withNewStore,
  withStore,
  zoneOf,
} from '../../operations/store-access.ts';
import type { CliIo } from '../../terminal/io.ts';
import { addSettings } from '../../terminal/options.ts';
import { confirm, readPassword } from '../../terminal/prompts.ts';
import { type Names, namesOf, showRecords, showResult, withName } from '../../terminal/results.ts';
import { COMMAND_LINE } from '../actor.ts';
import { commandsOn, dataCommand } from '../data-command.ts';
import { administrationOn } from '../keys/administration.ts';
import { findNamed, unknownNamed } from '../record-checks.ts';
import { foldedName } from './account-name.ts';
import { type AccountRecord, listTyped } from './account-records.ts';
import { Accounts } from './accounts.ts';
import {
  listOrganisationAccessTokens,
  OwnedAccessToken,
  revokeOrganisationAccessToken,
  shownAccount,
} from './operations.ts';
import { Passwords } from './passwords.ts';

interface AccountOptions {
  readonly yes?: boolean;
  readonly name?: string;
  readonly role?: Role;
  readonly events?: string;
  readonly organisation?: string;
  readonly password?: string;
  readonly json?: boolean;
}

const EVENTS_HELP = 'of a scanner: "all", or ids or names of events, separated by commas';

const EXAMPLES = `
Examples:
  ticketscan accounts create --name ada --role owner             asks for the password
  ticketscan accounts create --name gate --role viewer --password env:GATE_PASSWORD
  ticketscan accounts create --name north --role scanner --events "Summer pool,Winter pool"
  ticketscan accounts edit north --events all
  ticketscan accounts edit gate --role operator
  ticketscan accounts password ada
  ticketscan accounts delete gate
  ticketscan accounts tokens list

An owner manages keys and accounts, an operator tickets and events; a viewer reads; a scanner scans in the page and sees
nothing else. The command works on the store: anyone who can open the store can create accounts.`;

/** `ticketscan accounts`: manage who can sign in to the dashboard and the admin API. */
export function command(io: CliIo) {
  return new Command('accounts')
    .description('Create, list and change the accounts that can sign in.')
    .addHelpText('after', EXAMPLES)
    .addCommand(createCommand(io))
    .addCommand(listCommand(io))
    .addCommand(editCommand(io))
    .addCommand(passwordCommand(io))
    .addCommand(deleteCommand(io))
    .addCommand(tokensCommand(io));
}

function createCommand(io: CliIo) {
  const create = new Command('create')
    .description('Create an account.')
    .requiredOption('--name <name>', 'name to sign in with')
    .addOption(
      new Option('--role <role>', 'role: owner, operator, viewer or scanner')
        .choices(ROLES)
        .makeOptionMandatory(),
    )
    .option('--events <events>', EVENTS_HELP)
    .option('--organisation <name>', 'organisation of the account; not needed if only one exists')
    .option('--password <place>', 'env:NAME or file:PATH; without it the command asks')
    .option('--json', 'the account as JSON')
    .action(async (options: AccountOptions) => {
      const password = await readPassword(options.password, io);
      await withNewStore(io, { ...options }, async (access) => {
        const organisation = await organisationFor(access, options.organisation);
        const account = await accountsOn(access).create({
          name: options.name ?? '',
          role: options.role ?? 'viewer',
          organisationId: organisation.id,
          events: await eventsFrom(access, options.events, organisation.id),
          password,
        });
        const line = `${sanitizeForTerminal(account.name)} (${account.id}) can sign in as ${account.role}.`;
        showResult(io, options, shown(account), line);
      });
    });
  return addSettings(create, STORE_SETTINGS);
}

function listCommand(io: CliIo) {
  const list = new Command('list')
    .description('List all accounts.')
    .option('--json', 'a JSON array')
    .action(async (options: AccountOptions) => {
      await withStore(io, { ...options }, async (access) => {
        const events = namesOf(await access.store.list('event'));
        const organisations = namesOf(await access.store.list('organisation'));
        const zone = await zoneOf(access.store);
        showRecords(io, options, (await everyAccount(access)).map(shown), {
          empty: 'No accounts yet: the first start of "serve" creates one.',
          heads: ['ID', 'NAME', 'ROLE', 'EVENTS', 'ORGANISATION', inZone('LAST SIGN-IN', zone)],
          row: (one) => [
            one.id,
            one.name,
            one.role,
            one.events === 'all' ? 'all' : eventNames(one.events, events),
            one.organisationId === null ? '' : withName(one.organisationId, organisations),
            shownTime(one.lastSignInAt, zone) ?? 'never',
          ],
        });
      });
    });
  return addSettings(list, STORE_SETTINGS);
}

function editCommand(io: CliIo) {
  const edit = new Command('edit')
    .description('Change the role or the events of an account. Applies at once.')
    .argument('<account>', 'id or name')
    .addOption(
      new Option('--role <role>', 'role: owner, operator, viewer or scanner').choices(ROLES),
    )
    .option('--events <events>', EVENTS_HELP)
    .option('--json', 'the account as JSON')
    .action(async (name: string, options: AccountOptions) => {
      const { role } = options;
      if (role === undefined && options.events === undefined) {
        throw new TicketscanError('usage', 'Nothing to change: add --role or --events.');
      }
      await withStore(io, { ...options }, async (access) => {
        const found = await findAccount(access, name);
        const events = await eventsFrom(access, options.events, found.organisationId ?? undefined);
        const account = await accountsOn(access).edit(found.organisationId, found.id, {
          role,
          events,
        });
        const line = `${sanitizeForTerminal(account.name)} is ${account.role}, ${scopeText(account)}.`;
        showResult(io, options, shown(account), line);
      });
    });
  return addSettings(edit, STORE_SETTINGS);
}

function eventNames(ids: readonly string[], names: Names): string {
  return ids.map((id) => withName(id, names)).join(', ');
}

function scopeText({ events }: Pick<AccountRecord, 'events'>): string {
  return events ? `for the events ${events.join(', ')}` : 'for all events';
}

/** Ids of the organisation's events that are given by ids or names, separated by commas. @throws TicketscanError `not_found` */
async function eventsFrom(
  access: StoreAccess,
  text: string | undefined,
  organisationId: string | undefined,
): Promise<'all' | string[] | undefined> {
  if (text === undefined || text === 'all') return text;
  const names = text.split(',').map((name) => name.trim());
  const found = names.map((name) => administrationOn(access).findEvent(name, organisationId));
  return (await Promise.all(found)).map(({ id }) => id);
}

function passwordCommand(io: CliIo) {
  const password = new Command('password')
    .description('Give an account a new password. Its sessions and access tokens end.')
    .argument('<account>', 'id or name')
    .option('--password <place>', 'env:NAME or file:PATH; without it the command asks')
    .action(async (name: string, options: AccountOptions) => {
      await withStore(io, { ...options }, async (access) => {
        const account = await findAccount(access, name);
        const password = await readPassword(options.password, io);
        await accountsOn(access).edit(account.organisationId, account.id, { password });
        io.out(
          `${sanitizeForTerminal(account.name)} has a new password; its sessions and access tokens have ended.`,
        );
      });
    });
  return addSettings(password, STORE_SETTINGS);
}

function deleteCommand(io: CliIo) {
  const command = new Command('delete')
    .description('Delete an account, its sessions and its access tokens.')
    .argument('<account>', 'id or name')
    .option('--yes', 'do not ask on a terminal')
    .action(async (name: string, options: AccountOptions) => {
      await withStore(io, { ...options }, async (access) => {
        const account = await findAccount(access, name);
        const consequence = `${account.name} will be signed out everywhere, and its access tokens will end.`;
        if (!(await confirm(io, { ...options, consequence, needsYes: false }))) return;
        await accountsOn(access).delete(account.organisationId, account.id);
        io.out(`${sanitizeForTerminal(account.name)} (${account.id}) is deleted.`);
      });
    });
  return addSettings(command, STORE_SETTINGS);
}

function accountsOn({ store, clock }: StoreAccess): Accounts {
  const deps = { store, clock, random: randomBytes, passwords: new Passwords() };
  return new Accounts(deps, COMMAND_LINE);
}

/** In an empty store, the first account brings an organisation, as the first event does. */
function organisationFor(access: StoreAccess, named: string | undefined): Promise<Organisation> {
  return named === undefined
    ? administrationOn(access).onlyOrganisation()
    : administrationOn(access).findOrganisation(named);
}

async function everyAccount({ store }: StoreAccess): Promise<AccountRecord[]> {
  return (await listTyped(store, 'account')).map(({ value }) => value);
}

async function findAccount(access: StoreAccess, nameOrId: string): Promise<AccountRecord> {
  const all = await everyAccount(access);
  // As at the sign-in, where nobody must remember how they spelt their name.
  const folded = foldedName(nameOrId);
  const found = all.find(({ id, name }) => id === nameOrId || foldedName(name) === folded);
  if (found) return found;
  throw unknownNamed('account', nameOrId, all);
}

function shown(account: AccountRecord) {
  const { id, createdAt, lastSignInAt, ...others } = shownAccount(account);
  const times = { createdAt: isoTime(createdAt), lastSignInAt: isoTime(lastSignInAt) };
  return { id, organisationId: account.organisationId, ...others, ...times };
}

const TOKEN_EXAMPLES = `
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
    .addHelpText('after', TOKEN_EXAMPLES)
    .addCommand(listTokensCommand(io))
    .addCommand(revokeCommand(io));
}

function listTokensCommand(io: CliIo) {
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

const onToken = commandsOn({
  argument: ['<token>', 'its id, or its name if no other token has it'],
  find: async ({ call }, idOrName) =>
    findNamed('access token', idOrName, (await call(listOrganisationAccessTokens, {})).items),
});

function revokeCommand(io: CliIo) {
  return onToken(io, {
    name: 'revoke',
    summary: 'End an access token. Applies from the next request on.',
    operation: revokeOrganisationAccessToken,
    text: (_, { id, name, account }) => `Token "${name}" of ${account.name} (${id}) is revoked.`,
  });
}

function isOf({ account }: OwnedAccessToken, wanted: string | undefined): boolean {
  if (wanted === undefined || account.id === wanted) return true;
  return foldedName(account.name) === foldedName(wanted);
}
