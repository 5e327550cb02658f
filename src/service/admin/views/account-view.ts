import type * as z from 'zod';
import type { AccessTokenJson, AccountJson } from '../../../core/codecs/records.ts';
import type { Principal } from '../../../features/accounts/access.ts';
import type { OwnedToken } from '../../../features/accounts/access-tokens.ts';
import type {
  AccessTokenRecord,
  AccountRecord,
} from '../../../features/accounts/account-records.ts';
import type { OwnedAccessToken } from '../wire/accounts.ts';
import type { Session } from '../wire/sign-in.ts';

export function sessionView({ account, organisation, role, phone, ...times }: Principal): Session {
  return {
    account: { id: account.id, name: account.name, role },
    organisation: {
      id: organisation.id,
      name: organisation.name,
      ...(organisation.timeZone !== undefined && { timeZone: organisation.timeZone }),
    },
    phone: phone?.name ?? null,
    expiresAt: times.expiresAt,
    idleUntil: times.idleUntil,
  };
}

export function accountView(account: AccountRecord): z.output<typeof AccountJson> {
  const { id, name, role, events, createdAt, lastSignInAt } = account;
  const scope = events ? [...events] : ('all' as const);
  return { id, name, role, events: scope, createdAt, lastSignInAt };
}

export function accessTokenView(record: AccessTokenRecord): z.output<typeof AccessTokenJson> {
  const { id, name, role, createdAt, expiresAt } = record;
  return { id, name, role, createdAt, expiresAt };
}

export function ownedTokenView({ token, account }: OwnedToken): OwnedAccessToken {
  return { ...accessTokenView(token), account: { id: account.id, name: account.name } };
}
