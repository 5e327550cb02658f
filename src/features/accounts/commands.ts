import { Option } from '@commander-js/extra-typings';
import * as z from 'zod';
import { ROLES } from '../../core/administrative-records.ts';
import { AccountJson } from '../../core/records.ts';
import { inZone, shownTime } from '../../core/time-zone.ts';
import { didYouMean } from '../../kit/nearest.ts';
import { sanitizeForTerminal } from '../../kit/text.ts';
import { commandGroup, plainCommand } from '../../terminal/command.ts';
import type { CliIo } from '../../terminal/io.ts';
import { readPassword } from '../../terminal/prompts.ts';
import { namesOf, showRecords, showResult, withName } from '../../terminal/results.ts';
import { allPages, type StoreAccess, withStore } from '../data-access.ts';
import { commandsOn, dataCommand, storeCommand, storeCommandsOn } from '../data-command.ts';
import { listEvents } from '../events/operations.ts';
import { eventIdsFrom, findNamed, unknownNamed } from '../record-checks.ts';
import { STORE_SETTINGS } from '../store/opening.ts';
import { zoneOf } from '../time-zone.ts';
import { type AccountRecord, foldedName, listTyped } from './account-records.ts';
import {
  changeAccount,
  createAccount,
  deleteAccount,
  listOrganisationAccessTokens,
  OwnedAccessToken,
  revokeOrganisationAccessToken,
} from './operations.ts';

const ACCOUNT_AS_JSON = 'the account as JSON';
const PASSWORD_HELP = 'env:NAME or file:PATH; without it the command asks';
const EVENTS_HELP = 'events of a scanner: "all", or ids or names of events, separated by commas';

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
  return commandGroup(io, 'accounts', {
    summary: 'Create, list and change the accounts that can sign in.',
    help: EXAMPLES,
    commands: [
      createCommand,
      listCommand,
      editCommand,
      passwordCommand,
      deleteCommand,
      tokensCommand,
    ],
  });
}

const createCommand = plainCommand({
  name: 'create',
  summary: 'Create an account.',
  options: (command) =>
    command
      .requiredOption('--name <name>', 'name to sign in with')
      .addOption(roleOption().makeOptionMandatory())
      .option('--events <events>', EVENTS_HELP)
      .option('--organisation <name>', 'organisation of the account; not needed if only one exists')
      .option('--password <place>', PASSWORD_HELP),
  json: ACCOUNT_AS_JSON,
  settings: STORE_SETTINGS,
  run: async (io, options) => {
    const { name, role, organisation } = options;
    const password = await readPassword(options.password, io);
    const create = async (access: StoreAccess) => {
      const call = await access.callFor(organisation);
      const known = await allPages((page) => call(listEvents, { archived: 'true', ...page }));
      const events = options.events === undefined ? undefined : eventIdsFrom(options.events, known);
      const { id } = await call(createAccount, { name, role, events, password });
      const account = await findAccount(access, id);
      const line = `${account.name} (${id}) can sign in as ${account.role}.`;
      showResult(io, options, toJson(account), line);
    };
    await withStore(io, options, create, { mayMake: true });
  },
});

const listCommand = storeCommand({
  name: 'list',
  summary: 'List all accounts.',
  json: 'a JSON array',
  run: async (access, options) => {
    const events = namesOf(await access.list('event'));
    const organisations = namesOf(await access.list('organisation'));
    const zone = await zoneOf(access);
    showRecords(access.io, options, await everyAccount(access), {
      json: toJson,
      empty: 'No accounts yet: the first start of "serve" creates one.',
      heads: ['ID', 'NAME', 'ROLE', 'EVENTS', 'ORGANISATION', inZone('LAST SIGN-IN', zone)],
      row: (one) => [
        one.id,
        one.name,
        one.role,
        one.events?.map((id) => withName(id, events)).join(', ') ?? 'all',
        one.organisationId === null ? '' : withName(one.organisationId, organisations),
        shownTime(one.lastSignInAt, zone) ?? 'never',
      ],
    });
  },
});

const onAccount = storeCommandsOn({
  argument: ['<account>', 'id or name'],
  find: findAccount,
});

const editCommand = onAccount({
  name: 'edit',
  summary: 'Change the role or the events of an account. Applies at once.',
  options: (edit) => edit.addOption(roleOption()).option('--events <events>', EVENTS_HELP),
  json: ACCOUNT_AS_JSON,
  mustChange: true,
  operation: changeAccount,
  input: async ({ role, events }, { organisationId }, access) => {
    const own = (await access.list('event')).filter((one) => one.organisationId === organisationId);
    return { role, events: events === undefined ? undefined : eventIdsFrom(events, own) };
  },
  text: ({ name, role, events }) =>
    `${name} is ${role}, for ${events === 'all' ? 'all events' : `the events ${events.join(', ')}`}.`,
  value: (changed, account) => toJson({ ...account, ...changed }),
});

