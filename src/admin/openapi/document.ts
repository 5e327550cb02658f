import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { SESSION_COOKIE } from '../security/session-cookie.ts';
import { ErrorBody } from '../wire/common.ts';
import { scanPaths, scanSchemas } from './scan-paths.ts';
import type { OpenApiDocument } from './types.ts';

const SECURITY = {
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: SESSION_COOKIE,
    description: 'The session of the dashboard. Changing something wants a page of this origin.',
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
        description: 'May this ticket enter now? Scans at the gate, and the administration.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      components: { securitySchemes: SECURITY },
    },
    transform: withAccess,
    transformObject: jsonSchemaTransformObject,
  });
}

/** Says who may call a route, and how every refusal looks. */
const withAccess: Transform = (input) => {
  const { access } = input.route.config ?? {};
  const schema = {
    ...input.schema,
    security: access === 'anyone' ? [] : [{ session: [] }, { accessToken: [] }],
    description: [input.schema?.description, access !== 'anyone' && `Role: ${access}.`]
      .filter(Boolean)
      .join(' '),
    response: { ...refusals(access), ...(input.schema?.response as object | undefined) },
  };
  return jsonSchemaTransform({ ...input, schema } as Parameters<Transform>[0]);
};

function refusals(access: string | undefined): Record<number, unknown> {
  const always = { 403: ErrorBody, 422: ErrorBody };
  return access === 'anyone' ? always : { ...always, 401: ErrorBody, 404: ErrorBody };
}

/** The whole interface: what `app` has collected, and the scan endpoints. */
export function openApiDocument(app: FastifyInstance): OpenApiDocument {
  const collected = app.swagger() as OpenApiDocument;
  return {
    ...collected,
    // From where the document is: a proxy may serve it below a path.
    servers: [{ url: './' }],
    components: {
      ...collected.components,
      schemas: { ...scanSchemas(), ...collected.components?.schemas },
    },
    paths: { ...scanPaths(), ...collected.paths },
  };
}
