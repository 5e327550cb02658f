import http, { type IncomingMessage, STATUS_CODES } from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyPluginAsync,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { messageOf } from '../../core/errors.ts';
import { openSockets } from '../../kit/connections.ts';
import { takeEveryRequest } from '../../kit/every-request.ts';
import { keepFirstBytes } from '../../kit/first-bytes.ts';
import { SERVED_TLS } from '../../kit/served-tls.ts';
import type { ConnectionLimits, Handler } from './connections.ts';
import { bufferPartialHead, HttpConnections, newestAnswer } from './connections.ts';
import type { HttpDeps, RefusalReporter } from './exchange.ts';
import { brokenHttpHandler, isBrokenHttp, reasonOfStatus, refuse } from './refusal.ts';
import { faultOfRequest, takeOriginForm } from './request-head.ts';
import { logRequests, ScanRefusals } from './request-log.ts';
import { plainScans, scanEndpoints } from './scan-endpoints.ts';
import { addressOfSocket, watchConnections } from './watched-connections.ts';

/** Longer than proxies keep an idle connection: the server never closes one while a request is on its way. */
const KEEP_ALIVE_MS = 75_000;
const CHECK_TIMEOUTS_MS = 1000;
/** The most requests under way: one batch of the commit queue answers as many at once. */
const UNDER_WAY_MAX = 64;
const UNTAKEN_ANSWER_MS = 30_000;
const CHECK_EVERY_MS = 5000;
/** A year; each visit starts it again. */
const STRICT_TRANSPORT_S = 31_536_000;
const CLOSE_IDLE_MS = 50;
/** The longest body of requests that no route serves or no credentials are checked for. */
const BODY_BYTES_MAX = 4 * 1024;

/**
 * Options of the framework that do not load its own compilers of JSON schemas. A plugin that registers routes with schemas
 * sets the compilers for them.
 */
export const WITHOUT_COMPILERS = {
  schemaController: {
    compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler },
  },
} as const;

function noCompiler(): never {
  throw new Error('a route with a schema needs a compiler for it');
}

export type HttpApp = FastifyInstance;

/** What a browser gets for an address that leads nowhere; undefined for every other request. */
export type MissingPage = (request: IncomingMessage) =>
  | {
      readonly headers: Readonly<Record<string, string>>;
      readonly document: string;
    }
  | undefined;

export interface AppOptions {
  /** A whole request must have arrived within this time. */
  readonly requestTimeoutMs: number;
  /** Its head must have. */
  readonly headersTimeoutMs: number;
  readonly tls?: { readonly cert: string; readonly key: string };
  /** True when browsers should use only HTTPS for this host from now on. Called for each request. */
  readonly strictTransport?: () => boolean;
  readonly missingPage?: MissingPage | undefined;
  /** The limits that tests set, which do not wait as long. */
  readonly connections?: Partial<ConnectionLimits>;
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
  const refusals = new ScanRefusals(deps);
  // Test hooks and the log of requests need the request objects of Node.
  const isObserved = deps.testHooks || deps.log.isLevelEnabled('debug');
  const plain = isObserved ? undefined : plainScans(deps, refusals, KEEP_ALIVE_MS);
  const sendNotFound = notFoundSender(options.missingPage, refusals);
  const app = Fastify({
    logger: false,
    ...WITHOUT_COMPILERS,
    // For unknown paths, too. Routes that need more set their own limit.
    bodyLimit: BODY_BYTES_MAX,
    serverFactory: (handler) => {
      const server = createServer(deps, refusals, handler, options);
      watchConnections(server, options.tls !== undefined, refusals.edge);
      const event = options.tls ? 'secureConnection' : 'connection';
      if (plain) plain.watch(server, event);
      else server.on(event, (socket: Socket) => bufferPartialHead(socket));
      readBeforeClosingIdle(server);
      return server;
    },
    // A request that arrived before the server stopped is answered like any other.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    clientErrorHandler: brokenHttpHandler(deps.hardwareAlways200, refusals.edge),
    // A path that cannot be decoded is an unknown path; the framework's own answer would repeat it.
    frameworkErrors: (_error, request, reply) => sendNotFound(request, reply),
  });
  logRequests(app.server, deps);
  app.addHook('onClose', async () => refusals.flush());
  closeConnectionsWhenStopping(app);
  app.addHook('preClose', async () => plain?.stop());
  const { strictTransport } = options;
  if (strictTransport) {
    app.addHook('onRequest', async (_request, reply) => {
      if (!strictTransport()) return;
      reply.header('strict-transport-security', `max-age=${STRICT_TRANSPORT_S}`);
    });
  }
  app.setNotFoundHandler(sendNotFound);
  app.setErrorHandler((error, request, reply) => {
    // Nothing reads the body of an unknown path.
    if (request.is404) return sendNotFound(request, reply);
    const { statusCode = 500, code } = error as FastifyError;
    if (statusCode >= 400 && statusCode < 500) {
      if (!isBrokenHttp(request.raw.socket))
        refusals.refused(reasonOfStatus(statusCode), request.raw, code);
      return reply.code(statusCode).send({ message: STATUS_CODES[statusCode] });
    }
    deps.log.error({ error: messageOf(error) }, 'a request failed');
    return reply.code(500).send({ message: 'Internal Server Error' });
  });
  app.register(healthRoutes, deps);
  if (deps.testHooks?.routes) app.register(deps.testHooks.routes);
  for (const plugin of plugins) app.register(plugin);
  return app;
}

