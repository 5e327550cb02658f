import { connect, type Socket } from 'node:net';
import type { Random } from '../world/random.ts';
import type { Recorder } from '../world/recorder.ts';
import type { World } from '../world/world.ts';

const TRICKLE_MS = 500;
const DEAF_REQUESTS = 1500;

/** Sockets that connect and say nothing, or say it letter by letter, or stop half-way; they come back when thrown out. */
export class SlowClients {
  readonly #address: URL;
  readonly #sockets = new Set<Socket>();
  #closed = false;

  constructor(url: string, count: number) {
    this.#address = new URL(url);
    for (let index = 0; index < count; index += 1) this.#open(index % 4);
  }

  get connected(): number {
    return this.#sockets.size;
  }

  close(): void {
    this.#closed = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  #open(kind: number): void {
    if (this.#closed) return;
    const socket = connect(Number(this.#address.port), this.#address.hostname);
    this.#sockets.add(socket);
    const head = 'POST /scan/consume HTTP/1.1\r\nHost: gate\r\nContent-Type: application/json\r\n';
    const letters = kind === 3 ? `${head}X-Slow: ${'a'.repeat(200)}` : '';
    if (kind === 1) socket.write(head);
    if (kind === 2) socket.write(`${head}Content-Length: 90\r\n\r\n{"ticketCode":"TS1.`);
    let sent = 0;
    const timer = setInterval(() => {
      if (sent < letters.length) socket.write(letters[sent] ?? '');
      sent += 1;
    }, TRICKLE_MS);
    socket.on('error', () => {});
    socket.on('close', () => {
      clearInterval(timer);
      this.#sockets.delete(socket);
      setTimeout(() => this.#open(kind), TRICKLE_MS).unref();
    });
  }
}

/** Sockets that send as many requests as fit into one write, and read no answer. */
export class DeafClients {
  readonly #sockets = new Set<Socket>();

  /** @param paths each socket asks for one of them */
  constructor(url: string, count: number, paths: readonly string[]) {
    const { port, hostname } = new URL(url);
    for (let index = 0; index < count; index += 1) {
      const socket = connect(Number(port), hostname);
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => this.#sockets.delete(socket));
      socket.pause();
      const request = `GET ${paths[index % paths.length]} HTTP/1.1\r\nHost: gate\r\n\r\n`;
      socket.write(request.repeat(DEAF_REQUESTS));
    }
  }

  get connected(): number {
    return this.#sockets.size;
  }

  /** A socket that does not read does not hear either that the server has closed it. */
  listen(): void {
    for (const socket of this.#sockets) socket.resume();
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** Sends one whole consume and leaves after a moment without reading the answer. */
export function vanish(
  world: World,
  recorder: Recorder,
  random: Random,
  url: string,
): Promise<void> {
  const { port, hostname } = new URL(url);
  const key = world.open.keys.rest;
  const ticket = random.pick(world.open.tickets['permanent'] ?? []);
  const body = JSON.stringify({ ticketCode: ticket.code });
  const id = recorder.invoke({ action: 'consume', key: key.id, ticket: ticket.id });
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket = connect(Number(port), hostname, () => {
    socket.write(
      `POST /scan/consume HTTP/1.1\r\nHost: gate\r\nContent-Type: application/json\r\nx-api-key: ${key.value}\r\n` +
        `Content-Length: ${body.length}\r\n\r\n${body}`,
    );
    setTimeout(() => socket.resetAndDestroy(), random.between(0, 4));
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    recorder.unknown(id, 'the client left');
    resolve();
  });
  return promise;
}
