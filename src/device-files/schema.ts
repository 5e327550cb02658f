import * as z from 'zod';
import { DURATION, DURATION_ERROR, readDuration } from '../kit/durations.ts';

/** The ways in which a scan or a request of a device can be refused; each needs an answer. */
export const DENIALS = [
  'exhausted',
  'expired',
  'not_yet_valid',
  'not_used',
  'ticket_cancelled',
  'invalid_ticket',
  'not_found',
  'event_not_allowed',
  'missing_ticket_code',
  'key_refused',
  'too_many_requests',
  'server_error',
] as const;
export type Denial = (typeof DENIALS)[number];

/** Places in a template that are filled in by the service. */
export const ANSWER_VALUES = ['name', 'note', 'used', 'allowed', 'seconds', 'relay'] as const;
/** Places in a request that the simulator fills in. */
export const REQUEST_VALUES = ['code', 'serial', 'reader', 'index', 'time'] as const;

const NAME_CHARACTERS_MAX = 40;
const TEXT_CHARACTERS_MAX = 200;
const TEMPLATE_CHARACTERS_MAX = 2000;
const STEPS_MAX = 8;
const CONDITIONS_MAX = 8;
const REQUESTS_MAX = 16;
const VALUES_MAX = 16;
const DISPLAY_BYTES_MAX = 255;
const BODY_BYTES_MAX = 8192;

const isAscii = (text: string) => [...text].every((one) => one >= ' ' && one <= '~');
const madeOf = (allowed: string) => (text: string) =>
  [...text.toLowerCase()].every((one) => allowed.includes(one));
const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** The name of a device file: keys are bound to it. */
const DeviceName = z
  .string()
  .min(1)
  .max(NAME_CHARACTERS_MAX)
  .refine((text) => text === text.toLowerCase() && madeOf(`${LETTERS}-`)(text), {
    error: `a name has at most ${NAME_CHARACTERS_MAX} characters of a-z, 0-9 and -`,
  });
const Text = z.string().min(1).max(TEXT_CHARACTERS_MAX);
const Path = z
  .string()
  .max(TEXT_CHARACTERS_MAX)
  .refine((text) => text.startsWith('/') && madeOf(`${LETTERS}/._~-`)(text), {
    error: 'a path begins with / and has letters, digits and . _ ~ - only',
  })
  .refine((text) => !text.split('/').some((part) => part === '.' || part === '..'), {
    error: 'a path has no part . or ..: devices and proxies leave it out',
  })
  .meta({ description: 'What the device appends to /devices/KEY, such as /new_qrcode.fcgi.' });
const Template = z.string().max(TEMPLATE_CHARACTERS_MAX);

const Step = z
  .union(
    [
      z.enum(['base64', 'base64url', 'hex', 'percent', 'trim', 'trim-line-end']),
      z.strictObject({ after: Text }),
      z.strictObject({ before: Text }),
    ],
    {
      error:
        'a step is base64, base64url, hex, percent, trim, trim-line-end, {after: TEXT} or {before: TEXT}',
    },
  )
  .meta({
    description:
      'after: what follows the text, nothing without it. before: what precedes the text, all without it.',
  });
export type Step = z.infer<typeof Step>;

const PLACES = ['json', 'xml', 'form', 'query', 'header', 'text', 'status'] as const;
const sourceMembers = {
  json: Text.optional().meta({ description: 'A path such as media.data or items[0].id.' }),
  xml: Text.refine((path) => /^[^\s@<>]+(@[^\s@<>]+)?$/.test(path), {
    error: 'an element is reply.gate, an attribute reply.gate@cmd',
  })
    .optional()
    .meta({ description: 'An element or an attribute, such as reply.gate or reply.gate@cmd.' }),
  form: Text.optional().meta({ description: 'A field of a form in the body.' }),
  text: z.literal(true).optional().meta({ description: 'The whole body.' }),
  decode: z.array(Step).max(STEPS_MAX).optional(),
};
const ofRequest = {
  ...sourceMembers,
  query: Text.optional().meta({ description: 'A parameter of the query.' }),
  header: Text.optional().meta({ description: 'A header, by its name.' }),
};
const ofAnswer = {
  ...sourceMembers,
  status: z.literal(true).optional().meta({ description: 'The HTTP status of the answer.' }),
};
const onePlace = (source: object) => PLACES.filter((place) => place in source).length === 1;
const ONE_PLACE = {
  error: 'name exactly one place: json, xml, form, query, header, text or status',
};