const passwordCommand = onAccount({
  name: 'password',
  summary: 'Give an account a new password. Its sessions and access tokens end.',
  options: (command) => command.option('--password <place>', PASSWORD_HELP),
  operation: changeAccount,
  input: async (options, _, { io }) => ({ password: await readPassword(options.password, io) }),
  text: ({ name }) => `${name} has a new password; its sessions and access tokens have ended.`,
});

const deleteCommand = onAccount({
  name: 'delete',
  summary: 'Delete an account, its sessions and its access tokens.',
  operation: deleteAccount,
  confirm: ({ name }) => `${name} will be signed out everywhere, and its access tokens will end.`,
  text: (_, { id, name }) => `${name} (${id}) is deleted.`,
});

function roleOption() {
  return new Option('--role <role>', 'role: owner, operator, viewer or scanner').choices(ROLES);
}

async function everyAccount(access: StoreAccess): Promise<AccountRecord[]> {
  return (await listTyped(access.local.store, 'account')).map(({ value }) => value);
}

async function findAccount(access: StoreAccess, nameOrId: string): Promise<AccountRecord> {
  const all = await everyAccount(access);
  // Names are compared as at the sign-in, where nobody must remember how they spelt their own.
  const folded = foldedName(nameOrId);
  const found = all.find(({ id, name }) => id === nameOrId || foldedName(name) === folded);
  if (found) return found;
  throw unknownNamed('account', nameOrId, all);
}

function toJson({
  organisationId,
  events = 'all',
  ...account
}: Omit<AccountRecord, 'events'> & { readonly events?: 'all' | readonly string[] }) {
  const { id, ...others } = z.encode(AccountJson, { ...account, events } as z.output<
    typeof AccountJson
  >);
  return { id, organisationId, ...others };
}

const TOKEN_EXAMPLES = `
Examples:
  ticketscan accounts tokens list
  ticketscan accounts tokens list --account ada --json
  ticketscan accounts tokens revoke pat_4k2m9x0q1z
  ticketscan accounts tokens list --url https://gate.example.org --token env:TOKEN    needs a token of an owner

A token has the rights of its account. A new password of the account ends all its tokens.`;

/** `ticketscan accounts tokens`: what scripts may come in with. Nobody can see the value of a token again. */
function tokensCommand(io: CliIo) {
  return commandGroup(io, 'tokens', {
    summary: 'List and revoke the access tokens of accounts.',
    help: TOKEN_EXAMPLES,
    commands: [listTokensCommand, revokeCommand],
  });
}

const listTokensCommand = dataCommand({
  name: 'list',
  summary: 'List access tokens, oldest first.',
  options: (command) => command.option('--account <account>', 'only of this account (id or name)'),
  json: 'a JSON array',
  run: async (access, options) => {
    const zone = await zoneOf(access);
    const items = await allPages((page) => access.call(listOrganisationAccessTokens, page));
    showRecords(
      access.io,
      options,
      items.filter((token) => isOf(token, options.account)),
      {
        json: (token) => z.encode(OwnedAccessToken, token),
        empty: noTokens(options.account, items),
        heads: ['ID', 'ACCOUNT', 'NAME', 'ROLE', inZone('EXPIRES', zone)],
        row: ({ id, account, name, role, expiresAt }) => [
          id,
          account.name,
          name,
          role,
          shownTime(expiresAt, zone),
        ],
      },
    );
  },
});

function noTokens(account: string | undefined, all: readonly OwnedAccessToken[]): string {
  if (account === undefined) return 'No access tokens. Users create their own in the dashboard.';
  const owners = all.map((token) => token.account.name);
  return `No account "${sanitizeForTerminal(account)}" has access tokens.${didYouMean(account, owners)}`;
}

const onToken = commandsOn({
  argument: ['<token>', 'its id, or its name if no other token has it'],
  find: async ({ call }, idOrName) =>
    findNamed(
      'access token',
      idOrName,
      await allPages((page) => call(listOrganisationAccessTokens, page)),
    ),
});

const revokeCommand = onToken({
  name: 'revoke',
  summary: 'End an access token. Applies from the next request on.',
  operation: revokeOrganisationAccessToken,
  text: (_, { id, name, account }) => `Token "${name}" of ${account.name} (${id}) is revoked.`,
});

function isOf({ account }: OwnedAccessToken, wanted: string | undefined): boolean {
  if (wanted === undefined || account.id === wanted) return true;
  return foldedName(account.name) === foldedName(wanted);
}
