import { type Access, SESSION_MS } from '../../../features/accounts/access.ts';
import { Phones } from '../../../features/accounts/phones.ts';
import { Done, ErrorBody, Id } from '../../../operations/fields.ts';
import type { AdminApp, AdminContext } from '../admin-app.ts';
import { principalOfRequest } from '../security/guard.ts';
import { sessionTokenOf, setSessionCookie } from '../security/session-cookie.ts';
import {
  CreatedPairing,
  NewPairing,
  PairingState,
  PhoneList,
  Redeemed,
  Redemption,
  RedemptionState,
} from '../wire/phones.ts';

const tags = ['Phones'];
const OPERATORS = { access: 'operator', sessionOnly: true } as const;

/** Phones that scan without a password: paired by a QR code, confirmed here, listed, removed. */
export function phoneRoutes(app: AdminApp, context: AdminContext, access: Access): void {
  const phones = new Phones(context.accountDeps);
  pairingRoutes(app, phones);
  confirmationRoutes(app, phones);
  redemptionRoutes(app, phones, context, access);
  listRoutes(app, phones);
}

function pairingRoutes(app: AdminApp, phones: Phones): void {
  app.post(
    '/pairings',
    {
      config: OPERATORS,
      schema: {
        tags,
        operationId: 'beginPairing',
        summary: 'Start to pair a phone',
        description: 'The token is valid once, for two minutes.',
        body: NewPairing,
        response: { 201: CreatedPairing },
      },
    },
    async (request, reply) => {
      const made = await phones.begin(principalOfRequest(request), request.body.account);
      return reply.code(201).send(made);
    },
  );

  app.get(
    '/pairings/:id',
    {
      config: OPERATORS,
      schema: {
        tags,
        operationId: 'getPairing',
        summary: 'The state of a pairing',
        params: Id,
        response: { 200: PairingState },
      },
    },
    async (request) => {
      const state = await phones.stateOf(principalOfRequest(request), request.params.id);
      const { phone, code } = state.kind === 'asked' ? state : { phone: null, code: null };
      return { state: state.kind, phone, code };
    },
  );
}

function confirmationRoutes(app: AdminApp, phones: Phones): void {
  app.post(
    '/pairings/:id/confirm',
    {
      config: OPERATORS,
      schema: {
        tags,
        operationId: 'confirmPairing',
        summary: 'Confirm the phone that has redeemed the token',
        description: 'Its session begins, with the role scanner, for 12 hours.',
        params: Id,
        response: { 200: Done },
      },
    },
    async (request) => {
      await phones.confirm(principalOfRequest(request), request.params.id);
      return {};
    },
  );

  app.delete(
    '/pairings/:id',
    {
      config: OPERATORS,
      schema: {
        tags,
        operationId: 'refusePairing',
        summary: 'Refuse the phone, or withdraw the token',
        params: Id,
        response: { 200: Done },
      },
    },
    async (request) => {
      await phones.refuse(principalOfRequest(request), request.params.id);
      return {};
    },
  );
}

function redemptionRoutes(
  app: AdminApp,
  phones: Phones,
  context: AdminContext,
  access: Access,
): void {
  app.post(
    '/redemptions',
    {
      config: { access: 'anyone', fromPage: true },
      schema: {
        tags,
        operationId: 'redeemPairing',
        summary: 'Redeem the token of a pairing, as the phone',
        description:
          'Sets the cookie of a session that begins when the dashboard confirms. A token that is unknown, has expired or was used gets 404; many attempts get 429.',
        body: Redemption,
        response: { 201: Redeemed, 404: ErrorBody, 429: ErrorBody },
      },
    },
    async (request, reply) => {
      const { token, name } = request.body;
      const { code, sessionToken, expiresAt } = await phones.redeem(
        token,
        name,
        context.addressOf(request),
      );
      setSessionCookie(reply, sessionToken, SESSION_MS);
      return reply.code(201).send({ code, expiresAt });
    },
  );

  app.get(
    '/redemptions/current',
    {
      config: { access: 'anyone', fromPage: true },
      schema: {
        tags,
        operationId: 'getRedemption',
        summary: 'The state of the pairing, as the phone',
        response: { 200: RedemptionState },
      },
    },
    async (request) => {
      const token = sessionTokenOf(request);
      if (token === undefined) return { state: 'ended' as const };
      if (await phones.isWaiting(token)) return { state: 'waiting' as const };
      const principal = await access.bySession(token);
      return { state: principal?.phone ? ('paired' as const) : ('ended' as const) };
    },
  );
}

function listRoutes(app: AdminApp, phones: Phones): void {
  app.get(
    '/phones',
    {
      config: OPERATORS,
      schema: {
        tags,
        operationId: 'listPhones',
        summary: 'List paired phones',
        description: 'Your own; owners see those of all accounts.',
        response: { 200: PhoneList },
      },
    },
    async (request) => {
      const items = await phones.list(principalOfRequest(request));
      return { items, next: null };
    },
  );

  app.delete(
    '/phones/:id',
    {
      config: OPERATORS,
      schema: {
        tags,
        operationId: 'removePhone',
        summary: 'Remove a paired phone',
        description: 'Applies from the next request on.',
        params: Id,
        response: { 200: Done },
      },
    },
    async (request) => {
      await phones.revoke(principalOfRequest(request), request.params.id);
      return {};
    },
  );
}
