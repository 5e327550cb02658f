import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Endpoint } from '../../../src/check/index.ts';
import {
  type Action,
  type Incoming,
  type Outcome,
  type Parts,
  type Reply,
  referenceParts,
  type Side,
} from './parts.ts';
import { hooksOf, makeWorld, type World } from './world.ts';

/** Replaces some of the reference server's steps; gets the right ones to build on. */
export type Alteration = (parts: Parts, world: World) => Partial<Parts>;

export interface ServerOptions {
  readonly alter?: Alteration | undefined;
  /** Where it is altered; everywhere otherwise. */
  readonly only?: Endpoint | undefined;
  /** Off unless asked for: the tests check faster than any limit allows. */
  readonly rateLimits?: boolean;
  /** How the answer goes over the wire. */
  readonly write?: (response: http.ServerResponse, reply: Reply) => void;
  readonly ticketForm?: ((id: string) => string) | undefined;
  readonly world?: ReturnType<typeof makeWorld>;
}

/** Starts the reference server, or a variant or a faulty one of it, on a free loopback port. */
export async function startServer(options: ServerOptions = {}) {
  const { world, target } = options.world ?? makeWorld(options.ticketForm);
  const replyTo = replierOf(world, options);
  const server = http.createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const { method = '' } = request;
    const write = (isAltered(url.pathname, options) ? options.write : undefined) ?? writeReply;
    void bodyOf(request)
      .then(
        (body) => replyTo({ request, method, path: url.pathname, query: url.searchParams, body }),
        () => FAILED,
      )
      .then((reply) => write(response, reply));
  });
  server.keepAliveTimeout = 10_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    target,
    world,
    keyHooks: hooksOf(world),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function isAltered(path: string, { only }: ServerOptions): boolean {
  return only === undefined || path === pathOf(only);
}

/** What the server answers to a request, however that came to it; what goes wrong in it is an answer as well. */
export function replierOf(
  world: World,
  options: ServerOptions,
): (incoming: Incoming) => Promise<Reply> {
  const { right, altered } = partsOf(world, options);
  return (incoming) =>
    respond(incoming, isAltered(incoming.path, options) ? altered : right).catch(() => FAILED);
}

const FAILED: Reply = { status: 500, headers: {}, body: { message: 'Internal Server Error' } };

/** Where an endpoint is on every server. */
export function pathOf(endpoint: Endpoint): string {
  return endpoint === 'heartbeat' ? '/scan/hw/heartbeat' : `/scan/${endpoint}`;
}

const SIDES: Readonly<Record<string, [Side, Action | undefined]>> = {
  '/scan/validate': ['rest', 'validate'],
  '/scan/consume': ['rest', 'consume'],
  '/scan/hw/validate': ['hardware', 'validate'],
  '/scan/hw/consume': ['hardware', 'consume'],
  '/scan/hw/heartbeat': ['heartbeat', undefined],
};

/** By events: iterating over a request costs as much as answering it. */
function bodyOf(request: http.IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  return new Promise((resolve, reject) => {
    request
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => resolve(Buffer.concat(chunks)))
      .on('error', reject);
  });
}

/** The answer to one request, without a network. */
export async function respond(incoming: Incoming, parts: Parts): Promise<Reply> {
  return parts.finish(await route(incoming, parts), incoming);
}

/** The right steps, and those of the server that the options describe. */
export function partsOf(world: World, options: ServerOptions) {
  const right = referenceParts(world);
  if (!options.rateLimits) right.withinLimit = () => true;
  return { right, altered: { ...right, ...options.alter?.(right, world) } };
}

async function route(incoming: Incoming, parts: Parts): Promise<Reply> {
  const found = SIDES[incoming.path];
  if (!found) return json(404, { message: 'Not Found' });
  if (!parts.isMethodAllowed(incoming.method, incoming)) {
    return {
      ...json(405, { message: 'Method Not Allowed' }),
      headers: { allow: 'POST', 'content-type': 'application/json' },
    };
  }
  const [side, action] = found;
  const key = parts.acceptKey(parts.keyOf(incoming, side), side, action);
  if (!key) return parts.unauthorised(side);
  if (!parts.withinLimit(key, incoming) || !parts.withinMonth(key, side))
    return parts.limited(side);
  if (action === undefined) return json(200, parts.heartbeatBody(incoming));
  const code = side === 'rest' ? parts.readCode(incoming, action) : parts.readCard(incoming);
  if (code === undefined) return parts.badRequest(side);
  const outcome = await decide(parts, code, key, side, action);
  const body =
    side === 'rest' ? parts.restBody(outcome, action) : parts.deviceBody(outcome, action);
  return json(parts.statusOf(outcome, side), body);
}

async function decide(
  parts: Parts,
  code: string,
  key: Parameters<Parts['inScope']>[0],
  side: Side,
  action: Action,
): Promise<Outcome> {
  const id = parts.verify(code, side, action);
  if (id === undefined) return { status: 'rejected', reason: 'invalid_ticket' };
  if (!parts.inScope(key, id, side, action))
    return { status: 'rejected', reason: 'event_not_allowed' };
  const ticket = parts.find(id);
  if (!ticket) return { status: 'not_found' };
  const refused = parts.refuse(ticket, action, side, key);
  if (refused) return refused;
  if (action === 'validate') return { status: 'validated', ticket: { ...ticket } };
  const pending = parts.register(ticket, side, key);
  if (pending !== undefined) await pending;
  const scannedAt = parts.timeOfScan();
  ticket.lastScan = scannedAt;
  return { status: 'consumed', ticket: { ...ticket }, scannedAt };
}

function json(status: number, body: unknown): Reply {
  return { status, headers: { 'content-type': 'application/json' }, body };
}

/** The usual way: one piece, with its length. */
export function writeReply(response: http.ServerResponse, reply: Reply): void {
  const text = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body);
  response.writeHead(reply.status, { ...reply.headers, 'content-length': Buffer.byteLength(text) });
  response.end(text);
}
