import * as z from 'zod';
import { IDEMPOTENCY_KEY_CHARACTERS_MAX } from '../../core/limits.ts';
import { REJECTION_REASONS, SCAN_STATUSES } from '../../core/outcome-names.ts';
import { HolderJson, TimeOrNull, windowOf } from '../../core/records.ts';
import { accessController } from '../../scan/devices/access-controller.ts';
import { DEVICE_MODELS } from '../../scan/devices/detect.ts';
import type { DeviceModel, DeviceSchemas } from '../../scan/devices/device-model.ts';
import { HARDWARE_PATHS, HEARTBEAT_PATH, REST_PATHS } from '../../scan/http/scan-paths.ts';

/** The part of JSON Schema that is written by hand here. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly anyOf?: readonly Schema[];
}

/** The part of OpenAPI 3.1 that is used here. */
export interface OpenApiDocument {
  readonly servers: readonly { readonly url: string }[];
  readonly tags?: readonly { readonly name: string; readonly description: string }[];
  readonly components?: {
    readonly schemas?: Readonly<Record<string, Schema>>;
  };
  readonly paths?: Paths;
}

export type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

interface Operation {
  readonly tags?: readonly string[];
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Body;
  readonly responses?: Readonly<Record<string, Response>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}

interface Body {
  readonly required?: boolean;
  readonly content: Content;
}

interface Response {
  readonly description: string;
  readonly content?: Content;
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

/** Sections 4.1 and 4.2. The scan endpoints themselves read and write by hand, because every gate waits for them. */
const ScanBody = z
  .object({
    ticketCode: z.string().min(1).meta({ description: 'the complete code from the QR code' }),
  })
  .meta({ id: 'ScanBody' });

/** Section 2.3. */
const ScanResult = z
  .object({
    valid: z.boolean(),
    status: z.enum(SCAN_STATUSES),
    message: z.string().meta({ description: 'for people, in English or German' }),
    reason: z.enum(REJECTION_REASONS).optional(),
    ticketId: z.string().optional(),
    ticketType: z.enum(['single', 'multi']).optional(),
    usesAllowed: z.number().int().optional(),
    usesConsumed: z.number().int().optional(),
    usesRemaining: z.number().int().optional(),
    holder: HolderJson.optional(),
    ...windowOf(TimeOrNull.optional()),
    scannedAt: z.iso.datetime().optional(),
  })
  .meta({ id: 'ScanResult' });

/** Sections 7.1 and 7.2: the answer to a request that is refused before a decision. */
const ScanError = z.object({ message: z.string() }).meta({ id: 'ScanError' });

/** Section 4.5. */
const Heartbeat = z
  .looseObject({ Key: z.union([z.string(), z.number()]).optional() })
  .meta({ id: 'Heartbeat' });
const HeartbeatAnswer = z
  .object({
    Key: z
      .union([z.string(), z.number()])
      .meta({ description: 'as it was sent; a number with the same digits' }),
  })
  .meta({ id: 'HeartbeatAnswer' });

/** A schema that is registered with an id, and the media type in which it travels. */
interface Part {
  readonly type: string;
  readonly schema: z.ZodType;
}

/** A body in JSON. */
function inJson(schema: z.ZodType): Part {
  return { type: 'application/json', schema };
}

/** A body that is sent to the service, in one of these forms. */
function bodyOf(parts: readonly Part[]): Body {
  return { required: true, content: contentOf(parts, 'Input') };
}

/** An answer, in one of these forms. */
function answerOf(description: string, parts: readonly Part[]): Response {
  return { description, content: contentOf(parts, '') };
}

/** Schemas of one media type are alternatives. `suffix` is what the framework appends to the ids of requests. */
function contentOf(parts: readonly Part[], suffix: 'Input' | ''): Content {
  const byType = Map.groupBy(parts, ({ type }) => type);
  const content = [...byType].map(([type, alternatives]) => {
    const anyOf = alternatives.map(({ schema }) => refTo(schema, suffix));
    const [only] = anyOf;
    return [type, { schema: anyOf.length === 1 && only ? only : { anyOf } }];
  });
  return Object.fromEntries(content);
}

function refTo(schema: z.ZodType, suffix: string): Schema {
  const { id } = schema.meta() ?? {};
  if (id === undefined) throw new Error('a schema of the OpenAPI document has no id');
  return { $ref: `#/components/schemas/${id}${suffix}` };
}

/** The endpoints of section 4, which the framework does not see. */
export function scanPaths(): Paths {
  const validate = restScan(
    'scanValidate',
    'Check a ticket without consuming (section 4.1)',
    'Says whether the ticket would be admitted now, and its uses. Takes no use.',
  );
  return {
    [REST_PATHS.validate]: { post: validate },
    [REST_PATHS.consume]: { post: restConsume() },
    ...devicePaths(),
  };
}

const LANGUAGE: Parameter = {
  name: 'Accept-Language',
  in: 'header',
  description:
    'The message of a scan result is German where this prefers German, English otherwise.',
  schema: { type: 'string' },
};

const RETRY: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'The same key and body within 24 hours get the stored answer again, in its first language, and take no second use. Visible ASCII.',
  schema: { type: 'string', minLength: 1, maxLength: IDEMPOTENCY_KEY_CHARACTERS_MAX },
};

