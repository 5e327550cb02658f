import Fastify, {
  type FastifyContextConfig,
  type FastifyInstance,
  type RouteOptions,
} from 'fastify';
import {
  createJsonSchemaTransform,
  createJsonSchemaTransformObject,
  serializerCompiler,
  validatorCompiler,
} from 'fastify-type-provider-zod';
import * as z from 'zod';
import { WITHOUT_COMPILERS } from '../../scan/http/app.ts';
import { SESSION_COOKIE } from '../http/session-cookie.ts';
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

/** Answers are encoded: the document shows what is sent, not what the program has (a time as text, not as a number). */
const AS_SENT = {
  zodToJsonConfig: {
    override({ zodSchema, jsonSchema }) {
      if (!(zodSchema instanceof z.ZodCodec)) return;
      for (const member of Object.keys(jsonSchema)) delete jsonSchema[member];
      const sent = z.toJSONSchema(zodSchema.def.in as z.ZodType, { io: 'input' });
      Object.assign(jsonSchema, sent, { $schema: undefined });
    },
  },
} satisfies Parameters<typeof createJsonSchemaTransform>[0];

const jsonSchemaTransform = createJsonSchemaTransform(AS_SENT);

type Transform = typeof jsonSchemaTransform;

/**
 * Collects the routes that are registered in `app` after it.
 * @returns describes them and the scan endpoints. What writes the description is loaded when it is asked for.
 */
export function collectOperations(
  app: FastifyInstance,
  version: string,
): () => Promise<OpenApiDocument> {
  const routes: RouteOptions[] = [];
  app.addHook('onRoute', (route) => void routes.push(route));
  return async () => {
    const collected = await described(routes, version);
    return withUsedSchemas({
      ...collected,
      // From where the document is: a proxy may serve it below a path. Without a slash at the end: clients append paths.
      servers: [{ url: '.' }],
      paths: { ...scanPaths(), ...collected.paths },
    });
  };
}

/** The routes in a framework of their own that answers nobody. */
async function described(
  routes: readonly RouteOptions[],
  version: string,
): Promise<OpenApiDocument> {
  const { default: swagger } = await import('@fastify/swagger');
  const app = Fastify({ ...WITHOUT_COMPILERS, exposeHeadRoutes: false });
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
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
    transformObject: createJsonSchemaTransformObject(AS_SENT),
  });
  for (const { method, url, schema = {}, config = {}, handler } of routes) {
    if (method !== 'HEAD') app.route({ method, url, schema, config, handler });
  }
  await app.ready();
  return app.swagger() as OpenApiDocument;
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
