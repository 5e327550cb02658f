import type { IncomingMessage, ServerResponse } from 'node:http';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyRequest,
  FastifySchema,
  RawServerDefault,
} from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { methodAndPath, type Operation } from '../operation.ts';

/** The part of the server under `/admin/v1`: what goes in and out is checked with the zod schemas of each route. */
export type AdminApp = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

/** The HTTP route of an operation; its schema becomes the entry in the OpenAPI document. */
export function addRoute(
  app: AdminApp,
  contextOf: (request: FastifyRequest) => unknown,
  operation: Operation,
): void {
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
    // A member that has no effect would be a surprise: {"ids": […], "event": …} is not a deletion of the event's tickets.
    ...(body && { body: body.strict() }),
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
      const result = await operation.run(contextOf(request) as never, input);
      return reply.code(status).send(result);
    },
  });
}
