import * as z from 'zod';
import { DURATION, DURATION_ERROR, readDuration } from '../../kit/durations.ts';
import { TARGET_TICKETS } from '../../target-file/names.ts';
import { MODEL_IDS } from '../models/models.ts';
import { EXIT_RULES, SERVER_ACTIONS } from '../stand-in.ts';
import { FAULT_KINDS } from '../wire.ts';

const Name = z.string().regex(/^[A-Za-z][\w-]*$/, 'a name may contain letters, digits, - and _');
/** A duration that was read: milliseconds. */
const Time = z
  .string()
  .regex(DURATION, DURATION_ERROR)
  .meta({ description: 'A duration such as 500ms, 10s, 2m or 1h.' })
  .transform((text) => readDuration(text) ?? 0);
const Offset = z
  .string()
  .regex(/^-?\d+(ms|s|m|h|d)$/)
  .transform(
    (text) => Math.sign(Number.parseInt(text, 10)) * (readDuration(text.replace('-', '')) ?? 0),
  );
const Instant = z.iso.datetime({
  offset: true,
  error: 'a time must look like 2026-07-01T23:59:50Z',
});
const Names = z.union([Name, z.array(Name).min(1)]);

const DeviceSchema = z
  .strictObject({
    model: z
      .union([z.enum(MODEL_IDS), z.string()])
      .optional()
      .meta({ description: 'A known model, or the name of a device file (--device-file).' }),
    serial: z.string().min(1).optional(),
    operation: z.enum(['consume', 'validate']).optional(),
    direction: z.enum(['in', 'out']).optional().meta({
      description: 'Which way people go; out is reader 1 unless reader says otherwise.',
    }),
    reader: z.int().min(0).max(255).optional(),
    waitTime: z.int().min(1).optional().meta({ description: 'In units of 0.1 second.' }),
    failMode: z.enum(['secure', 'safe']).optional(),
    antiRepeat: Time.optional(),
    heartbeat: Time.optional(),
    readTime: Time.optional().meta({ description: 'From the card to its code.' }),
    passTime: Time.optional(),
    clockOffset: Offset.optional(),
    turnBack: z.number().min(0).max(1).optional(),
    only200: z.boolean().optional(),
  })
  .meta({ description: 'A device and its settings; everything has a default.' });

const CardSchema = z
  .strictObject({
    state: z
      .enum([...TARGET_TICKETS, 'forged'])
      .optional()
      .meta({ description: 'As in a target file; or forged.' }),
    code: z.string().min(1).optional().meta({ description: 'This text instead of a ticket.' }),
    uses: z.int().min(1).max(9999).optional(),
    holder: z.string().optional(),
    validFrom: Instant.optional(),
    validUntil: Instant.optional(),
    count: z.int().min(1).max(10_000).optional().meta({ description: 'Number of such cards.' }),
  })
  .refine(({ state, code }) => (state === undefined) !== (code === undefined), {
    error: 'a card has either a state or a code',
  });

const DeviceExpectation = z.strictObject({
  device: Name,
  state: z.enum(['off', 'offline', 'idle', 'reading', 'waiting', 'granted', 'denied']).optional(),
  online: z.boolean().optional(),
  relay: z
    .union([z.string(), z.literal(false)])
    .optional()
    .meta({
      description: 'IN, OUT, LOCK1 …, or false for a closed door.',
    }),
  name: z.string().optional(),
  note: z.string().optional(),
});

const OutcomeExpectation = z.strictObject({
  result: z.enum(['granted', 'denied', 'timeout', 'error', 'ignored']).optional(),
  opened: z.boolean().optional(),
  relay: z.union([z.string(), z.literal(false)]).optional(),
  name: z.string().optional(),
  note: z.string().optional(),
  status: z.int().optional(),
});

const Thresholds = z.array(z.string()).meta({
  description: 'Thresholds for the whole run so far, such as granted=3 or p99<300ms.',
});

const StepSchemas = [
  z.strictObject({
    present: Name,
    at: Name,
    fault: z.enum(FAULT_KINDS).exclude(['double-presentation']).optional(),
    expect: OutcomeExpectation.optional(),
  }),
  z.strictObject({ wait: Time }),
  z.strictObject({ cutNetwork: Names }),
  z.strictObject({ restoreNetwork: Names }),
  z.strictObject({ powerOff: Names }),
  z.strictObject({ powerOn: Names }),
  z.strictObject({ powerCycle: Names }),
  z.strictObject({ server: z.enum(SERVER_ACTIONS), for: Time.optional() }),
  z.strictObject({
    rush: z.strictObject({
      card: Name,
      people: z.int().min(1).max(100_000),
      rate: z.number().positive(),
      pattern: z.enum(['poisson', 'constant']).optional(),
      at: Names.optional(),
      direction: z.enum(['in', 'out']).optional().meta({
        description: 'At the devices of this direction; all devices if at is absent too.',
      }),
      retries: z.int().min(0).max(10).optional(),
      background: z.boolean().optional(),
    }),
  }),
  z.strictObject({ rushEnd: z.literal(true) }),
  z.strictObject({ expect: z.union([DeviceExpectation, z.strictObject({ run: Thresholds })]) }),
] as const;

/** One thing that happens or is asserted. */
const StepSchema = z.union(StepSchemas);

/** A scenario: devices, cards, and what happens to them. */
export const ScenarioSchema = z
  .strictObject({
    name: z.string().min(1),
    about: z.string().optional(),
    seed: z.string().optional(),
    start: Instant.optional().meta({ description: 'The wall clock of virtual time.' }),
    key: z.enum(['all-events', 'selected-events']).optional().meta({
      description: 'Which of the hardware keys of a target file; all-events if absent.',
    }),
    standIn: z
      .strictObject({
        rate: z.number().positive().optional(),
        burst: z.int().min(1).optional(),
        latency: Time.optional(),
        readers: z.record(z.string(), z.enum(['in', 'out'])).optional(),
        onExit: z.enum(EXIT_RULES).optional(),
      })
      .optional()
      .meta({ description: 'Settings of the service in memory; in virtual time only.' }),
    devices: z.record(Name, DeviceSchema),
    cards: z.record(Name, CardSchema),
    steps: z.array(StepSchema).min(1),
  })
  .meta({ title: 'ticketscan scenario' });

export type Scenario = z.infer<typeof ScenarioSchema>;
export type Step = z.infer<typeof StepSchema>;
export type ScenarioDevice = z.infer<typeof DeviceSchema>;
export type ScenarioCard = z.infer<typeof CardSchema>;
export type OutcomeExpectation = z.infer<typeof OutcomeExpectation>;

/** The keys that tell the kinds of steps apart. */
export const STEP_KEYS: readonly string[] = StepSchemas.map(
  (schema) => Object.keys(schema.shape)[0] ?? '',
);

/** The schema of the step that has this key. */
export function stepSchemaFor(key: string) {
  return StepSchemas[STEP_KEYS.indexOf(key)];
}

/** The JSON Schema that is published beside the scenarios. */
export function scenarioJsonSchema(): object {
  return z.toJSONSchema(ScenarioSchema, { io: 'input' });
}
