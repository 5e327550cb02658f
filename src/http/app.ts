import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import Fastify, { type FastifyInstance, type FastifyPluginAsync, type FastifyReply } from 'fastify';
import { messageOf } from '../core/errors.ts';
import { answerBrokenHttp, rememberAnswer } from './broken-http.ts';
import type { HttpDeps } from './deps.ts';
import { healthRoutes } from './health-routes.ts';
import { scanEndpoints } from './scan-endpoints.ts';

/** Longer than proxies in front keep an idle connection, so that it is never we who close it under a request. */
const KEEP_ALIVE_MS = 75_000;
const CHECK_TIMEOUTS_MS = 1000;
const CLOSE_IDLE_MS = 50;

export type HttpApp = FastifyInstance;

export interface AppOptions {
  /** A whole request must have arrived within this time. */
  readonly requestTimeoutMs: number;
  /** Its head must have. */
  readonly headersTimeoutMs: number;
  readonly tls?: { readonly cert: string; readonly key: string };
}

/**
 * The service's HTTP server (sections 4 to 8) that does not listen yet: the scan endpoints, and a framework for
 * everything else.
 * @param plugins what else it serves: the administration, the pages
 */
export function buildApp(
  deps: HttpDeps,
  options: AppOptions,
  plugins: readonly FastifyPluginAsync[] = [],
): HttpApp {
  const app = Fastify({
    logger: false,
    serverFactory: (handler) => createServer(scanEndpoints(deps), handler, options),
    // A request that got here while the server stops is answered like any other.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    clientErrorHandler: answerBrokenHttp,
    // A path that cannot be decoded is an unknown path; the framework's own answer would repeat it.
    frameworkErrors: (_error, _request, reply) => sendNotFound(reply),
  });
  closeConnectionsWhenStopping(app);
  app.setNotFoundHandler((_request, reply) => sendNotFound(reply));
  app.setErrorHandler((error, _request, reply) => {
    deps.log.error({ error: messageOf(error) }, 'a request failed');
    return reply.code(500).send({ message: 'Internal Server Error' });
  });
  app.register(healthRoutes, deps);
  for (const plugin of plugins) app.register(plugin);
  return app;
}

function sendNotFound(reply: FastifyReply): FastifyReply {
  return reply.code(404).send({ message: 'Not Found' });
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Scan paths are answered before the framework sees the request. */
function createServer(
  answersScan: ReturnType<typeof scanEndpoints>,
  handler: Handler,
  { tls, requestTimeoutMs, headersTimeoutMs }: AppOptions,
): http.Server {
  const listener: Handler = (request, response) => {
    rememberAnswer(response);
    if (!answersScan(request, response)) handler(request, response);
  };
  const timeouts = {
    requestTimeout: requestTimeoutMs,
    headersTimeout: Math.min(headersTimeoutMs, requestTimeoutMs),
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: CHECK_TIMEOUTS_MS,
  };
  return tls
    ? https.createServer({ ...timeouts, ...tls }, listener)
    : http.createServer(timeouts, listener);
}

/** Tells clients on a kept-alive connection to come back on a new one: to another server, or to us after a restart. */
function closeConnectionsWhenStopping(app: FastifyInstance): void {
  let stopping = false;
  app.addHook('preClose', async () => {
    stopping = true;
    // What was under way is answered on a connection that then stays open, idle.
    const timer = setInterval(() => app.server.closeIdleConnections(), CLOSE_IDLE_MS);
    app.server.once('close', () => clearInterval(timer));
  });
  app.server.prependListener('request', (_request, response) => {
    if (stopping) response.setHeader('connection', 'close');
  });
}
