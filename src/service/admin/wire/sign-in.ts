import * as z from 'zod';
import { Role } from '../../../core/codecs/records.ts';
import { Time, TimeOrNull } from '../../../core/codecs/time.ts';
import { PASSWORD_CHARACTERS_MAX, PASSWORD_CHARACTERS_MIN } from '../../../core/limits.ts';

const PASSWORD_LENGTH = `A password has ${PASSWORD_CHARACTERS_MIN} to ${PASSWORD_CHARACTERS_MAX} characters.`;
export const NewPassword = z
  .string()
  .min(PASSWORD_CHARACTERS_MIN, PASSWORD_LENGTH)
  .max(PASSWORD_CHARACTERS_MAX, PASSWORD_LENGTH);

export const SignIn = z.object({
  name: z.string().min(1).max(200),
  password: z.string().min(1).max(PASSWORD_CHARACTERS_MAX),
});

export const Session = z
  .object({
    account: z.object({ id: z.string(), name: z.string(), role: Role }),
    organisation: z.object({ id: z.string(), name: z.string(), timeZone: z.string().optional() }),
    /** The name of the phone that was paired; null in every other session. */
    phone: z.string().nullable(),
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
