import { actorOf } from '../../scan/accounts/access.ts';
import { AccessTokens } from '../../scan/accounts/access-tokens.ts';
import { Accounts } from '../../scan/accounts/accounts.ts';
import type { AdminApp, AdminContext } from '../admin-app.ts';
import { principalOfRequest } from '../security/guard.ts';
import { accessTokenView, accountView } from '../views/account-view.ts';
import {
  AccessTokenList,
  Account,
  AccountChanges,
  AccountList,
  CreatedAccessToken,
  NewAccessToken,
  NewAccount,
} from '../wire/accounts.ts';
import { Done, Id } from '../wire/common.ts';

/** Who may sign in: for owners. */
export function accountRoutes(app: AdminApp, context: AdminContext): void {
  const accountsOf = (request: Parameters<typeof principalOfRequest>[0]) => {
    const principal = principalOfRequest(request);
    const accounts = new Accounts(context.accountDeps, actorOf(principal));
    return { accounts, organisationId: principal.organisation.id };
  };
  const config = { access: 'owner' } as const;
  const tags = ['Accounts'];

  app.get(
    '/accounts',
    { config, schema: { tags, summary: 'List accounts', response: { 200: AccountList } } },
    async (request) => {
      const { accounts, organisationId } = accountsOf(request);
      return { items: (await accounts.list(organisationId)).map(accountView), next: null };
    },
  );

  app.post(
    '/accounts',
    {
      config,
      schema: { tags, summary: 'Create an account', body: NewAccount, response: { 201: Account } },
    },
    async (request, reply) => {
      const { accounts, organisationId } = accountsOf(request);
      const account = await accounts.create({ ...request.body, organisationId });
      return reply.code(201).send(accountView(account));
    },
  );

  app.patch(
    '/accounts/:id',
    {
      config,
      schema: {
        tags,
        summary: 'Change the role or the password of an account',
        description: 'A new password ends its sessions. The last owner stays owner.',
        params: Id,
        body: AccountChanges,
        response: { 200: Account },
      },
    },
    async (request) => {
      const { accounts, organisationId } = accountsOf(request);
      return accountView(await accounts.edit(organisationId, request.params.id, request.body));
    },
  );

  app.delete(
    '/accounts/:id',
    {
      config,
      schema: {
        tags,
        summary: 'Delete an account',
        description: 'Its sessions and access tokens end at once.',
        params: Id,
        response: { 200: Done },
      },
    },
    async (request) => {
      const { accounts, organisationId } = accountsOf(request);
      await accounts.delete(organisationId, request.params.id);
      return {};
    },
  );
}

/** Personal access tokens: everybody's own, for scripts. */
export function accessTokenRoutes(app: AdminApp, context: AdminContext): void {
  const tokens = new AccessTokens(context.accountDeps);
  const config = { access: 'viewer' } as const;
  const tags = ['Access tokens'];

  app.get(
    '/access-tokens',
    { config, schema: { tags, summary: 'List your tokens', response: { 200: AccessTokenList } } },
    async (request) => {
      const own = await tokens.list(principalOfRequest(request));
      return { items: own.map(accessTokenView), next: null };
    },
  );

  app.post(
    '/access-tokens',
    {
      config,
      schema: {
        tags,
        summary: 'Create a token',
        description:
          'The value is in this answer and nowhere else. Send it as `Authorization: Bearer`.',
        body: NewAccessToken,
        response: { 201: CreatedAccessToken },
      },
    },
    async (request, reply) => {
      const { record, value } = await tokens.create(principalOfRequest(request), request.body);
      return reply.code(201).send({ ...accessTokenView(record), token: value });
    },
  );

  app.delete(
    '/access-tokens/:id',
    {
      config,
      schema: { tags, summary: 'Delete a token', params: Id, response: { 200: Done } },
    },
    async (request) => {
      await tokens.delete(principalOfRequest(request), request.params.id);
      return {};
    },
  );
}
