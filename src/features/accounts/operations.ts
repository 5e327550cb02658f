import * as z from 'zod';
import { refuse, type TicketscanError } from '../../core/errors.ts';
import { peopleText } from '../../core/field-shapes.ts';
import {
  ACCESS_TOKEN_DAYS_MAX,
  ACCOUNT_NAME_CHARACTERS_MAX,
  PASSWORD_CHARACTERS_MAX,
  PASSWORD_CHARACTERS_MIN,
  TOKEN_NAME_CHARACTERS_MAX,
} from '../../core/limits.ts';
import { AccessTokenJson, AccountJson, Role, Time, TimeOrNull } from '../../core/records.ts';
import {
  Done,
  ErrorBody,
  Id,
  ListPage,
  pagedList,
  slicedPage,
  wholeList,
} from '../../operations/fields.ts';
import type { Frozen } from '../../operations/operation.ts';
import type { RecordStore } from '../../stores/record-store.ts';
import { type OperationContext, operation, serverOf } from '../context.ts';
import { mayFindGuests } from '../organisations/guest-search.ts';
import type { Principal } from './access.ts';
import { AccessTokens, type OwnedToken } from './access-tokens.ts';
import type { AccessTokenRecord, AccountRecord } from './account-records.ts';
import { Passwords } from './passwords.ts';
import { Accounts } from './rules.ts';
import { byNewName } from './throttle.ts';

const EventScope = z.union([z.literal('all'), z.array(z.string()).min(1).max(1000)]);

const PASSWORD_LENGTH = `A password has ${PASSWORD_CHARACTERS_MIN} to ${PASSWORD_CHARACTERS_MAX} characters.`;
const NewPassword = z
  .string()
  .min(PASSWORD_CHARACTERS_MIN, PASSWORD_LENGTH)
  .max(PASSWORD_CHARACTERS_MAX, PASSWORD_LENGTH);

const accountOperation = { tag: 'Accounts', role: 'owner' } as const;

export const listAccounts = operation({
  ...accountOperation,
  id: 'listAccounts',
  http: 'GET /accounts',
  summary: 'List accounts',
  answer: wholeList(AccountJson),
  run: async (context) => {
    const all = await accountsFor(context).list(context.scope.organisation?.id);
    return { items: all.map(shownAccount), next: null };
  },
});

export const createAccount = operation({
  ...accountOperation,
  id: 'createAccount',
  http: 'POST /accounts',
  sessionOnly: true,
  summary: 'Create an account',
  description:
    'Names are unique over all organisations of a server: 409 says that a name is taken, reserved or similar to such a name, but not whose it is. Many attempts get 429.',
  body: z.object({
    name: peopleText(ACCOUNT_NAME_CHARACTERS_MAX).min(1),
    role: Role,
    /** The ids of the events that a scanner may scan. */
    events: EventScope.optional(),
    password: NewPassword,
  }),
  status: 201,
  answer: AccountJson,
  refusals: { 429: ErrorBody },
  run: async (context, account) => {
    const { organisation, administration } = context.scope;
    const newNames = context.server?.newNames;
    // In an empty store, the first account brings an organisation, as the first event does.
    const { id: organisationId } = organisation ?? (await administration.organisations.only());
    const attempt = byNewName(organisationId);
    newNames?.attempt(attempt);
    try {
      const made = await accountsFor(context).create({ ...account, organisationId });
      newNames?.succeeded(attempt);
      return shownAccount(made);
    } catch (error) {
      // Only a refused name reveals something about others.
      if ((error as TicketscanError).code !== 'conflict') newNames?.succeeded(attempt);
      throw error;
    }
  },
});

export const changeAccount = operation({
  ...accountOperation,
  id: 'changeAccount',
  http: 'PATCH /accounts/:id',
  sessionOnly: true,
  summary: 'Change the role or the password of an account',
  description:
    'A new password ends its sessions and access tokens. Change your own with `POST /password`. The last owner must stay owner.',
  params: Id,
  body: z
    .object({
      role: Role.optional(),
      events: EventScope.optional(),
      password: NewPassword.optional(),
    })
    .refine((changes) => Object.values(changes).some((one) => one !== undefined), {
      error: 'nothing to change: give role, events or password',
    }),
  answer: AccountJson,
  run: async (context, { id, ...changes }) => {
    const { scope, server } = context;
    if (changes.password !== undefined && id === server?.principal.account.id) {
      throw refuse('own_password', {}, { detail: 'Over the API: POST /admin/v1/password.' });
    }
    return shownAccount(await accountsFor(context).edit(scope.organisation?.id, id, changes));
  },
});

export const deleteAccount = operation({
  ...accountOperation,
  id: 'deleteAccount',
  http: 'DELETE /accounts/:id',
  sessionOnly: true,
  summary: 'Delete an account',
  description: 'Its sessions and access tokens end at once.',
  params: Id,
  answer: Done,
  run: async (context, { id }) => {
    await accountsFor(context).delete(context.scope.organisation?.id, id);
    return {};
  },
});

/** A token as owners see it: with the account that may use it. */
export const OwnedAccessToken = AccessTokenJson.extend({
  account: z.object({ id: z.string(), name: z.string() }),
}).meta({ id: 'OwnedAccessToken' });
export type OwnedAccessToken = Frozen<z.output<typeof OwnedAccessToken>>;

const ownTokenOperation = { tag: 'Access tokens', role: 'viewer' } as const;

export const listAccessTokens = operation({
  ...ownTokenOperation,
  id: 'listAccessTokens',
  http: 'GET /access-tokens',
  summary: 'List your tokens',
  answer: wholeList(AccessTokenJson),
  run: async (context) => {
    const own = await new AccessTokens(context).list(serverOf(context).principal);
    return { items: own.map(shownToken), next: null };
  },
});

