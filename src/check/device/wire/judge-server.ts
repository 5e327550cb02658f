import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Server as TlsServer } from 'node:tls';
import { openSockets } from '../../../kit/connections.ts';
import type { Answer } from './answer.ts';
import { deliver } from './deliver.ts';
import type { Place, SeenRequest } from './seen-request.ts';

const BODY_BYTES_MAX = 64 * 1024;

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
  answer(request: SeenRequest): Answer;
  /** Milliseconds since the session began. */
  now(): number;
  /** Bytes that are no HTTP request. */
  broken(message: string): void;
}

/**
 * The server that a device or client is set up with. It decides nothing: the current scene gives every answer, also wrong
 * ones.
 */
export class JudgeServer {
  readonly #handler: RequestHandler;
  readonly #options: ListenOptions;
  readonly #place: 'server' | 'elsewhere';
  readonly #server: Server;
  readonly #sockets: ReadonlySet<Socket>;
  #port = 0;
  #untrusted = false;
  #scene = new AbortController();

  constructor(handler: RequestHandler, options: ListenOptions, place: 'server' | 'elsewhere') {
    this.#handler = handler;
    this.#options = options;
    this.#place = place;
    const { certificate } = options;
    this.#server = certificate ? createSecureServer({ ...certificate }) : createServer();
    this.#server.on('request', (request, response) => void this.#serve(request, response));
    this.#server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      if (error.code?.startsWith('HPE_')) this.#handler.broken(error.message);
      socket.destroy();
    });
    this.#sockets = openSockets(this.#server);
  }

  get port(): number {
    return this.#port;
  }

  /** Listens; again on the same port after `down`. @throws Error of the system, for example for a port in use */
  async up(): Promise<void> {
    this.#server.listen(this.#port || this.#options.port, this.#options.host);
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Refuses connections and breaks those that are open. */
  async down(): Promise<void> {
    this.endScene();
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
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
    (this.#server as unknown as TlsServer).setSecureContext({ ...certificate });
    this.#untrusted = !isTrusted;
    this.breakConnections();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { signal } = this.#scene;
    const atMs = this.#handler.now();
    const body = await bodyOf(request);
    if (body === undefined) return;
    const seen: SeenRequest = {
      atMs,
      wallMs: Date.now(),
      place: this.#placeNow(),
      method: request.method ?? '',
      target: request.url ?? '',
      headers: pairsOf(request.rawHeaders),
      body,
      secure: this.#options.certificate !== undefined,
    };
    const answer = this.#handler.answer(seen);
    const facts = { status: answer.status, body: answer.body };
    seen.answer = { ...facts, how: answer.delivery?.kind ?? 'whole', atMs: this.#handler.now() };
    await deliver(answer, response, signal).catch(() => response.destroy());
    seen.answer.atMs = this.#handler.now();
  }

  #placeNow(): Place {
    return this.#untrusted ? 'untrusted' : this.#place;
  }
}

/** Undefined when the request ended in the middle, or is too long. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of request as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > BODY_BYTES_MAX) {
        request.destroy();
        return undefined;
      }
      pieces.push(piece);
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(pieces).toString('utf8');
}

function pairsOf(raw: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at < raw.length; at += 2) pairs.push([raw[at] ?? '', raw[at + 1] ?? '']);
  return pairs;
}
