import { hash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import type { FastifyInstance, FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import packageFile from '../../../package.json' with { type: 'json' };
import { messageOf, TicketscanError } from '../../core/errors.ts';
import type { TestBench } from '../test-bench.ts';
import { isFromOwnPageOrProgram, isFromThisMachine } from './callers.ts';
import { controlsOpenApi } from './openapi.ts';
import {
  CONTROL_ROUTES,
  CONTROLS_PATH,
  type ControlRoute,
  OPENAPI_PATH,
  STREAM_PATH,
  TOKEN_HEADER,
} from './routes.ts';

/** Whoever may use the controls may send more than a stranger. */
const JSON_BODY = { parseAs: 'string', bodyLimit: 1024 * 1024 } as const;
const STATUS: Partial<Record<TicketscanError['code'], number>> = { not_found: 404, conflict: 409 };

/** The controls under `/_test`, for programs that know the token: on this machine, or anywhere with a token that was given. */
export function controlRoutes(bench: TestBench): FastifyPluginCallback {
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
        controls.get(OPENAPI_PATH, (request) => {
          return controlsOpenApi(`${request.protocol}://${request.host}`, packageFile.version);
        });
        ready();
      },
      { prefix: CONTROLS_PATH },
    );
    done();
  };
}

/** Without it the answer is that of any path that does not exist. */
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

function addRoute(app: FastifyInstance, bench: TestBench, route: ControlRoute): void {
  app.route({
    method: route.method,
    url: route.path,
    handler: async (request, reply) => {
      const { id = '' } = request.params as { id?: string };
      const body = request.body ?? undefined;
      const answer = await route.run(bench, { body, query: request.query, id });
      return route.answer ? answer : reply.code(204).send();
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
