import * as z from 'zod';
import { Time, TimeOrNull } from './common.ts';

/** What an account may do: look; also handle tickets and events; also handle keys, accounts and limits. */
export const ROLES = ['viewer', 'operator', 'owner'] as const;
export const Role = z.enum(ROLES).meta({ id: 'Role' });
export type Role = z.output<typeof Role>;

export const PASSWORD_CHARACTERS_MIN = 12;
export const PASSWORD_CHARACTERS_MAX = 200;
export const NewPassword = z
  .string()
  .min(PASSWORD_CHARACTERS_MIN, `a password has at least ${PASSWORD_CHARACTERS_MIN} characters`)
  .max(PASSWORD_CHARACTERS_MAX);

export const SignIn = z.object({
  name: z.string().min(1).max(200),
  password: z.string().min(1).max(PASSWORD_CHARACTERS_MAX),
});

export const Session = z
  .object({
    account: z.object({ id: z.string(), name: z.string(), role: Role }),
    organisation: z.object({ id: z.string(), name: z.string() }),
    /** When it ends however busy it is. */
    expiresAt: Time,
    /** When it ends unless something is asked before; null for an access token. */
    idleUntil: TimeOrNull,
  })
  .meta({ id: 'Session' });
export type Session = z.output<typeof Session>;

export const PasswordChange = z.object({
  current: z.string().min(1).max(PASSWORD_CHARACTERS_MAX),
  next: NewPassword,
});