export const createAccessToken = operation({
  ...ownTokenOperation,
  id: 'createAccessToken',
  http: 'POST /access-tokens',
  sessionOnly: true,
  summary: 'Create a token',
  description: 'Only this answer contains the value. Send it as `Authorization: Bearer`.',
  body: z.object({
    name: peopleText(TOKEN_NAME_CHARACTERS_MAX).min(1),
    /** The role of the token: at most that of the account. A scanner has no tokens. */
    role: Role.exclude(['scanner']),
    days: z.number().int().min(1).max(ACCESS_TOKEN_DAYS_MAX).default(90),
  }),
  status: 201,
  /** The value is in this answer and nowhere else. */
  answer: AccessTokenJson.extend({ token: z.string() }).meta({ id: 'CreatedAccessToken' }),
  run: async (context, wanted) => {
    const tokens = new AccessTokens(context);
    const { record, value } = await tokens.create(serverOf(context).principal, wanted);
    return { ...shownToken(record), token: value };
  },
});

export const deleteAccessToken = operation({
  ...ownTokenOperation,
  id: 'deleteAccessToken',
  http: 'DELETE /access-tokens/:id',
  summary: 'Delete a token',
  params: Id,
  answer: Done,
  run: async (context, { id }) => {
    await new AccessTokens(context).delete(serverOf(context).principal, id);
    return {};
  },
});

const tokenOperation = { tag: 'Access tokens', role: 'owner' } as const;

/** Lists the tokens; on a store that is open here, those of every organisation. */
export const listOrganisationAccessTokens = operation({
  ...tokenOperation,
  id: 'listOrganisationAccessTokens',
  http: 'GET /organisation/access-tokens',
  summary: 'List the tokens of all accounts',
  query: z.object(ListPage),
  answer: pagedList(OwnedAccessToken),
  run: async (context, page) => {
    const all = await new AccessTokens(context).listAll(context.scope.organisation?.id);
    return slicedPage(all.map(ownedToken), page);
  },
});

export const revokeOrganisationAccessToken = operation({
  ...tokenOperation,
  id: 'revokeOrganisationAccessToken',
  http: 'DELETE /organisation/access-tokens/:id',
  summary: 'Revoke a token of any account',
  description: 'Applies from the next request on.',
  params: Id,
  answer: Done,
  run: async (context, { id }) => {
    const { actor, organisation } = context.scope;
    await new AccessTokens(context).revoke(actor, id, organisation?.id);
    return {};
  },
});

export const Session = z
  .object({
    account: z.object({ id: z.string(), name: z.string(), role: Role }),
    organisation: z.object({ id: z.string(), name: z.string(), timeZone: z.string().optional() }),
    /** The name of the phone that was paired; null in every other session. */
    phone: z.string().nullable(),
    /** Whether it finds guests by name (`GET /guests`). */
    mayFindGuests: z.boolean(),
    /** When it ends, even if it is in use. */
    expiresAt: Time,
    /** When it ends if no request comes before; null for an access token. */
    idleUntil: TimeOrNull,
  })
  .meta({ id: 'Session' });

const tag = 'Sign-in';

export const getSession = operation({
  id: 'getSession',
  http: 'GET /sessions/current',
  tag,
  role: 'scanner',
  summary: 'The signed-in account',
  answer: Session,
  run: async (context) => shownSession(serverOf(context).principal, context.store),
});

export const changePassword = operation({
  id: 'changePassword',
  http: 'POST /password',
  tag,
  role: 'viewer',
  sessionOnly: true,
  summary: 'Change your own password',
  description:
    'Ends every other session of the account, and its access tokens. A wrong current password gets 403; many get 429.',
  body: z.object({
    current: z.string().min(1).max(PASSWORD_CHARACTERS_MAX),
    next: NewPassword,
  }),
  answer: Done,
  refusals: { 403: ErrorBody, 429: ErrorBody },
  run: async (context, { current, next }) => {
    const { access, principal } = serverOf(context);
    await access.changePassword(principal, current, next);
    return {};
  },
});

function accountsFor({ store, clock, random, scope, server }: OperationContext): Accounts {
  const here = { store, clock, random, passwords: new Passwords() };
  return new Accounts(server?.accountDeps ?? here, scope.actor);
}

/** The members of an account that are shown. The hash of its password and the key of its devices are never among them. */
function shownAccount(account: AccountRecord): Frozen<z.output<typeof AccountJson>> {
  const { id, name, role, events = 'all', createdAt, lastSignInAt } = account;
  return { id, name, role, events, createdAt, lastSignInAt };
}

function shownToken({ id, name, role, createdAt, expiresAt }: AccessTokenRecord) {
  return { id, name, role, createdAt, expiresAt };
}

function ownedToken({ token, account }: OwnedToken): OwnedAccessToken {
  return { ...shownToken(token), account: { id: account.id, name: account.name } };
}

export async function shownSession(
  principal: Principal,
  store: Pick<RecordStore, 'read'>,
): Promise<z.output<typeof Session>> {
  const { account, organisation, role, phone, expiresAt, idleUntil } = principal;
  const { timeZone } = organisation;
  return {
    account: { id: account.id, name: account.name, role },
    organisation: {
      id: organisation.id,
      name: organisation.name,
      ...(timeZone !== undefined && { timeZone }),
    },
    phone: phone?.name ?? null,
    mayFindGuests: await mayFindGuests(store, role, organisation.id),
    expiresAt,
    idleUntil,
  };
}
