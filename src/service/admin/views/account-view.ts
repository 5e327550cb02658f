import { isoTime } from '../../../core/clock.ts';
import type { Principal } from '../../manage/accounts/access.ts';
import type { OwnedToken } from '../../manage/accounts/access-tokens.ts';
import type { AccessTokenRecord, AccountRecord } from '../../manage/accounts/account-records.ts';
import type { AccessToken, Account, OwnedAccessToken } from '../wire/accounts.ts';
import type { Session } from '../wire/sign-in.ts';
import { wireTime } from './wire-time.ts';

export function sessionView({ account, organisation, role, ...times }: Principal): Session {
  return {
    account: { id: account.id, name: account.name, role },
    organisation: { id: organisation.id, name: organisation.name },
    expiresAt: wireTime(times.expiresAt),
    idleUntil: isoTime(times.idleUntil),
  };
}

export function accountView({ id, name, role, createdAt, lastSignInAt }: AccountRecord): Account {
  return {
    id,
    name,
    role,
    createdAt: wireTime(createdAt),
    lastSignInAt: isoTime(lastSignInAt),
  };
}

export function accessTokenView(record: AccessTokenRecord): AccessToken {
  const { id, name, role, createdAt, expiresAt } = record;
  return { id, name, role, createdAt: wireTime(createdAt), expiresAt: wireTime(expiresAt) };
}

export function ownedTokenView({ token, account }: OwnedToken): OwnedAccessToken {
  return { ...accessTokenView(token), account: { id: account.id, name: account.name } };
}
