import { hash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import type * as z from 'zod';
import { messageOf, TicketscanError } from '../../core/errors.ts';
import type { HttpDeps } from '../../scan/http/exchange.ts';
import type { FaultRule, RequestFilter, SeedOptions } from '../controls.ts';
import type { TestBench } from '../test-bench.ts';
import { ClockMoveSchema, parseOptions, RestoreSchema, TicketRequestSchema } from './schemas.ts';

/** Where the controls are; no path of the service begins so. */
export const CONTROLS_PATH = '/_test';
/** Proves that the caller has the token of this run. A web page cannot send it elsewhere, and no proxy adds it. */
export const TOKEN_HEADER = 'x-test-token';
export const STREAM_PATH = '/requests/stream';

interface Given {
  readonly body: unknown;
  readonly query: unknown;
  readonly id: string;
}

/**
 * A control over HTTP: its method, its path below `/_test`, and what it does; without an answer it is 204. What the bench checks for
 * callers of the library is not checked here as well.
 */
type ControlRoute = readonly [
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  run: (bench: TestBench, given: Given) => Promise<unknown>,
];

export const CONTROL_ROUTES: readonly ControlRoute[] = [
  ['GET', '/sample', async ({ sample }) => ({ sample })],
  [
    'POST',
    '/reset',
    async (bench, { body }) => {
      await bench.reset(body as SeedOptions | undefined);
      return { sample: bench.sample };
    },
  ],
  ['POST', '/snapshot', (bench) => bench.snapshot()],
  ['POST', '/restore', (bench, { body }) => bench.restore(parseOptions(RestoreSchema, body))],
  ['GET', '/clock', (bench) => bench.clock()],
  ['POST', '/clock', (bench, { body }) => moveClock(bench, parseOptions(ClockMoveSchema, body))],
  ['GET', '/faults', async (bench) => ({ faults: await bench.faults() })],
  ['POST', '/faults', (bench, { body }) => bench.fail(body as FaultRule)],
  ['DELETE', '/faults', (bench) => bench.clearFaults()],
  ['DELETE', '/faults/:id', (bench, { id }) => bench.clearFaults(id)],
  [
    'GET',
    '/requests',
    async (bench, { query }) => ({ requests: await bench.requests(query as RequestFilter) }),
  ],
  [
    'POST',
    '/tickets',
    (bench, { body }) => bench.mint(parseOptions(TicketRequestSchema.optional(), body)),
  ],
];

async function moveClock(
  bench: TestBench,
  { set, advance, freeze }: z.output<typeof ClockMoveSchema>,
): Promise<unknown> {
  // In one step: between setting and freezing the clock would run on.
  if (freeze && set !== undefined) return bench.freezeClock(set);
  if (freeze) await bench.freezeClock();
  if (set !== undefined) await bench.setClock(set);
  if (advance !== undefined) await bench.advance(advance);
  return freeze === false ? bench.resumeClock() : bench.clock();
}

/** Whoever may use the controls may send more than a stranger. */
const JSON_BODY = { parseAs: 'string', bodyLimit: 1024 * 1024 } as const;
const STATUS: Partial<Record<TicketscanError['code'], number>> = { not_found: 404, conflict: 409 };

/** What the HTTP layer is built on, with the bench's service and its controls. */
export function hooksOf(bench: TestBench, deps: Omit<HttpDeps, 'service' | 'testHooks'>): HttpDeps {
  return {
    ...deps,
    get service() {
      return bench.service;
    },
    testHooks: {
      around: (path, endpoint) => bench.around(path, endpoint),
      routes: controlRoutes(bench),
      ...(bench.varies && { requestLevel: 'info' }),
    },
  };
}

/** The controls under `/_test`, for programs that know the token: on this machine, or anywhere with a token that was given. */
function controlRoutes(bench: TestBench): FastifyPluginCallback {
  return (app, _options, done) => {
    app.register(
      (controls, _inner, ready) => {
        controls.addHook('onRequest', async (request, reply) => {
          if (!knowsToken(request, bench.testToken)) return reply.callNotFound();
          return refuseOthers(bench, request, reply);
        });
        controls.setErrorHandler(answerProblem);
        controls.removeAllContentTypeParsers();
        controls.addContentTypeParser('application/json', JSON_BODY, readJson);
        controls.addHook('preClose', async () => bench.letGo());
        for (const route of CONTROL_ROUTES) addRoute(controls, bench, route);
        controls.get(STREAM_PATH, (request, reply) => stream(bench, request, reply));
        ready();
      },
      { prefix: CONTROLS_PATH },
    );
    done();
  };
}

/** True when the request has the test token. Without it the answer is that of any path that does not exist. */
function knowsToken({ headers }: FastifyRequest, token: string): boolean {
  const given = headers[TOKEN_HEADER];
  // Of the same length, so that the time of the comparison reveals nothing.
  const [one, other] = [String(given), token].map((text) => hash('sha256', text, 'buffer'));
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}

async function refuseOthers(
  { isForOthers }: TestBench,
  { raw }: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  if (!isForOthers && !isFromThisMachine(raw)) {
    return reply.code(403).send({
      message:
        'The test controls answer only requests from this machine. Give the server --test-controls-token to use them from others.',
    });
  }
  if (isFromOwnPageOrProgram(raw)) return undefined;
  return reply.code(403).send({ message: 'The test controls answer no pages of other sites.' });
}

function answerProblem(error: unknown, _request: FastifyRequest, reply: FastifyReply): unknown {
  if (error instanceof TicketscanError) {
    return reply.code(STATUS[error.code] ?? 400).send({ message: error.message });
  }
  // The framework's own: a body that is not JSON, or of another type.
  const { statusCode = 500 } = error as { statusCode?: number };
  const message = statusCode === 415 ? 'Send JSON, as application/json.' : messageOf(error);
  return reply.code(statusCode).send({ message });
}

/** Clients that always say JSON may have nothing to say. */
function readJson(
  _request: FastifyRequest,
  text: string,
  done: (error: Error | null, body?: unknown) => void,
): void {
  try {
    done(null, text === '' ? undefined : JSON.parse(text));
  } catch (error) {
    done(new TicketscanError('usage', `The body is not valid JSON: ${messageOf(error)}.`));
  }
}

function addRoute(app: FastifyInstance, bench: TestBench, [method, url, run]: ControlRoute): void {
  app.route({
    method,
    url,
    handler: async ({ params, query, body = undefined }, reply) => {
      const { id = '' } = params as { id?: string };
      const answer = await run(bench, { body: body ?? undefined, query, id });
      return answer === undefined ? reply.code(204).send() : answer;
    },
  });
}

/** Server-sent events. The client that reads too slowly makes the bounded list of what waits for it lose the oldest. */
async function stream(bench: TestBench, _request: FastifyRequest, reply: FastifyReply) {
  reply.hijack();
  const response = reply.raw;
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  response.on('error', () => gone.abort());
  const exchanges = bench.watchRequests(gone.signal);
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  response.write(': exchanges from now on\n\n');
  for await (const exchange of exchanges) {
    const text = `id: ${exchange.number}\nevent: exchange\ndata: ${JSON.stringify(exchange)}\n\n`;
    if (response.write(text)) continue;
    await once(response, 'drain', { signal: gone.signal }).catch(() => {});
  }
  response.end();
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/i;

/** True for a request that names the server by a loopback name, as programs on this machine do. */
function isFromThisMachine({ headers: { host = '' } }: IncomingMessage): boolean {
  return LOOPBACK.test(host.replace(/:\d+$/, ''));
}

/**
 * True for a request of a program, or of a page of the server itself. A web page of somebody else can make a browser send
 * requests to the server; the browser then says where the page is from.
 */
function isFromOwnPageOrProgram({ headers, socket }: IncomingMessage): boolean {
  const { host = '', origin } = headers;
  const scheme = 'encrypted' in socket && socket.encrypted ? 'https' : 'http';
  if (origin !== undefined && origin !== `${scheme}://${host}`) return false;
  return headers['sec-fetch-site'] !== 'cross-site';
}
