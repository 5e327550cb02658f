import type { FastifyRequest, FastifySchema } from 'fastify';
import { messageOf } from '../../core/errors.ts';
import type { Organisation } from '../../core/records.ts';
import { httpsSender } from '../../features/webhooks/network.ts';
import type { OperationContext } from '../context.ts';
import { methodAndPath, type Operation } from '../operation.ts';
import { OrganisationScope } from '../scope.ts';
import type { AdminApp, AdminContext } from './admin-app.ts';
import { principalOfRequest } from './guard.ts';
import { ownOrigin } from './origin.ts';

/** The HTTP route of an operation; its schema becomes the entry in the OpenAPI document. */
export function addRoute(app: AdminApp, deps: AdminContext, operation: Operation): void {
  const { id, http, tag, role, summary, description, params, query, body, answer } = operation;
  const { status = 200, refusals, sessionOnly, share, bodyBytesMax } = operation;
  const { method, path } = methodAndPath(http);
  const schema: FastifySchema & Record<string, unknown> = {
    tags: [tag],
    operationId: id,
    summary,
    ...(description !== undefined && { description }),
    ...(params && { params }),
    ...(query && { querystring: query }),
    ...(body && { body }),
    response: { [status]: answer, ...refusals },
  };
  app.route({
    method,
    url: path,
    ...(bodyBytesMax !== undefined && { bodyLimit: bodyBytesMax }),
    config: { access: role, ...(sessionOnly && { sessionOnly }), ...(share && { share }) },
    schema,
    handler: async (request, reply) => {
      const input = Object.assign({}, request.params, request.query, request.body);
      const result = await operation.run(contextOf(request, deps), input);
      return reply.code(status).send(result);
    },
  });
}

const PUBLIC_ONLY = httpsSender();

/** What an operation works with when a request calls it. */
export function contextOf(request: FastifyRequest, deps: AdminContext): OperationContext {
  const { store, clock, random, keyring, webhookNetwork = PUBLIC_ONLY } = deps;
  const principal = principalOfRequest(request);
  return {
    ...{ store, clock, random, keyring },
    webhookNetwork: async () => webhookNetwork,
    scope: new OrganisationScope({ principal }, deps),
    baseUrl: () => deps.baseUrl ?? originOf(request, deps),
    afterwards: (work, failure) => {
      work.catch((error: unknown) => request.log.warn({ error: messageOf(error) }, failure));
    },
    server: { ...deps, principal, language: request.headers['accept-language'] },
  };
}

/** The scope of somebody with an account. */
export type AccountScope = OrganisationScope & {
  readonly organisation: Organisation;
  readonly organisationId: string;
};

/** The scope of a route that is written by hand. */
export function scopeOf(request: FastifyRequest, deps: AdminContext): AccountScope {
  const principal = principalOfRequest(request);
  return new OrganisationScope({ principal }, deps) as AccountScope;
}

/** As the client names this server. A browser also knows whether TLS ends at a proxy in front. */
function originOf({ headers, host }: FastifyRequest, { isHttps }: AdminContext): string {
  return ownOrigin(headers) ?? `${isHttps ? 'https' : 'http'}://${host}`;
}
