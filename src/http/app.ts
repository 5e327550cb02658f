import type { SecureContextOptions } from 'node:tls';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { messageOf } from '../core/errors.ts';
import { BODY_BYTES_MAX } from '../core/limits.ts';
import { answerBrokenHttp } from './broken-http.ts';
import type { HttpDeps } from './deps.ts';
import { hardwareRoutes } from './hardware-routes.ts';
import { healthRoutes } from './health-routes.ts';
import { restRoutes } from './rest-routes.ts';
import { isScanPath } from './scan-paths.ts';

export interface AppOptions {
  /** A whole request must have arrived within this time. */
  readonly requestTimeoutMs: number;
  /** Its head must have. */
  readonly headersTimeoutMs: number;
  readonly tls?: SecureContextOptions;
}

/**
 * The scan API (sections 4 to 8) as a Fastify application that does not listen yet.
 * Fastify's own parsing, error bodies and request log are replaced: each of them breaks the specification or tells a key.
 */
export function buildApp(deps: HttpDeps, options: AppOptions): FastifyInstance {
  const app = Fastify({
    logger: false,
    bodyLimit: BODY_BYTES_MAX,
    requestTimeout: options.requestTimeoutMs,
    keepAliveTimeout: 75_000,
    // A request that got here while the server stops is answered like any other.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    clientErrorHandler: answerBrokenHttp,
    routerOptions: { ignoreTrailingSlash: false, caseSensitive: true },
    http: { headersTimeout: options.headersTimeoutMs, connectionsCheckingInterval: 1000 },
    ...(options.tls && { https: { ...options.tls } }),
  } as object) as unknown as FastifyInstance;
  app.server.headersTimeout = options.headersTimeoutMs;
  closeConnectionsWhenStopping(app);
  takeBodiesAsBytes(app);
  app.setNotFoundHandler(answerNotFound);
  app.setErrorHandler((error, _request, reply) => {
    deps.log.error({ error: messageOf(error) }, 'request failed');
    return reply.code(500).send({ message: 'Internal Server Error' });
  });
  app.register(healthRoutes, deps);
  app.register(restRoutes, deps);
  app.register(hardwareRoutes, deps);
  return app;
}

function takeBodiesAsBytes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}

/** Tells clients on a kept-alive connection to come back on a new one: to another server, or to us after a restart. */
function closeConnectionsWhenStopping(app: FastifyInstance): void {
  let stopping = false;
  app.addHook('preClose', async () => {
    stopping = true;
  });
  app.addHook('onSend', async (_request, reply) => {
    if (stopping) reply.header('connection', 'close');
  });
}

function answerNotFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = request.url.split('?', 1)[0] ?? '';
  if (isScanPath(path)) {
    return reply.code(405).header('allow', 'POST').send({ message: 'Method Not Allowed' });
  }
  return reply.code(404).send({ message: 'Not Found' });
}
