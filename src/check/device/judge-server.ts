import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Server as TlsServer } from 'node:tls';
import { openSockets } from '../../kit/connections.ts';
import { takeEveryRequest } from '../../kit/every-request.ts';
import { keepFirstBytes, tlsFacts } from '../../kit/first-bytes.ts';
import { hostFault } from '../../kit/host-header.ts';
import {
  afterOpening,
  type BrokenHttp,
  keepOpenings,
  openingOf,
} from '../../kit/plain-openings.ts';
import {
  type ConnectionFacts,
  type ConnectionRefusal,
  connectionRefusal,
  hasOtherCoding,
} from '../../kit/refused-connections.ts';
import { SERVED_TLS } from '../../kit/served-tls.ts';
import type { Clock } from '../time/clock.ts';
import type { Answer, Place, SeenRequest } from './http.ts';
import type { Network } from './world.ts';

const BODY_BYTES_MAX = 64 * 1024;
/** Node would refuse a request without a Host header before anybody could judge it. */
const TAKES_ANY_HOST = { requireHostHeader: false };
/** Of an answer that comes slowly. */
const PIECES = 4;

/** A certificate with its key, both PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Where the server listens. */
export interface ListenOptions {
  readonly host: string;
  /** 0 takes any free one. */
  readonly port: number;
  readonly certificate?: Certificate | undefined;
}

/** How a request is answered, and what is reported about it. */
export interface RequestHandler {
  readonly clock: Clock;
  answer(request: SeenRequest): Answer;
  /** Milliseconds since the session began. */
  now(): number;
  /** Bytes that are no HTTP request. */
  broken(message: string): void;
  /** What never became a request: its TLS, its HTTP, or the body of it. */
  refused(reason: ConnectionRefusal): void;
}

/**
 * The server that a device or client is set up with. It decides nothing: the current scene gives every answer, also wrong
 * ones.
 */
export class JudgeServer {
  readonly #handler: RequestHandler;
  readonly #options: ListenOptions;
  readonly #place: 'server' | 'elsewhere';
  readonly #network: Network;
  readonly #server: Server;
  readonly #sockets: ReadonlySet<Socket>;
  #port = 0;
  #isUp = false;
  #untrusted = false;
  #scene = new AbortController();

  constructor(
    handler: RequestHandler,
    options: ListenOptions,
    place: 'server' | 'elsewhere',
    network: Network,
  ) {
    this.#handler = handler;
    this.#options = options;
    this.#place = place;
    this.#network = network;
    const { certificate } = options;
    if (certificate) {
      const secure = createSecureServer({ ...SERVED_TLS, ...TAKES_ANY_HOST, ...certificate });
      keepFirstBytes(secure);
      this.#server = secure;
    } else this.#server = createServer(TAKES_ANY_HOST);
    const serve = (request: IncomingMessage, response: ServerResponse) =>
      void this.#serve(request, response);
    this.#server.on('request', serve);
    takeEveryRequest(this.#server, serve);
    keepOpenings(this.#server, certificate ? 'secureConnection' : 'connection');
    this.#server.on(
      'clientError',
      afterOpening<BrokenHttp, Socket>(openingOf, (error, socket, opening) => {
        if (error.code?.startsWith('HPE_')) this.#handler.broken(error.message ?? '');
        this.#noteRefusal(error, socket, opening);
        socket.destroy();
      }),
    );
    this.#sockets = openSockets(this.#server);
  }

  get port(): number {
    return this.#port;
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** Whether a correct subject sends its requests here now. */
  get isReachable(): boolean {
    return this.#isUp && !this.#untrusted;
  }

  /** Listens; again on the same port after `down`. @throws Error of the system, for example for a port in use */
  async up(): Promise<void> {
    const { host, port } = this.#options;
    this.#port = await this.#network.open(this.#server, this.#port || port, host);
    this.#isUp = true;
  }

  /** Refuses connections and breaks those that are open. */
  async down(): Promise<void> {
    this.endScene();
    if (!this.#isUp) return;
    this.#isUp = false;
    const closed = this.#network.close(this.#server);
    this.breakConnections();
    await closed;
  }

  /** Breaks what is held back for the scene that is over. */
  endScene(): void {
    this.#scene.abort();
    this.#scene = new AbortController();
  }

  breakConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** From now on connections get another certificate. */
  present(certificate: Certificate, isTrusted: boolean): void {
    (this.#server as unknown as TlsServer).setSecureContext({
      ...SERVED_TLS,
      ...certificate,
    });
    this.#untrusted = !isTrusted;
    this.breakConnections();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { signal } = this.#scene;
    const atMs = this.#handler.now();
    const body = await bodyOf(request);
    if (body === 'too_long') this.#handler.refused('body_too_long');
    if (typeof body !== 'object') return;
    const fault = hostFault(request) ?? (hasOtherCoding(request) && 'transfer_encoding');
    if (fault) this.#handler.refused(fault);
    const seen: SeenRequest = {
      atMs,
      wallMs: this.#handler.clock.wallNow(),
      place: this.#placeNow(),
      method: request.method ?? '',
      target: request.url ?? '',
      headers: pairsOf(request.rawHeaders),
      body: body.text,
      secure: this.#options.certificate !== undefined,
    };
    const answer = this.#handler.answer(seen);
    const facts = { status: answer.status, body: answer.body };
    seen.answer = { ...facts, how: answer.delivery?.kind ?? 'whole', atMs: this.#handler.now() };
    await deliver(answer, response, signal, this.#handler.clock).catch(() => response.destroy());
    seen.answer.atMs = this.#handler.now();
  }

  #noteRefusal(
    error: BrokenHttp,
    socket: Socket,
    opening: Pick<ConnectionFacts, 'head' | 'isFirst'>,
  ): void {
    const reason = connectionRefusal(error, {
      ...opening,
      isInBody: false,
      ...tlsFacts(socket),
    });
    // A scene shows a certificate that nobody may trust.
    if (reason && !(this.#untrusted && reason.startsWith('tls_'))) this.#handler.refused(reason);
  }

  #placeNow(): Place {
    return this.#untrusted ? 'untrusted' : this.#place;
  }
}

/** Undefined when the request ended in the middle: then `clientError` says why. */
async function bodyOf(
  request: IncomingMessage,
): Promise<{ readonly text: string } | 'too_long' | undefined> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of request as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > BODY_BYTES_MAX) {
        request.destroy();
        return 'too_long';
      }
      pieces.push(piece);
    }
  } catch {
    return undefined;
  }
  return { text: Buffer.concat(pieces).toString('utf8') };
}

