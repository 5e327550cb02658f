import * as z from 'zod';
import {
  CONTROL_ROUTES,
  CONTROLS_PATH,
  type ControlRoute,
  OPENAPI_PATH,
  STREAM_PATH,
  TOKEN_HEADER,
} from './routes.ts';
import { MessageSchema, RecordedExchangeSchema } from './wire.ts';

type Json = Readonly<Record<string, unknown>>;

/** The controls as an OpenAPI 3.1 document, made from the schemas that check what comes and describe what goes. */
export function controlsOpenApi(url: string, version: string): Json {
  const paths: Record<string, Record<string, Json>> = {};
  const add = (method: string, path: string, operation: Json) => {
    const whole = `${CONTROLS_PATH}${path}`.replaceAll(/:(\w+)/g, '{$1}');
    paths[whole] = { ...paths[whole], [method.toLowerCase()]: operation };
  };
  for (const route of CONTROL_ROUTES) add(route.method, route.path, operationOf(route));
  add('GET', STREAM_PATH, {
    operationId: 'get-requests-stream',
    summary: 'Every exchange from now on, as server-sent events of the type "exchange".',
    responses: {
      200: {
        description: 'One exchange in each event.',
        content: { 'text/event-stream': { schema: schemaOf(RecordedExchangeSchema) } },
      },
    },
  });
  add('GET', OPENAPI_PATH, {
    operationId: 'get-openapi',
    summary: 'This document.',
    responses: { 200: answer('This document.', { type: 'object' }) },
  });
  return {
    openapi: '3.1.0',
    info: {
      title: 'ticketscan test controls',
      version,
      description:
        'Present only in a server that was started with --test-controls, for requests with its test token in the header x-test-token. See docs/testing.md.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url }],
    security: [{ testToken: [] }],
    components: {
      securitySchemes: { testToken: { type: 'apiKey', in: 'header', name: TOKEN_HEADER } },
    },
    paths,
  };
}

function operationOf(route: ControlRoute): Json {
  const { method, path, summary, body, query } = route;
  const parameters = [...pathParameters(path), ...(query ? queryParameters(query) : [])];
  const required = body !== undefined && !body.safeParse(undefined).success;
  const content = body && { 'application/json': { schema: schemaOf(body) } };
  return {
    operationId: `${method.toLowerCase()}${path.replaceAll(/[/:]+/g, '-')}`,
    summary,
    ...(parameters.length > 0 && { parameters }),
    ...(content && { requestBody: { required, content } }),
    responses: {
      ...(route.answer
        ? { 200: answer('Done.', schemaOf(route.answer)) }
        : { 204: { description: 'Done.' } }),
      400: problem('The request is invalid.'),
      403: problem('Not from this machine.'),
      404: problem('Not found.'),
      409: problem('Not possible with this store, or not now.'),
    },
  };
}

const problem = (description: string): Json => answer(description, schemaOf(MessageSchema));

function answer(description: string, schema: Json): Json {
  return { description, content: { 'application/json': { schema } } };
}

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => {
    return { name, in: 'path', required: true, schema: { type: 'string' } };
  });
}

function queryParameters(query: z.ZodObject): Json[] {
  const { properties = {} } = schemaOf(query) as { properties?: Record<string, Json> };
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', schema }));
}

function schemaOf(schema: z.ZodType): Json {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, { io: 'input' });
  return json;
}
