import * as z from 'zod';
import { Time } from '../../../core/codecs/time.ts';
import { wholeList } from '../../../operations/fields.ts';

export const NewPairing = z.object({
  /** For which account the phone scans: your own by default; owners may name an account with the role scanner. */
  account: z.string().min(1).max(100).optional(),
});

/** The token is in this answer and nowhere else. The page shows it in a QR code: `/pair#<token>`. */
export const CreatedPairing = z
  .object({ id: z.string(), token: z.string(), expiresAt: Time })
  .meta({ id: 'CreatedPairing' });
export type CreatedPairing = z.output<typeof CreatedPairing>;

/** `asked`: a phone has redeemed the token and shows `code`. Compare it before you confirm. */
export const PairingState = z
  .object({
    state: z.enum(['open', 'asked']),
    phone: z.string().nullable(),
    code: z.string().nullable(),
  })
  .meta({ id: 'PairingState' });
export type PairingState = z.output<typeof PairingState>;

export const Redemption = z.object({
  token: z.string().min(1).max(100),
  /** What the phone is called in the log and on the dashboard. */
  name: z.string().min(1).max(60),
});
export const Redeemed = z.object({ code: z.string(), expiresAt: Time });
export type Redeemed = z.output<typeof Redeemed>;

/** Of the phone that asks: `ended` when it was refused or took too long. */
export const RedemptionState = z.object({ state: z.enum(['waiting', 'paired', 'ended']) });
export type RedemptionState = z.output<typeof RedemptionState>;

export const Phone = z
  .object({
    id: z.string(),
    name: z.string(),
    account: z.object({ id: z.string(), name: z.string() }),
    pairedAt: Time,
    lastSeenAt: Time,
    expiresAt: Time,
  })
  .meta({ id: 'Phone' });
export type Phone = z.output<typeof Phone>;
export const PhoneList = wholeList(Phone);
