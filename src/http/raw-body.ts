import type { FastifyInstance, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** The content type as it was sent. */
    sentContentType: string | undefined;
  }
}

/**
 * Lets every body through to the route as bytes, whatever content type was sent: the framework would answer a
 * malformed one itself, before the route could.
 */
export function acceptAnyContentType(app: FastifyInstance): void {
  app.decorateRequest('sentContentType', undefined);
  app.addHook('onRequest', (request, _reply, done) => {
    const { headers } = request.raw;
    request.sentContentType = headers['content-type'];
    headers['content-type'] = 'application/octet-stream';
    done();
  });
}

const NO_BODY = new Uint8Array();

export function bodyOf(request: FastifyRequest): Uint8Array {
  return request.body instanceof Uint8Array ? request.body : NO_BODY;
}

/** True for the framework's own refusals of a body: too long, cut short, of a wrong length. */
export function isUnusableBody(error: unknown): boolean {
  return String((error as { code?: unknown } | null)?.code).startsWith('FST_ERR_CTP_');
}
