import * as z from 'zod';
import { DIRECTIONS } from '../../core/direction.ts';
import { peopleText } from '../../core/field-shapes.ts';
import { PHONE_NAME_CHARACTERS_MAX } from '../../core/limits.ts';
import { Time } from '../../core/records.ts';
import { Done, Id, ListPage, pagedList, slicedPage } from '../../operations/fields.ts';
import { operation, serverOf } from '../context.ts';

/** The token is in this answer and nowhere else. The page shows it in a QR code: `/pair#<token>`. */
export const CreatedPairing = z
  .object({ id: z.string(), token: z.string(), expiresAt: Time })
  .meta({ id: 'CreatedPairing' });

/** `asked`: a phone has redeemed the token and shows `code`. Compare it before you confirm. */
export const PairingState = z
  .object({
    state: z.enum(['open', 'asked']),
    phone: z.string().nullable(),
    code: z.string().nullable(),
  })
  .meta({ id: 'PairingState' });

export const Phone = z
  .object({
    id: z.string(),
    name: z.string(),
    account: z.object({ id: z.string(), name: z.string() }),
    pairedAt: Time,
    lastSeenAt: Time,
    expiresAt: Time,
    /** Whether it stands at the entrance or at the exit; null before it said so. */
    way: z.enum(DIRECTIONS).nullable(),
  })
  .meta({ id: 'Phone' });

/** The request of the phone, which has no account: see `redemptionRoutes`. */
export const Redemption = z.strictObject({
  token: z.string().min(1).max(100),
  /** The name of the phone in the log and on the dashboard. */
  name: peopleText(PHONE_NAME_CHARACTERS_MAX).min(1),
});
export const Redeemed = z.object({ code: z.string(), expiresAt: Time });
/** The state of the phone that asks; `ended` if it was refused or took too long. */
export const RedemptionState = z.object({
  state: z.enum(['waiting', 'paired', 'ended']),
  /** Whether the browser has a session that works, whatever becomes of the pairing. */
  signedIn: z.boolean(),
});

const phoneOperation = { tag: 'Phones', role: 'operator', sessionOnly: true } as const;

export const beginPairing = operation({
  ...phoneOperation,
  id: 'beginPairing',
  http: 'POST /pairings',
  summary: 'Start to pair a phone',
  description: 'The token is valid once, for two minutes.',
  body: z.object({
    /** The account for which the phone scans: your own by default; owners may name an account with the role scanner. */
    account: z.string().min(1).max(100).optional(),
  }),
  status: 201,
  answer: CreatedPairing,
  run: async (context, { account }) => {
    const { phones, principal } = serverOf(context);
    return phones.begin(principal, account);
  },
});

export const getPairing = operation({
  ...phoneOperation,
  id: 'getPairing',
  http: 'GET /pairings/:id',
  summary: 'The state of a pairing',
  params: Id,
  answer: PairingState,
  run: async (context, { id }) => {
    const { phones, principal } = serverOf(context);
    const state = await phones.stateOf(principal, id);
    const { phone, code } = state.kind === 'asked' ? state : { phone: null, code: null };
    return { state: state.kind, phone, code };
  },
});

export const confirmPairing = operation({
  ...phoneOperation,
  id: 'confirmPairing',
  http: 'POST /pairings/:id/confirm',
  summary: 'Confirm the phone that has redeemed the token',
  description: 'Its session begins, with the role scanner, for 12 hours.',
  params: Id,
  answer: Done,
  run: async (context, { id }) => {
    const { phones, principal } = serverOf(context);
    await phones.confirm(principal, id);
    return {};
  },
});

export const refusePairing = operation({
  ...phoneOperation,
  id: 'refusePairing',
  http: 'DELETE /pairings/:id',
  summary: 'Refuse the phone, or withdraw the token',
  params: Id,
  answer: Done,
  run: async (context, { id }) => {
    const { phones, principal } = serverOf(context);
    await phones.refuse(principal, id);
    return {};
  },
});

export const listPhones = operation({
  ...phoneOperation,
  id: 'listPhones',
  http: 'GET /phones',
  summary: 'List paired phones',
  description: 'Your own; owners see those of all accounts.',
  query: z.object(ListPage),
  answer: pagedList(Phone),
  run: async (context, page) => {
    const { phones, principal } = serverOf(context);
    return slicedPage(await phones.list(principal), page);
  },
});

export const standAt = operation({
  ...phoneOperation,
  id: 'standAt',
  http: 'POST /phones/way',
  role: 'scanner',
  summary: 'Say where the paired phone stands that asks',
  description: 'At the entrance (`in`) or at the exit (`out`). The list of phones shows it.',
  body: z.object({ way: z.enum(DIRECTIONS) }),
  answer: Done,
  run: async (context, { way }) => {
    const { phones, principal } = serverOf(context);
    await phones.standAt(principal, way);
    return {};
  },
});

export const removePhone = operation({
  ...phoneOperation,
  id: 'removePhone',
  http: 'DELETE /phones/:id',
  summary: 'Remove a paired phone',
  description: 'Applies from the next request on.',
  params: Id,
  answer: Done,
  run: async (context, { id }) => {
    const { phones, principal } = serverOf(context);
    await phones.revoke(principal, id);
    return {};
  },
});