function restConsume(): Operation {
  const scan = restScan(
    'scanConsume',
    'Consume one use of a ticket (section 4.2)',
    'Admits the ticket and takes one of its uses, or refuses it and says why. Open the gate on `valid` true only.',
  );
  const refused = 'The Idempotency-Key is malformed, or was used with another body before';
  return {
    ...scan,
    parameters: [LANGUAGE, RETRY],
    responses: { ...scan.responses, 422: answerOf(refused, [inJson(ScanError)]) },
  };
}

function restScan(operationId: string, summary: string, description: string): Operation {
  const result = [inJson(ScanResult)];
  const error = [inJson(ScanError)];
  return {
    tags: ['Scans by own software'],
    operationId,
    summary,
    description,
    security: [{ apiKey: [] }],
    parameters: [LANGUAGE],
    requestBody: bodyOf([inJson(ScanBody)]),
    responses: {
      200: answerOf('A decision: read valid, status and reason', result),
      400: answerOf(
        'The body cannot be used, and the message says why; or the request is not valid HTTP',
        [...result, ...error],
      ),
      401: answerOf('The key is missing or invalid', error),
      403: answerOf('The key has no access to the event of the ticket', result),
      404: answerOf('The ticket does not exist', result),
      405: answerOf('A method other than POST', error),
      408: answerOf('The request did not arrive in time', error),
      429: answerOf('Too many requests; Retry-After says how long to wait', error),
      431: answerOf('The headers are too large', error),
      500: answerOf('The outcome is unknown: do not open', error),
    },
  };
}

/** Sections 4.3 to 4.5, with the requests and answers of every model in `src/scan/devices`. */
function devicePaths(): Paths {
  return {
    [HARDWARE_PATHS.validate]: {
      post: deviceScan('hardwareValidate', 'Check a ticket for a device (section 4.4)'),
    },
    [HARDWARE_PATHS.consume]: {
      post: deviceScan('hardwareConsume', 'Consume a use for a device (section 4.3)'),
    },
    [HEARTBEAT_PATH]: { post: heartbeat() },
  };
}

const ALWAYS_200 = 'Under serve --hardware-always-200 every status is 200.';

/** The key as a parameter: generated clients have types for the parameters of a path, but not for its security scheme. */
const KEY = {
  name: 'key',
  in: 'query',
  required: true,
  description: 'An API key of the type "Hardware".',
  schema: { type: 'string' },
} as const;
const shared = {
  tags: ['Devices at the gate'],
  security: [{ deviceKey: [] }],
  parameters: [KEY],
};

function deviceScan(operationId: string, summary: string): Operation {
  const decisions = [...ofModels('granted'), ...ofModels('denied')];
  return {
    ...shared,
    operationId,
    summary,
    description: `The device model is detected from the body, whatever the content type says; the answer has the format of the model. A ticket that does not exist is a 200. ${ALWAYS_200}`,
    requestBody: bodyOf(ofModels('scan')),
    responses: {
      200: answerOf('A decision', decisions),
      403: answerOf('The key has no access to the event of the ticket', ofModels('denied')),
      ...deviceRefusals(),
    },
  };
}

function heartbeat(): Operation {
  return {
    ...shared,
    operationId: 'hardwareHeartbeat',
    summary: 'Heartbeat (section 4.5)',
    description: `A refusal has the format of the detected model, or the controller's format if none is detected. ${ALWAYS_200}`,
    parameters: [
      KEY,
      {
        name: 'Key',
        in: 'query',
        description: 'Returned when the body has no Key.',
        schema: { type: 'string' },
      },
    ],
    requestBody: bodyOf([inJson(Heartbeat)]),
    responses: {
      200: answerOf('Alive; under serve --hardware-always-200 also a refusal', [
        inJson(HeartbeatAnswer),
        ...ofModels('denied'),
      ]),
      ...deviceRefusals(),
    },
  };
}

function deviceRefusals(): NonNullable<Operation['responses']> {
  const denied = ofModels('denied');
  // No body was looked at yet that could name another model.
  const early = [partOf(accessController, 'denied')];
  return {
    400: answerOf('The body cannot be read, or the request is not valid HTTP', denied),
    401: answerOf('The key is missing or invalid', denied),
    405: answerOf('A method other than POST', early),
    408: answerOf('The request did not arrive in time', early),
    429: answerOf('Too many requests; Retry-After says how long to wait', denied),
    431: answerOf('The headers are too large', early),
    500: answerOf('The outcome is unknown: do not open', denied),
  };
}

function ofModels(name: keyof DeviceSchemas): Part[] {
  return DEVICE_MODELS.map((model) => partOf(model, name));
}

function partOf(model: DeviceModel, name: keyof DeviceSchemas): Part {
  return { type: mediaType(model), schema: model.schemas[name] };
}

/** The content type without the character set. */
function mediaType({ contentType }: DeviceModel): string {
  return contentType.split(';')[0] ?? contentType;
}
