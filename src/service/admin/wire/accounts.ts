import * as z from 'zod';
import { AccessTokenJson, AccountJson, Role } from '../../../core/codecs/records.ts';
import { ACCESS_TOKEN_DAYS_MAX, ACCOUNT_NAME_CHARACTERS_MAX } from '../../../core/limits.ts';
import { wholeList } from '../../../operations/fields.ts';
import { NewPassword } from './sign-in.ts';

const EventScope = z.union([z.literal('all'), z.array(z.string()).min(1).max(1000)]);

export const AccountList = wholeList(AccountJson);

export const NewAccount = z.object({
  name: z.string().min(1).max(ACCOUNT_NAME_CHARACTERS_MAX),
  role: Role,
  /** Of a scanner: ids of events. */
  events: EventScope.optional(),
  password: NewPassword,
});

export const AccountChanges = z
  .object({
    role: Role.optional(),
    events: EventScope.optional(),
    password: NewPassword.optional(),
  })
  .refine((changes) => Object.values(changes).some((one) => one !== undefined), {
    error: 'nothing to change: give role, events or password',
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
  /** No more than the account's own; a scanner has no tokens. */
  role: Role.exclude(['scanner']),
  days: z.number().int().min(1).max(ACCESS_TOKEN_DAYS_MAX).default(90),
});

/** The value is in this answer and nowhere else. */
export const CreatedAccessToken = AccessTokenJson.extend({ token: z.string() }).meta({
  id: 'CreatedAccessToken',
});
