import * as z from 'zod';
import { AccessTokenJson, AccountJson, Role } from '../../../core/codecs/records.ts';
import { ACCESS_TOKEN_DAYS_MAX, ACCOUNT_NAME_CHARACTERS_MAX } from '../../../core/limits.ts';
import { wholeList } from './common.ts';
import { NewPassword } from './sign-in.ts';

export const AccountList = wholeList(AccountJson);

export const NewAccount = z.object({
  name: z.string().min(1).max(ACCOUNT_NAME_CHARACTERS_MAX),
  role: Role,
  password: NewPassword,
});

export const AccountChanges = z
  .object({ role: Role.optional(), password: NewPassword.optional() })
  .refine(({ role, password }) => role !== undefined || password !== undefined, {
    error: 'nothing to change: give role or password',
  });

export const AccessTokenList = wholeList(AccessTokenJson);

/** A token as owners see it: with the account that may use it. */
export const OwnedAccessToken = AccessTokenJson.extend({
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
export const CreatedAccessToken = AccessTokenJson.extend({ token: z.string() }).meta({
  id: 'CreatedAccessToken',
});
