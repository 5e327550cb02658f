import * as z from 'zod';
import { HARDWARE_PATHS, HEARTBEAT_PATH, REST_PATHS } from '../../core/scan-paths.ts';
import {
  DeviceAnswer,
  DeviceScan,
  Heartbeat,
  HeartbeatAnswer,
  ScanBody,
  ScanError,
  ScanResult,
} from './scan-wire.ts';
import type { Schema } from './schema-text.ts';
import type { Body, Content, Operation, Parameter, Paths, Response } from './types.ts';

const SCHEMAS = {
  ScanBody,
  ScanResult,
  ScanError,
  DeviceScan,
  DeviceAnswer,
  Heartbeat,
  HeartbeatAnswer,
};
type SchemaName = keyof typeof SCHEMAS;

/** The schemas of the scan endpoints, under `components`. */
export function scanSchemas(): Record<string, Schema> {
  const entries = Object.entries(SCHEMAS).map(([name, schema]) => {
    const { $schema: _, id: __, ...rest } = z.toJSONSchema(schema, { reused: 'inline' });
    return [name, rest];
  });
  return Object.fromEntries(entries) as Record<string, Schema>;
}

/** The endpoints of section 4, which the framework does not see. */
export function scanPaths(): Paths {
  return {
    [REST_PATHS.validate]: { post: restScan('Check a ticket without consuming (section 4.1)') },
    [REST_PATHS.consume]: { post: restConsume() },
    [HARDWARE_PATHS.validate]: { post: deviceScan('Check a ticket for a device (section 4.4)') },
    [HARDWARE_PATHS.consume]: { post: deviceScan('Consume a use for a device (section 4.3)') },
    [HEARTBEAT_PATH]: {
      post: {
        tags: ['Devices at the gate'],
        summary: 'A sign of life (section 4.5)',
        security: [{ deviceKey: [] }],
        requestBody: json('Heartbeat'),
        responses: { 200: answer('Alive', 'HeartbeatAnswer'), ...deviceErrors() },
      },
    },
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
    'The same key and body within 24 hours get the stored answer again, in its first language, and count no second use. Visible ASCII.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

function restConsume(): Operation {
  const scan = restScan('Consume one use of a ticket (section 4.2)');
  const refused = 'The Idempotency-Key is malformed, or came with another body before';
  return {
    ...scan,
    parameters: [LANGUAGE, RETRY],
    responses: { ...scan.responses, 422: answer(refused, 'ScanError') },
  };
}

function restScan(summary: string): Operation {
  return {
    tags: ['Scans by own software'],
    summary,
    security: [{ apiKey: [] }],
    parameters: [LANGUAGE],
    requestBody: json('ScanBody'),
    responses: {
      200: answer('A decision: look at valid, status and reason', 'ScanResult'),
      400: answer('The body cannot be used; the message says why', 'ScanResult'),
      401: answer('The key is missing or invalid', 'ScanError'),
      403: answer('The key has no access to the event of the ticket', 'ScanResult'),
      404: answer('There is no such ticket', 'ScanResult'),
      405: answer('Another method than POST', 'ScanError'),
      429: answer('Too many requests; Retry-After says when to come back', 'ScanError'),
      500: answer('The outcome is unknown: let nobody in on it', 'ScanError'),
    },
  };
}

function deviceScan(summary: string): Operation {
  return {
    tags: ['Devices at the gate'],
    summary,
    description:
      'The model of the device is read from the body, whatever the content type says; the answer is in its own format. A ticket that does not exist is a 200 with its own note. Under serve --hardware-always-200 every status is 200.',
    security: [{ deviceKey: [] }],
    requestBody: json('DeviceScan'),
    responses: {
      200: answer('A decision', 'DeviceAnswer'),
      403: answer('The key has no access to the event of the ticket', 'DeviceAnswer'),
      ...deviceErrors(),
    },
  };
}

function deviceErrors(): NonNullable<Operation['responses']> {
  return {
    400: answer('The body cannot be read', 'DeviceAnswer'),
    401: answer('The key is missing or invalid', 'DeviceAnswer'),
    405: answer('Another method than POST', 'DeviceAnswer'),
    429: answer('Too many requests', 'DeviceAnswer'),
    500: answer('The outcome is unknown', 'DeviceAnswer'),
  };
}

function json(name: SchemaName): Body {
  return { required: true, content: contentOf(name) };
}

function answer(description: string, name: SchemaName): Response {
  return { description, content: contentOf(name) };
}

function contentOf(name: SchemaName): Content {
  return { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } };
}