const Scalar = z.union([z.string(), z.number(), z.boolean()]);
const equals = z
  .union([Scalar, z.array(Scalar).min(1).max(CONDITIONS_MAX)])
  .optional()
  .meta({
    description: 'The text that must be there, or one of several; any value without this.',
  });

const Source = z.strictObject(ofRequest).refine(onePlace, ONE_PLACE);
const Condition = z.strictObject({ ...ofRequest, equals }).refine(onePlace, ONE_PLACE);
const Conditions = z.array(Condition).max(CONDITIONS_MAX);
const AnswerSource = z.strictObject(ofAnswer).refine(onePlace, ONE_PLACE);
const AnswerCondition = z.strictObject({ ...ofAnswer, equals }).refine(onePlace, ONE_PLACE);

const Value = z
  .strictObject({
    ...ofRequest,
    as: z.enum(['text', 'number']).optional().meta({ description: 'text when absent' }),
    else: z
      .string()
      .max(TEXT_CHARACTERS_MAX)
      .optional()
      .meta({ description: 'Where the request has no such value; nothing when absent.' }),
  })
  .refine(onePlace, ONE_PLACE)
  .refine(({ as, else: other }) => as !== 'number' || isNumber(other ?? ''), {
    error: 'a number needs else: with a number, for requests without it',
  });

const address = {
  method: z.enum(['GET', 'POST', 'PUT']).optional().meta({ description: 'POST when absent' }),
  path: Path.optional(),
  when: Conditions.optional().meta({
    description: 'How the request is known: all of these must be there.',
  }),
  serial: Source.optional(),
};

const Scan = z.strictObject({
  kind: z.literal('scan'),
  ...address,
  operation: z
    .enum(['consume', 'validate'])
    .optional()
    .meta({ description: 'At a path of its own; consume when absent.' }),
  code: Source,
  reader: Source.optional(),
  direction: z
    .strictObject({
      ...ofRequest,
      in: z.array(Scalar).max(CONDITIONS_MAX),
      out: z.array(Scalar).max(CONDITIONS_MAX),
    })
    .refine(onePlace, ONE_PLACE)
    .optional()
    .meta({ description: 'Where the device itself tells the direction, and its words for it.' }),
});

const Heartbeat = z.strictObject({
  kind: z.literal('heartbeat'),
  ...address,
  firmware: Source.optional(),
  onlyOffline: z
    .literal(true)
    .optional()
    .meta({ description: 'Sent only while the device gets no answers; regularly when absent.' }),
});

const Passage = z.strictObject({
  kind: z.literal('passage'),
  ...address,
  path: Path,
  serial: Source,
  turnedBack: Conditions.min(1).meta({
    description: 'Nobody passed; the use stays taken.',
  }),
});

const Request = z.discriminatedUnion('kind', [Scan, Heartbeat, Passage]);
export type FileRequest = z.infer<typeof Request>;
export type FileScan = z.infer<typeof Scan>;
export type FileSource = z.infer<typeof Source> & Partial<z.infer<typeof AnswerSource>>;
export type FileCondition = FileSource & { readonly equals?: z.infer<typeof equals> };

const NO_BODY_STATUSES = [204, 205, 304];

const Answer = z
  .strictObject({
    status: z.int().min(200).max(599).optional().meta({
      description: 'The usual one of the outcome when absent; never changed by a setting.',
    }),
    type: Text.refine(isAscii, { error: 'a content type has printable ASCII characters only' })
      .optional()
      .meta({ description: 'The content type: values are escaped for it.' }),
    body: Template.optional().meta({ description: 'A template; empty when absent.' }),
  })
  .refine(({ body, type }) => !body || type !== undefined, {
    error: 'a body needs a type, because values are escaped for it',
  })
  .refine(({ body, status }) => !body || !NO_BODY_STATUSES.includes(status ?? 200), {
    error: 'an answer with this status has no body',
  });
export type FileAnswer = z.infer<typeof Answer>;

const Answers = z.strictObject({
  granted: Answer,
  denied: Answer.optional().meta({ description: 'For every denial that is not named here.' }),
  ...(Object.fromEntries(DENIALS.map((name) => [name, Answer.optional()])) as {
    [Name in Denial]: z.ZodOptional<typeof Answer>;
  }),
  heartbeat: Answer.optional(),
  passage: Answer.optional().meta({ description: '200 without a body when absent.' }),
});

