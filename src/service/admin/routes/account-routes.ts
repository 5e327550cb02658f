import type { FastifyRequest } from 'fastify';
import { AccountJson } from '../../../core/codecs/records.ts';
import { TicketscanError } from '../../../core/errors.ts';
import { actorOf, type Principal } from '../../../features/accounts/access.ts';
import { Accounts } from '../../../features/accounts/accounts.ts';
import { byNewName, Throttle } from '../../../features/accounts/throttle.ts';
import { Done, ErrorBody, Id } from '../../../operations/fields.ts';
import type { AdminApp, AdminContext } from '../admin-app.ts';
import { principalOfRequest } from '../security/guard.ts';
import { accountView } from '../views/account-view.ts';
import { AccountChanges, AccountList, NewAccount } from '../wire/accounts.ts';

const OWN_PASSWORD =
  'Change your own password with the current one: POST /admin/v1/password, or the page Settings.';

const READS = { access: 'owner' } as const;
const CHANGES = { access: 'owner', sessionOnly: true } as const;
const tags = ['Accounts'];

type AccountsOf = (request: FastifyRequest) => {
  readonly accounts: Accounts;
  readonly principal: Principal;
  readonly organisationId: string;
};

/** Who may sign in: for owners. */
export function accountRoutes(app: AdminApp, context: AdminContext): void {
  const accountsOf: AccountsOf = (request) => {
    const principal = principalOfRequest(request);
    const accounts = new Accounts(context.accountDeps, actorOf(principal));
    return { accounts, principal, organisationId: principal.organisation.id };
  };

  app.get(
    '/accounts',
    {
      config: READS,
      schema: {
        tags,
        operationId: 'listAccounts',
        summary: 'List accounts',
        response: { 200: AccountList },
      },
    },
    async (request) => {
      const { accounts, organisationId } = accountsOf(request);
      return { items: (await accounts.list(organisationId)).map(accountView), next: null };
    },
  );

  createRoute(app, context, accountsOf);
  changeRoutes(app, accountsOf);
}

function createRoute(app: AdminApp, context: AdminContext, accountsOf: AccountsOf): void {
  const newNames = new Throttle(context.clock);
  app.post(
    '/accounts',
    {
      config: CHANGES,
      schema: {
        tags,
        operationId: 'createAccount',
        summary: 'Create an account',
        description:
          'Names are unique over all organisations of a server: 409 says that a name is taken, reserved or similar to such a name, but not whose it is. Many attempts get 429.',
        body: NewAccount,
        response: { 201: AccountJson, 429: ErrorBody },
      },
    },
    async (request, reply) => {
      const { accounts, organisationId } = accountsOf(request);
      const attempt = byNewName(organisationId);
      newNames.attempt(attempt);
      try {
        const account = await accounts.create({ ...request.body, organisationId });
        newNames.succeeded(attempt);
        return reply.code(201).send(accountView(account));
      } catch (error) {
        // Only a refused name reveals something about others.
        if ((error as TicketscanError).code !== 'conflict') newNames.succeeded(attempt);
        throw error;
      }
    },
  );
}

function changeRoutes(app: AdminApp, accountsOf: AccountsOf): void {
  app.patch(
    '/accounts/:id',
    {
      config: CHANGES,
      schema: {
        tags,
        operationId: 'changeAccount',
        summary: 'Change the role or the password of an account',
        description:
          'A new password ends its sessions and access tokens. Change your own with `POST /password`. The last owner must stay owner.',
        params: Id,
        body: AccountChanges,
        response: { 200: AccountJson },
      },
    },
    async (request) => {
      const { accounts, principal, organisationId } = accountsOf(request);
      if (request.body.password !== undefined && request.params.id === principal.account.id) {
        throw new TicketscanError('not_allowed', OWN_PASSWORD, { reason: 'own_password' });
      }
      return accountView(await accounts.edit(organisationId, request.params.id, request.body));
    },
  );

  app.delete(
    '/accounts/:id',
    {
      config: CHANGES,
      schema: {
        tags,
        operationId: 'deleteAccount',
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
