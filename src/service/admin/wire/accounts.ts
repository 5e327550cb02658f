import * as z from 'zod';
import { ACCESS_TOKEN_DAYS_MAX, ACCOUNT_NAME_CHARACTERS_MAX } from '../../../core/limits.ts';
import { Time, TimeOrNull, wholeList } from './common.ts';
import { NewPassword, Role } from './sign-in.ts';

export const Account = z
  .object({
    id: z.string(),
    name: z.string(),
    role: Role,
    createdAt: Time,
    lastSignInAt: TimeOrNull,
  })
  .meta({ id: 'Account' });
export type Account = z.output<typeof Account>;
export const AccountList = wholeList(Account);

export const NewAccount = z.object({
  name: z.string().min(1).max(ACCOUNT_NAME_CHARACTERS_MAX),
  role: Role,
  password: NewPassword,
});

export const AccountChanges = z
  .object({ role: Role.optional(), password: NewPassword.optional() })
  .refine(({ role, password }) => role !== undefined || password !== undefined, {
    error: 'say what to change: role or password',
  });

export const AccessToken = z
  .object({
    id: z.string(),
    name: z.string(),
    role: Role,
    createdAt: Time,
    expiresAt: Time,
  })
  .meta({ id: 'AccessToken' });
export type AccessToken = z.output<typeof AccessToken>;
export const AccessTokenList = wholeList(AccessToken);

/** A token as owners see it: with the account that may use it. */
export const OwnedAccessToken = AccessToken.extend({
  account: z.object({ id: z.string(), name: z.string() }),
}).meta({ id: 'OwnedAccessToken' });
export type OwnedAccessToken = z.output<typeof OwnedAccessToken>;
export const OwnedAccessTokenList = wholeList(OwnedAccessToken);

export const NewAccessToken = z.object({
  name: z.string().min(1).max(100),
  /** No more than the account's own. */
  role: Role,
  days: z.number().int().min(1).max(ACCESS_TOKEN_DAYS_MAX).default(90),
});

/** The value is in this answer and nowhere else. */
export const CreatedAccessToken = AccessToken.extend({ token: z.string() }).meta({
  id: 'CreatedAccessToken',
});