function notFoundSender(missingPage: MissingPage | undefined, refusals: RefusalReporter) {
  return ({ raw }: FastifyRequest, reply: FastifyReply): FastifyReply => {
    refusals.refused('unknown_path', raw);
    const page = missingPage?.(raw);
    if (page) return reply.code(404).headers(page.headers).send(page.document);
    return reply.code(404).send({ message: 'Not Found' });
  };
}

/** Scan paths are answered before the framework sees the request. */
function createServer(
  deps: HttpDeps,
  refusals: ScanRefusals,
  handler: Handler,
  options: AppOptions,
): http.Server {
  const answersScan = scanEndpoints(deps, refusals);
  const handle: Handler = (request, response) => {
    takeOriginForm(request);
    const fault = faultOfRequest(request);
    if (fault) refusals.refused(fault, request);
    if (answersScan(request, response)) return;
    if (!fault) handler(request, response);
    else refuse(response, 400, false, { connection: 'close' });
  };
  const closed = (socket: Socket, reason: 'answer_untaken' | 'blank_lines'): void =>
    refusals.edge.report(reason, { address: addressOfSocket(socket) });
  const connections = new HttpConnections(connectionLimits(options), handle, closed);
  const listener: Handler = (request, response) => connections.accept(request, response);
  const { tls, requestTimeoutMs, headersTimeoutMs } = options;
  const timeouts = {
    requestTimeout: requestTimeoutMs,
    headersTimeout: Math.min(headersTimeoutMs, requestTimeoutMs),
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: CHECK_TIMEOUTS_MS,
    // Node would answer these, and unknown expectations, before the key is checked.
    requireHostHeader: false,
  };
  const server = tls
    ? secureServer({ ...timeouts, ...tls, handshakeTimeout: requestTimeoutMs }, listener)
    : http.createServer(timeouts, listener);
  // As an option of the server it would keep connections open whose clients leave during the handshake.
  server.on('secureConnection', (socket: Socket) => {
    socket.allowHalfOpen = true;
  });
  takeEveryRequest(server, listener, newestAnswer);
  // A client may close its side right after the request. Its use is registered, so it gets the answer.
  Object.assign(server, { httpAllowHalfOpen: true });
  const open = openSockets(server);
  server.closeAllConnections = () => {
    for (const socket of open) socket.destroy();
  };
  return server.once('close', connections.start());
}

/**
 * A request may have arrived unread on a connection that looks idle, and closing it would lose the request. So connections are
 * closed two turns of the event loop later: at least one of them reads from the network before.
 */
function readBeforeClosingIdle(server: http.Server): void {
  const { closeIdleConnections } = server;
  const close = () => closeIdleConnections.call(server);
  server.closeIdleConnections = () => {
    setImmediate(() => setImmediate(close));
  };
}

function secureServer(
  options: https.ServerOptions & { readonly handshakeTimeout: number },
  listener: Handler,
): http.Server {
  const server = https.createServer({ ...SERVED_TLS, ...options }, listener);
  keepFirstBytes(server, options.handshakeTimeout);
  return server;
}

function connectionLimits({ headersTimeoutMs, connections }: AppOptions): ConnectionLimits {
  return {
    underWayMax: UNDER_WAY_MAX,
    untakenMs: UNTAKEN_ANSWER_MS,
    // Node closes idle connections itself, except those that blank lines keep open.
    idleMs: KEEP_ALIVE_MS + headersTimeoutMs + 2 * CHECK_EVERY_MS,
    checkEveryMs: CHECK_EVERY_MS,
    ...connections,
  };
}

/** Asks clients to open a new connection for the next request: to another server, or to this one after a restart. */
function closeConnectionsWhenStopping(app: FastifyInstance): void {
  let stopping = false;
  app.addHook('preClose', async () => {
    stopping = true;
    // A request that was being answered leaves its connection open and idle.
    const timer = setInterval(() => app.server.closeIdleConnections(), CLOSE_IDLE_MS);
    app.server.once('close', () => clearInterval(timer));
  });
  app.server.prependListener('request', ({ socket }, response) => {
    if (!stopping) return;
    // Node sends no answer after one that closes the connection: later requests would lose theirs, but not their uses.
    const before = newestAnswer(socket);
    if (before && !before.headersSent) before.removeHeader('connection');
    response.setHeader('connection', 'close');
  });
}

/** The shortest time between two write tests, because each one waits for the disk. */
const READINESS_MS = 1000;

/** Answers process supervisors: whether the service is alive, and able to register a use. */
function healthRoutes(app: FastifyInstance, deps: HttpDeps, done: () => void): void {
  let checkedAt = Number.NEGATIVE_INFINITY;
  let checking: Promise<string | undefined> = Promise.resolve(undefined);

  app.get('/healthz', () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    if (performance.now() - checkedAt > READINESS_MS) {
      checkedAt = performance.now();
      checking = deps.checkWritable().then(() => undefined, messageOf);
    }
    const problem = await checking;
    if (problem === undefined) return { status: 'ready' };
    deps.log.error({ error: problem }, 'the store cannot write');
    return reply.code(503).send({ status: 'not ready', message: 'The store cannot write' });
  });
  done();
}
