import { actorOf } from '../../../features/accounts/access.ts';
import { AccessTokens } from '../../../features/accounts/access-tokens.ts';
import { Done, Id } from '../../../operations/fields.ts';
import type { AdminApp, AdminContext } from '../admin-app.ts';
import { principalOfRequest } from '../security/guard.ts';
import { accessTokenView, ownedTokenView } from '../views/account-view.ts';
import {
  AccessTokenList,
  CreatedAccessToken,
  NewAccessToken,
  OwnedAccessTokenList,
} from '../wire/accounts.ts';

/** Access tokens for scripts: everybody's own, and all of the organisation for its owners. */
export function accessTokenRoutes(app: AdminApp, context: AdminContext): void {
  const tokens = new AccessTokens(context.accountDeps);
  ownRoutes(app, tokens);
  organisationRoutes(app, tokens);
}

function ownRoutes(app: AdminApp, tokens: AccessTokens): void {
  const config = { access: 'viewer' } as const;
  const tags = ['Access tokens'];

  app.get(
    '/access-tokens',
    {
      config,
      schema: {
        tags,
        operationId: 'listAccessTokens',
        summary: 'List your tokens',
        response: { 200: AccessTokenList },
      },
    },
    async (request) => {
      const own = await tokens.list(principalOfRequest(request));
      return { items: own.map(accessTokenView), next: null };
    },
  );

  app.post(
    '/access-tokens',
    {
      config: { ...config, sessionOnly: true },
      schema: {
        tags,
        operationId: 'createAccessToken',
        summary: 'Create a token',
        description: 'Only this answer contains the value. Send it as `Authorization: Bearer`.',
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
      schema: {
        tags,
        operationId: 'deleteAccessToken',
        summary: 'Delete a token',
        params: Id,
        response: { 200: Done },
      },
    },
    async (request) => {
      await tokens.delete(principalOfRequest(request), request.params.id);
      return {};
    },
  );
}

function organisationRoutes(app: AdminApp, tokens: AccessTokens): void {
  const config = { access: 'owner' } as const;
  const tags = ['Access tokens'];

  app.get(
    '/organisation/access-tokens',
    {
      config,
      schema: {
        tags,
        operationId: 'listOrganisationAccessTokens',
        summary: 'List the tokens of all accounts',
        response: { 200: OwnedAccessTokenList },
      },
    },
    async (request) => {
      const { organisation } = principalOfRequest(request);
      const all = await tokens.listAll(organisation.id);
      return { items: all.map(ownedTokenView), next: null };
    },
  );

  app.delete(
    '/organisation/access-tokens/:id',
    {
      config,
      schema: {
        tags,
        operationId: 'revokeOrganisationAccessToken',
        summary: 'Revoke a token of any account',
        description: 'Applies from the next request on.',
        params: Id,
        response: { 200: Done },
      },
    },
    async (request) => {
      const principal = principalOfRequest(request);
      await tokens.revoke(actorOf(principal), request.params.id, principal.organisation.id);
      return {};
    },
  );
}
