import * as z from 'zod';
import { TicketscanError } from '../../core/errors.ts';
import { windowOf } from '../../core/records.ts';
import { TICKET_KINDS } from '../../core/ticket.ts';
import { TARGET_KEYS } from '../../target-file/names.ts';
import { FAULT_EFFECTS, type FaultRule, type SeedOptions } from '../controls.ts';
import { VARIATION_NAMES } from '../vary/variations.ts';

/** What the controls are given, by callers of the library and over HTTP. */

const LIMIT_MAX = 1e12;
const SEED = z.int().min(0).max(0xffff_ffff);
const SNAPSHOT_ID = z.string().max(64);
const time = z.union([z.iso.datetime({ offset: true }), z.number()]);
const duration = z.union([z.number(), z.string().max(100)]);
const named = z.string().min(1).max(300);

export const SeedOptionsSchema = z.strictObject({
  seed: z.enum(['all-states', 'keys-only']),
  ticketsPerState: z.int().min(1).max(10_000).optional(),
  limits: z
    .strictObject({
      ratePerSecond: z.number().positive().max(LIMIT_MAX).optional(),
      burst: z.int().min(1).max(LIMIT_MAX).optional(),
      quotaPerMonth: z.int().min(1).max(LIMIT_MAX).optional(),
    })
    .optional(),
  devices: z.partialRecord(z.enum(TARGET_KEYS), z.strictObject({ file: named })).optional(),
}) satisfies z.ZodType<SeedOptions>;

export const RestoreSchema = z.strictObject({ id: SNAPSHOT_ID });
/** One move of the clock; `freeze` goes with `set`. */
export const ClockMoveSchema = z
  .strictObject({
    set: time.optional(),
    advance: duration.optional(),
    freeze: z.boolean().optional(),
  })
  .refine(({ set, advance, freeze }) => (set ?? advance ?? freeze) !== undefined, {
    error: 'give set, advance or freeze',
  })
  .refine(({ set, advance }) => set === undefined || advance === undefined, {
    error: 'set and advance cannot be combined',
  });

const DELAY_MS_MAX = 600_000;
const delay = z.union([
  z.number().min(0).max(DELAY_MS_MAX),
  z.strictObject({
    medianMs: z.number().min(0).max(DELAY_MS_MAX),
    sigma: z.number().min(0).max(5),
  }),
]);

export const FaultRuleSchema = z
  .strictObject({
    effect: z.enum(FAULT_EFFECTS),
    delay: delay.optional(),
    when: z.enum(['before', 'after']).optional(),
    endpoint: z.union([named, z.array(named)]).optional(),
    key: named.optional(),
    ticket: named.optional(),
    times: z.int().min(1).optional(),
    probability: z.number().min(0).max(1).optional(),
    seed: SEED.optional(),
  })
  .refine(({ effect, delay }) => (effect === 'delay') === (delay !== undefined), {
    error: 'delay must be given for the effect delay, and only for it',
  })
  .refine(
    ({ effect, when }) =>
      when === undefined || ['delay', 'server-error', 'hang', 'reset'].includes(effect),
    { error: 'when can be given only for delay, server-error, hang and reset' },
  ) satisfies z.ZodType<FaultRule>;

export const RequestFilterSchema = z.strictObject({
  last: z.coerce.number().int().min(1).optional(),
  endpoint: named.optional(),
  ticket: named.optional(),
});

export const TicketRequestSchema = z.strictObject({
  type: z.enum(TICKET_KINDS).optional(),
  uses: z.int().optional(),
  event: named.optional(),
  firstName: z.string().optional(),
  lastName: z.string().optional(),
  ...windowOf(time.nullish()),
});

export const VaryOptionsSchema = z.strictObject({
  seed: SEED,
  only: z.array(z.enum(VARIATION_NAMES)).optional(),
});

/**
 * What was asked for, checked: JavaScript callers and HTTP clients alike may send anything.
 * @throws TicketscanError `usage`, naming the place
 */
export function parseOptions<Schema extends z.ZodType>(
  schema: Schema,
  options: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(options);
  if (parsed.success) return parsed.data;
  throw new TicketscanError('usage', z.prettifyError(parsed.error).replaceAll('✖ ', ''));
}