function pairsOf(raw: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at < raw.length; at += 2) pairs.push([raw[at] ?? '', raw[at + 1] ?? '']);
  return pairs;
}

/**
 * Sends an answer in the way that it asks for.
 * @param ended aborted when the scene is over: what is held back is then broken off
 * @returns false when nothing, or not all of it, was sent
 */
async function deliver(
  answer: Answer,
  response: ServerResponse,
  ended: AbortSignal,
  clock: Clock,
): Promise<boolean> {
  const { delivery } = answer;
  const bytes = Buffer.from(answer.body);
  const hold = (ms: number) => held(ms, ended, response, clock);
  switch (delivery?.kind) {
    case undefined:
      return whole(answer, bytes, response);
    case 'late':
      return (await hold(delivery.ms)) && whole(answer, bytes, response);
    case 'slow':
      return inPieces(answer, bytes, response, () => hold(delivery.ms / PIECES));
    case 'chunked':
      response.writeHead(answer.status, answer.headers);
      response.write(bytes.subarray(0, bytes.length / 2));
      response.end(bytes.subarray(bytes.length / 2));
      return true;
    case 'closed':
      return whole(
        { ...answer, headers: { ...answer.headers, connection: 'close' } },
        bytes,
        response,
      );
    case 'cut':
      head(answer, bytes, response);
      response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
      return false;
    case 'lost':
      response.destroy();
      return false;
    case 'never':
      await new Promise((resolve) => ended.addEventListener('abort', resolve, { once: true }));
      response.destroy();
      return false;
  }
}

function whole(answer: Answer, bytes: Buffer, response: ServerResponse): boolean {
  head(answer, bytes, response);
  response.end(bytes);
  return true;
}

function head({ status, headers }: Answer, bytes: Buffer, response: ServerResponse): void {
  // An answer of this status has no body, and says no length.
  response.writeHead(
    status,
    status === 204 ? headers : { ...headers, 'content-length': bytes.length },
  );
}

async function inPieces(
  answer: Answer,
  bytes: Buffer,
  response: ServerResponse,
  hold: () => Promise<boolean>,
): Promise<boolean> {
  head(answer, bytes, response);
  const size = Math.ceil(bytes.length / PIECES);
  for (let at = 0; at < bytes.length; at += size) {
    if (!(await hold())) return false;
    response.write(bytes.subarray(at, at + size));
  }
  response.end();
  return true;
}

/** Waits; false when the scene ended meanwhile or the client disconnected. */
async function held(
  ms: number,
  ended: AbortSignal,
  response: ServerResponse,
  clock: Clock,
): Promise<boolean> {
  await clock.sleep(ms, ended).catch(() => response.destroy());
  return !response.destroyed;
}
