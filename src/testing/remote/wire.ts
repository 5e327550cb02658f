import * as z from 'zod';
import { windowOf } from '../../core/records.ts';
import { TICKET_KINDS } from '../../core/ticket.ts';
import { RULES } from '../../features/explain/explanation.ts';
import { TARGET_KEYS } from '../../target-file/names.ts';
import type { ClockState, SeedOptions } from '../controls.ts';
import { FAULT_EFFECTS, type Fault, type FaultRule } from '../faults/fault.ts';
import { VARIATION_NAMES } from '../vary/variations.ts';

/** The shapes of the controls over HTTP; the library checks what it is given against the same. */

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
  devices: z
    .partialRecord(z.enum(TARGET_KEYS), z.strictObject({ file: named }))
    .optional()
    .describe('device files of the server (serve --device-file) by the key that gets them'),
}) satisfies z.ZodType<SeedOptions>;

export const RestoreSchema = z.strictObject({ id: SNAPSHOT_ID });
export const SnapshotSchema = z.strictObject({ id: SNAPSHOT_ID });

/** One move of the clock; `freeze` goes with `set`. */
export const ClockMoveSchema = z
  .strictObject({
    set: time.optional().describe('ISO 8601, or milliseconds since 1970 UTC'),
    advance: duration.optional().describe('milliseconds, or text such as 2h, 90s, 1d 12h'),
    freeze: z.boolean().optional().describe('true stops the clock, false lets it run again'),
  })
  .refine(({ set, advance, freeze }) => (set ?? advance ?? freeze) !== undefined, {
    error: 'give set, advance or freeze',
  })
  .refine(({ set, advance }) => set === undefined || advance === undefined, {
    error: 'set and advance cannot be combined',
  });

export const ClockStateSchema = z.strictObject({
  now: z.iso.datetime(),
  frozen: z.boolean(),
  offsetMs: z.number(),
}) satisfies z.ZodType<ClockState>;

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
    delay: delay.optional().describe('for the effect delay: milliseconds, or log-normal'),
    when: z.enum(['before', 'after']).optional().describe('the decision; before by default'),
    endpoint: z
      .union([named, z.array(named)])
      .optional()
      .describe('paths such as /scan/consume'),
    key: named.optional().describe("a key's value, id or unique name"),
    ticket: named.optional().describe("a ticket's code or id"),
    times: z.int().min(1).optional().describe('number of times; without it, always'),
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

export const FaultSchema = z.strictObject({
  id: z.string(),
  effect: z.enum(FAULT_EFFECTS),
  when: z.enum(['before', 'after']),
  delay: delay.nullable(),
  endpoints: z.array(z.string()),
  keyId: z.string().nullable(),
  ticketId: z.string().nullable(),
  timesLeft: z.number().nullable(),
  probability: z.number(),
  seed: z.number(),
  hits: z.number(),
}) satisfies z.ZodType<Fault>;

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

export const MadeTicketSchema = z.strictObject({ ticketId: z.string(), code: z.string() });

const codes = z.array(z.string());
export const SampleSchema = z.strictObject({
  events: z.strictObject({ main: z.string(), other: z.string() }),
  keys: z.record(z.string(), z.string()),
  tickets: z.record(z.string(), codes),
});

const ExplanationSchema = z.strictObject({
  answer: z.string(),
  reason: z.string().nullable(),
  granted: z.boolean(),
  steps: z.array(
    z.strictObject({
      rule: z.enum(RULES),
      result: z.enum(['passed', 'stopped', 'not_reached', 'not_asked']),
      because: z.string(),
      facts: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
    }),
  ),
});

export const VaryOptionsSchema = z.strictObject({
  seed: SEED,
  only: z.array(z.enum(VARIATION_NAMES)).optional(),
});

export const RecordedExchangeSchema = z.strictObject({
  number: z.number(),
  at: z.iso.datetime(),
  endpoint: z.string(),
  key: z.strictObject({ id: z.string(), name: z.string() }).nullable(),
  request: z.strictObject({
    contentType: z.string().nullable(),
    idempotencyKey: z.string().nullable(),
    body: z.string().nullable(),
  }),
  device: z
    .strictObject({
      model: z.string(),
      serial: z.string().nullable(),
      reader: z.string().nullable(),
    })
    .nullable(),
  ticketId: z.string().nullable(),
  answer: z.strictObject({ status: z.number(), body: z.string() }).nullable(),
  explanation: ExplanationSchema.nullable(),
  faults: z.array(z.strictObject({ id: z.string(), effect: z.enum(FAULT_EFFECTS) })),
  variations: z.array(z.enum(VARIATION_NAMES)),
  durationMs: z.number(),
});

export const MessageSchema = z.strictObject({ message: z.string() });
