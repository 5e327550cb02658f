import { isDeepStrictEqual } from 'node:util';
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
import { ErrorBody } from '../fields.ts';
import { alwaysSend, DATA_HEADERS } from '../http/answers.ts';
import { SESSION_COOKIE } from '../operation.ts';
import { type OpenApiDocument, type Schema, scanPaths } from './scan-paths.ts';
import { tagsOf } from './tags.ts';

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

/** The document shows answers as they are sent, not as the program has them (a time is a text, not a number). */
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
    const paths = { ...scanPaths(), ...collected.paths };
    return withUsedSchemas({
      ...collected,
      // From where the document is: a proxy may serve it below a path. Without a slash at the end: clients append paths.
      servers: [{ url: '.' }],
      tags: tagsOf(paths),
      paths,
    });
  };
}

/** Registers the routes in a separate framework that answers no requests, and describes them. */
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
        contact: { name: 'ticketscan', url: 'https://www.npmjs.com/package/ticketscan' },
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

/** The schema that a route of the administration declares. */
interface RouteSchema {
  readonly description?: string;
  /** The media types of an answer that is not JSON. */
  readonly produces?: readonly string[];
  readonly response?: Readonly<Record<number, z.ZodType>>;
}

interface Answer {
  readonly description: string;
  readonly content: Readonly<Record<string, { readonly schema: z.ZodType }>>;
}

type Answers = Readonly<Record<number, Answer>>;

const DESCRIPTIONS: Readonly<Record<number, string>> = {
  200: 'Done',
  201: 'Created',
  400: 'The request is not valid HTTP, or its body is not JSON',
  401: 'The credentials are missing or wrong',
  403: 'The role does not allow it, or the request comes from another site',
  404: 'Not found in your organisation',
  408: 'The request did not arrive in time',
  409: 'It conflicts with existing data, or a limit is reached',
  413: 'The body is too long',
  415: 'The body is of another content type',
  422: 'The request is invalid; field names the wrong member',
  429: 'Too many attempts; Retry-After says how long to wait',
  431: 'The headers are too large',
  500: 'The server failed',
  503: 'Too many requests of this kind at once (Retry-After says how long to wait), or the store is busy',
};

const OF_ANY = [400, 403, 408, 422, 431, 500, 503];
const OF_CALLERS = [401, 404, 409];
const OF_BODIES = [413, 415];

/** The refusals of every route: a route does not declare them. */
function refusals({ method, config }: Pick<RouteOptions, 'method' | 'config'>): Answers {
  const statuses = [
    ...OF_ANY,
    ...(config?.access === 'anyone' ? [] : OF_CALLERS),
    ...(method === 'GET' ? [] : OF_BODIES),
  ];
  return inJson(Object.fromEntries(statuses.map((status) => [status, ErrorBody])));
}

/** Answers in JSON, by status. */
function inJson(schemas: RouteSchema['response'] = {}): Answers {
  const entries = Object.entries(schemas).map(([status, schema]) => {
    const description = DESCRIPTIONS[Number(status)] ?? '';
    return [status, { description, content: { 'application/json': { schema } } }];
  });
  return Object.fromEntries(entries);
}

/** A success that is a file, a picture or a stream. */
function textAnswer(types: RouteSchema['produces']): Answers {
  if (!types) return {};
  const content = types.map((type) => {
    const schema = z.string();
    return [
      type,
      { schema: type === 'application/pdf' ? schema.meta({ format: 'binary' }) : schema },
    ];
  });
  return { 200: { description: 'Done', content: Object.fromEntries(content) } };
}

type Schemas = Readonly<Record<string, Schema>>;

const REFERENCE = /"#\/components\/schemas\/([^"]+)"/g;
const OF_REQUESTS = /Input$/;

/**
 * The document with the schemas that it uses. The framework lists each one twice, for requests as `…Input`; that name is kept
 * only where requests and answers differ.
 */
function withUsedSchemas(document: OpenApiDocument): OpenApiDocument {
  const all = document.components?.schemas ?? {};
  const used = new Set<string>();
  collect(document.paths, all, used);
  const names = new Map([...used].map((name) => [name, plainName(name, all, used)]));
  const renamed = JSON.stringify({
    ...document,
    components: { ...document.components, schemas: pick(all, names) },
  }).replace(REFERENCE, (_, name) => `"#/components/schemas/${names.get(name) ?? name}"`);
  return JSON.parse(renamed);
}

function collect(part: unknown, all: Schemas, used: Set<string>): void {
  for (const [, name = ''] of JSON.stringify(part ?? {}).matchAll(REFERENCE)) {
    if (used.has(name)) continue;
    used.add(name);
    collect(all[name], all, used);
  }
}

function plainName(name: string, all: Schemas, used: ReadonlySet<string>): string {
  const plain = name.replace(OF_REQUESTS, '');
  return !used.has(plain) || isDeepStrictEqual(all[plain], all[name]) ? plain : name;
}

function pick(all: Schemas, names: ReadonlyMap<string, string>): Schemas {
  return Object.fromEntries([...names].map(([name, plain]) => [plain, all[name] ?? {}]));
}

/** The route of the document. It contains no data, so anybody may read it. */
export function documentRoute(
  app: FastifyInstance,
  document: () => Promise<OpenApiDocument>,
): void {
  alwaysSend(app, DATA_HEADERS);
  // It is made once, even if requests come before it is done: making it several times would stop the gates.
  let made: Promise<Buffer> | undefined;
  app.get('/openapi.json', async (_request, reply) => {
    made ??= document().then((one) => Buffer.from(JSON.stringify(one)));
    return reply.header('content-type', 'application/json; charset=utf-8').send(await made);
  });
}
