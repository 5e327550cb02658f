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
  // Written once: each further request costs the server no memory.
  let json: Buffer | undefined;
  let page: Buffer | undefined;
  app.get('/openapi.json', async (_request, reply) => {
    json ??= Buffer.from(JSON.stringify(await document()));
    return reply.header('content-type', 'application/json; charset=utf-8').send(json);
  });
  app.get('/reference', async (_request, reply) => {
    page ??= Buffer.from(referencePage(await document(), STYLE_URL));
    return reply.header('content-type', 'text/html; charset=utf-8').send(page);
  });
  app.get(`/${STYLE_URL}`, async (_request, reply) =>
    reply.header('content-type', 'text/css; charset=utf-8').send(REFERENCE_STYLE),
  );
}
