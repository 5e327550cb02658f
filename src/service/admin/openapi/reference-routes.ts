import type { FastifyInstance } from 'fastify';
import { alwaysSend, PAGE_HEADERS } from '../security/headers.ts';
import { referencePage } from './reference-page.ts';
import { REFERENCE_STYLE } from './reference-style.ts';
import type { OpenApiDocument } from './types.ts';

/** From the page, which may lie below a path of a proxy. */
const STYLE_URL = 'reference/style.css';

/** The interface for programs and for people. It holds no data: who may not sign in may read it. */
export function referenceRoutes(
  app: FastifyInstance,
  document: () => Promise<OpenApiDocument>,
): void {
  alwaysSend(app, PAGE_HEADERS);
  // Made once, also for requests that come before it is done: they would stop the gates.
  let made: Promise<{ readonly json: Buffer; readonly page: Buffer }> | undefined;
  const files = () => {
    made ??= document().then((one) => ({
      json: Buffer.from(JSON.stringify(one)),
      page: Buffer.from(referencePage(one, STYLE_URL)),
    }));
    return made;
  };
  app.get('/openapi.json', async (_request, reply) =>
    reply.header('content-type', 'application/json; charset=utf-8').send((await files()).json),
  );
  app.get('/reference', async (_request, reply) =>
    reply.header('content-type', 'text/html; charset=utf-8').send((await files()).page),
  );
  app.get(`/${STYLE_URL}`, async (_request, reply) =>
    reply.header('content-type', 'text/css; charset=utf-8').send(REFERENCE_STYLE),
  );
}
