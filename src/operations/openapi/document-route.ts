import type { FastifyInstance } from 'fastify';
import { alwaysSend, DATA_HEADERS } from '../http/headers.ts';
import type { OpenApiDocument } from './types.ts';

/** The interface for programs. It holds no data: who may not sign in may read it. */
export function documentRoute(
  app: FastifyInstance,
  document: () => Promise<OpenApiDocument>,
): void {
  alwaysSend(app, DATA_HEADERS);
  // Made once, also for requests that come before it is done: they would stop the gates.
  let made: Promise<Buffer> | undefined;
  app.get('/openapi.json', async (_request, reply) => {
    made ??= document().then((one) => Buffer.from(JSON.stringify(one)));
    return reply.header('content-type', 'application/json; charset=utf-8').send(await made);
  });
}
