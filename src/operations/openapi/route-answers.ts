import type { RouteOptions } from 'fastify';
import * as z from 'zod';
import { ErrorBody } from '../fields.ts';

/** What a route of the administration declares. */
export interface RouteSchema {
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
export function refusals({ method, config }: Pick<RouteOptions, 'method' | 'config'>): Answers {
  const statuses = [
    ...OF_ANY,
    ...(config?.access === 'anyone' ? [] : OF_CALLERS),
    ...(method === 'GET' ? [] : OF_BODIES),
  ];
  return inJson(Object.fromEntries(statuses.map((status) => [status, ErrorBody])));
}

/** Answers in JSON, by status. */
export function inJson(schemas: RouteSchema['response'] = {}): Answers {
  const entries = Object.entries(schemas).map(([status, schema]) => {
    const description = DESCRIPTIONS[Number(status)] ?? '';
    return [status, { description, content: { 'application/json': { schema } } }];
  });
  return Object.fromEntries(entries);
}

/** A success that is a file, a picture or a stream. */
export function textAnswer(types: RouteSchema['produces']): Answers {
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