const wholeBytes = (max: number) => z.int().min(1).max(max).optional();
/** A duration that was read: milliseconds. */
const Duration = z
  .string()
  .regex(DURATION, DURATION_ERROR)
  .transform((text) => readDuration(text) ?? 0);

const SimulatedRequest = z
  .strictObject({
    type: Text.refine(isAscii).optional(),
    query: Template.optional(),
    body: Template.optional(),
    encode: z
      .array(z.enum(['base64', 'base64url', 'hex']))
      .max(STEPS_MAX)
      .optional()
      .meta({ description: 'What the device makes of a code before it sends it.' }),
  })
  .refine(({ body, type }) => !body || type !== undefined, { error: 'a body needs a type' });

const Simulated = z
  .strictObject({
    waitTime: z.int().min(1).max(6000).optional().meta({ description: 'In units of 0.1 second.' }),
    scan: SimulatedRequest,
    heartbeat: SimulatedRequest.safeExtend({ every: Duration }).optional(),
    passage: z
      .strictObject({ turned: SimulatedRequest, turnedBack: SimulatedRequest })
      .optional()
      .meta({
        description:
          'What it sends to the path of the passage after a grant, when the person passed and when nobody did.',
      }),
    denied: z.array(AnswerCondition).min(1).max(CONDITIONS_MAX),
    relay: AnswerSource.optional(),
    seconds: AnswerSource.optional(),
    name: AnswerSource.optional(),
    note: AnswerSource.optional(),
  })
  .meta({ description: 'How the simulator plays this device; it cannot without this.' });
export type FileSimulation = z.infer<typeof Simulated>;

/** A device in YAML: how its requests are read, and how they are answered (ADR 0110). */
export const DeviceFileSchema = z
  .strictObject({
    deviceFile: z.literal(1).meta({ description: 'The version of this format.' }),
    name: DeviceName,
    title: Text,
    proven: z.enum(['device', 'recording', 'documents', 'nothing']).meta({
      description:
        'On what this file was tested: a real device, a recording of one, documents only.',
    }),
    about: z.string().max(4000).optional(),
    requests: z.array(Request).min(1).max(REQUESTS_MAX),
    answers: Answers,
    opensWhen: z.array(AnswerCondition).min(1).max(CONDITIONS_MAX).optional().meta({
      description:
        'What in an answer opens the door: all of these. When absent, the status of granted if no denial has it, or its text.',
    }),
    relay: z
      .strictObject({ in: z.string().max(40), out: z.string().max(40) })
      .optional()
      .meta({ description: 'The words of the device for the relay of a grant, as {{relay}}.' }),
    limits: z
      .strictObject({
        name: wholeBytes(DISPLAY_BYTES_MAX),
        note: wholeBytes(DISPLAY_BYTES_MAX),
        body: wholeBytes(BODY_BYTES_MAX),
      })
      .optional()
      .meta({ description: 'Bytes of UTF-8: 16 and 32 for name and note when absent.' }),
    values: z
      .record(z.string(), Value)
      .refine((values) => Object.keys(values).length <= VALUES_MAX, {
        error: `at most ${VALUES_MAX} values`,
      })
      .optional()
      .meta({ description: 'Values of a request that its answer repeats, as {{value}}.' }),
    simulate: Simulated.optional(),
  })
  .meta({ title: 'ticketscan device file' });

/** A file as it is written. */
export type WrittenFile = z.infer<typeof DeviceFileSchema>;
/** A file that was checked. */
export type DeviceFile = WrittenFile & { readonly opensWhen: readonly FileCondition[] };

/** A problem, and its place in the file. */
export interface Problem {
  readonly at: readonly PropertyKey[];
  /** It is about the name of that member, not about its value. */
  readonly isName?: true;
  readonly what: string;
}

/** True for the digits of a number, which need no quotes in JSON. */
export function isNumber(text: string): boolean {
  const digits = text.startsWith('-') ? text.slice(1) : text;
  const isPlain = digits !== '' && digits.length <= 20 && madeOf('0123456789')(digits);
  return isPlain && (digits === '0' || !digits.startsWith('0'));
}

/** The JSON Schema that editors complete device files with. */
export function deviceFileJsonSchema(): object {
  return z.toJSONSchema(DeviceFileSchema, { io: 'input', reused: 'ref' });
}
