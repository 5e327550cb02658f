import swagger from '@fastify/swagger';
import type { FastifyContextConfig, FastifyInstance } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { SESSION_COOKIE } from '../security/session-cookie.ts';
import { inJson, type RouteSchema, refusals, textAnswer } from './route-answers.ts';
import { scanPaths } from './scan-paths.ts';
import type { OpenApiDocument } from './types.ts';
import { withUsedSchemas } from './used-schemas.ts';

const SECURITY = {
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: SESSION_COOKIE,
    description: 'The session of the dashboard. Changes must come from a page of this origin.',
  },
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'A personal access token, for scripts.',
  },
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'An API key of the type "Own software".',
  },
  deviceKey: {
    type: 'apiKey',
    in: 'query',
    name: 'key',
    description: 'An API key of the type "Hardware".',
  },
} as const;

type Transform = typeof jsonSchemaTransform;

/** Collects the routes that are registered in `app` after it. */
export async function collectOperations(app: FastifyInstance, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'ticketscan',
        version,
        description:
          'May this ticket enter now? Scans at the gate, and the administration. Section numbers are those of the specification: `ticketscan check --explain 4.1` prints a section.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      components: { securitySchemes: SECURITY },
    },
    transform: withAccess,
    transformObject: jsonSchemaTransformObject,
  });
}

/** Says who may call a route, and describes every answer, refusals too. */
const withAccess: Transform = (input) => {
  const { access } = input.route.config ?? {};
  const { produces, response, ...schema } = (input.schema ?? {}) as RouteSchema;
  const described = {
    ...schema,
    security: securityOf(input.route.config),
    description: [schema.description, access !== 'anyone' && `Role: ${access}.`]
      .filter(Boolean)
      .join(' '),
    response: { ...refusals(input.route), ...textAnswer(produces), ...inJson(response) },
  };
  return jsonSchemaTransform({ ...input, schema: described } as Parameters<Transform>[0]);
};

function securityOf(config: FastifyContextConfig | undefined): object[] {
  if (config?.access === 'anyone') return [];
  return config?.sessionOnly ? [{ session: [] }] : [{ session: [] }, { accessToken: [] }];
}

/** The whole interface: what `app` has collected, and the scan endpoints. */
export function openApiDocument(app: FastifyInstance): OpenApiDocument {
  const collected = app.swagger() as OpenApiDocument;
  return withUsedSchemas({
    ...collected,
    // From where the document is: a proxy may serve it below a path. Without a slash at the end: clients append paths.
    servers: [{ url: '.' }],
    paths: { ...scanPaths(), ...collected.paths },
  });
}
