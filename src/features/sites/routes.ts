import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { TicketscanError } from '../../core/errors.ts';
import { ErrorBody } from '../../operations/fields.ts';
import type { AdminApp } from '../../operations/http/route.ts';
import { describeSecret } from '../../scan/refusal-counter.ts';
import type { AdminContext } from '../context.ts';
import { Centre, type KnownSite } from './centre.ts';
import {
  FeedAnswer,
  FeedQuestion,
  RowsKept,
  RowsSent,
  SITE_PATHS,
  TicketsAnswer,
  TicketsQuestion,
} from './wire.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The site that asks; null on all routes but those of sites. */
    site: KnownSite | null;
  }
}

const tags = ['Sites'];
const BODY_BYTES_MAX = 4 * 1024 * 1024;
const OF_SITE =
  'Asked by `serve --centre` with the token of a site, which may do nothing else. `core/event-home` in the sources describes the protocol.';

/** What sites ask of their centre. No account may call it, and the token of a site may call nothing else. */
export function siteRoutes(app: AdminApp, context: AdminContext): void {
  const centre = new Centre(context);
  app.decorateRequest('site', null);
  const onRequest = siteFinder(centre);
  feedRoute(app, centre, onRequest);
  rowsRoute(app, centre, onRequest);
  ticketsRoute(app, centre, onRequest);
}

type Finder = ReturnType<typeof siteFinder>;

const config = { access: 'anyone' as const };

function feedRoute(app: AdminApp, centre: Centre, onRequest: Finder): void {
  // A question that waits for something new must not hold up a server that stops.
  let isStopping = false;
  app.addHook('preClose', async () => {
    isStopping = true;
  });
  app.post(
    SITE_PATHS.feed,
    {
      config,
      onRequest,
      bodyLimit: BODY_BYTES_MAX,
      schema: {
        tags,
        operationId: 'siteFeed',
        summary: 'What is new for a site',
        description: OF_SITE,
        body: FeedQuestion,
        response: { 200: FeedAnswer, 401: ErrorBody },
      },
    },
    async (request, reply) => {
      const isGone = () => isStopping || request.raw.socket.destroyed;
      return sendPacked(request, reply, await centre.feed(siteOf(request), request.body, isGone));
    },
  );
}

function rowsRoute(app: AdminApp, centre: Centre, onRequest: Finder): void {
  app.post(
    SITE_PATHS.rows,
    {
      config,
      onRequest,
      bodyLimit: BODY_BYTES_MAX,
      schema: {
        tags,
        operationId: 'siteRows',
        summary: 'Keep scans that a site has answered',
        description: OF_SITE,
        body: RowsSent,
        response: { 200: RowsKept, 401: ErrorBody },
      },
    },
    (request) => centre.keepRows(siteOf(request), request.body),
  );
}

function ticketsRoute(app: AdminApp, centre: Centre, onRequest: Finder): void {
  app.get(
    SITE_PATHS.tickets,
    {
      config,
      onRequest,
      schema: {
        tags,
        operationId: 'siteTickets',
        summary: 'Tickets of an event that goes to a site',
        description: OF_SITE,
        querystring: TicketsQuestion,
        response: { 200: TicketsAnswer, 401: ErrorBody },
      },
    },
    async (request, reply) =>
      sendPacked(request, reply, await centre.ticketsFor(siteOf(request), request.query)),
  );
}

const gzipped = promisify(gzip);
/** Shorter answers are sent as they are. */
const PACKED_FROM = 2000;

/** Sends JSON, compressed if it is long and the site can expand it: a copy of an event may be hundreds of megabytes. */
async function sendPacked(
  { headers }: FastifyRequest,
  reply: { header(name: string, value: string): unknown; send(payload: unknown): unknown },
  value: unknown,
) {
  const text = JSON.stringify(value);
  reply.header('content-type', 'application/json; charset=utf-8');
  if (text.length < PACKED_FROM || !/\bgzip\b/.test(headers['accept-encoding'] ?? ''))
    return reply.send(Buffer.from(text)) as never;
  reply.header('content-encoding', 'gzip');
  return reply.send(await gzipped(text)) as never;
}

/** Finds the site before its body is read: that of a stranger may not be as long. */
function siteFinder(centre: Centre) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const token = tokenOf(request);
    try {
      request.site = await centre.siteOf(token);
    } catch (error) {
      if (!(error instanceof TicketscanError) || error.code !== 'not_allowed') throw error;
      request.refusedFor = { token: describeSecret(token ?? '') };
      return reply.code(401).send({ message: error.message, code: error.code });
    }
  };
}

function siteOf({ site, url }: FastifyRequest): KnownSite {
  if (!site) throw new Error(`${url} was reached without the token of a site`);
  return site;
}

function tokenOf({ headers }: FastifyRequest): string | undefined {
  return /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1];
}
