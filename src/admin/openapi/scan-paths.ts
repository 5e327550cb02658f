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
    [REST_PATHS.consume]: {
      post: { ...restScan('Consume one use of a ticket (section 4.2)'), parameters: [RETRY] },
    },
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

const RETRY: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'The same key and body within 24 hours get the stored answer again and count no second use.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

function restScan(summary: string): Operation {
  return {
    tags: ['Scans by own software'],
    summary,
    security: [{ apiKey: [] }],
    requestBody: json('ScanBody'),
    responses: {
      200: answer('A decision: look at valid, status and reason', 'ScanResult'),
      400: answer('ticketCode is missing or the body cannot be read', 'ScanResult'),
      401: answer('The key is missing or invalid', 'ScanError'),
      403: answer('The key has no access to the event of the ticket', 'ScanResult'),
      404: answer('There is no such ticket', 'ScanResult'),
      429: answer('Too many requests; Retry-After says when to come back', 'ScanError'),
      500: answer('The outcome is unknown: let nobody in on it', 'ScanError'),
    },
  };
}

function deviceScan(summary: string): Operation {
  return {
    tags: ['Devices at the gate'],
    summary,
    description: 'The model of the device is read from the body; the answer is in its own format.',
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
