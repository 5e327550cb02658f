import { connect, type Socket } from 'node:net';
import type { Random } from '../world/random.ts';
import type { Recorder } from '../world/recorder.ts';
import type { World } from '../world/world.ts';

const TRICKLE_MS = 500;
const PLAIN_FIRST_MS = 300;

const HEAD =
  'POST /scan/consume HTTP/1.1\r\nHost: gate\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n';
const START = HEAD.slice(0, HEAD.indexOf('Content-Length'));
const LONG_HEAD = HEAD.replace('Length: 2', 'Length: 90');
const HALF_A_BODY = '{"ticketCode":"TS1.';
/** A request without a key: it takes no use. */
const WHOLE = `${HEAD}{}`;

/** What slow clients send at once, and what they send letter by letter before they stop. */
interface SlowWay {
  readonly first: string;
  readonly letters: string;
}

const SLOW_WAYS: readonly SlowWay[] = [
  { first: '', letters: '' },
  { first: START, letters: '' },
  { first: LONG_HEAD + HALF_A_BODY, letters: '' },
  { first: '', letters: `${START}X-Slow: ${'a'.repeat(200)}` },
  { first: '', letters: LONG_HEAD.slice(0, 12) },
  { first: LONG_HEAD, letters: HALF_A_BODY },
  { first: WHOLE, letters: LONG_HEAD },
];

/** Sockets that connect and say nothing, or say it letter by letter, or stop half-way; they come back when thrown out. */
export class SlowClients {
  readonly #address: URL;
  readonly #sockets = new Set<Socket>();
  readonly #thrownOut = new Set<SlowWay>();
  #closed = false;

  constructor(url: string, count: number) {
    this.#address = new URL(url);
    for (let index = 0; index < count; index += 1)
      this.#open(SLOW_WAYS[index % SLOW_WAYS.length] as SlowWay);
  }

  get connected(): number {
    return this.#sockets.size;
  }

  /** What the server has let hang: the ways of which it has closed no socket. */
  get neverClosed(): string[] {
    const kept = SLOW_WAYS.filter((way) => !this.#thrownOut.has(way));
    return kept.map(({ first, letters }) => JSON.stringify([first, letters]));
  }

  close(): void {
    this.#closed = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  #open(way: SlowWay): void {
    if (this.#closed) return;
    const socket = connect(Number(this.#address.port), this.#address.hostname);
    this.#sockets.add(socket);
    // Who does not read does not hear that the server has closed.
    socket.resume();
    const { first, letters } = way;
    if (first) socket.write(first);
    let sent = 0;
    const timer = setInterval(() => {
      if (sent < letters.length) socket.write(letters[sent] ?? '');
      sent += 1;
    }, TRICKLE_MS);
    socket.on('error', () => {});
    socket.on('close', () => {
      clearInterval(timer);
      this.#sockets.delete(socket);
      this.#thrownOut.add(way);
      setTimeout(() => this.#open(way), TRICKLE_MS).unref();
    });
  }
}

/** A request again and again: in all, more than the buffers of both ends hold of its answers. */
interface Flood {
  readonly name: string;
  readonly requests: Buffer;
}

/** Plain to the server until more of them come at once than it has answered. */
export const PLAIN_FLOOD: Flood = { name: 'scans', requests: Buffer.from(WHOLE.repeat(30_000)) };

/** @param path of a large answer */
export function floodOf(path: string): Flood {
  return {
    name: path,
    requests: Buffer.from(`GET ${path} HTTP/1.1\r\nHost: gate\r\n\r\n`.repeat(1500)),
  };
}

/** Sockets that send a plain request, then many at once, and read no answer. */
export class DeafClients {
  readonly #sockets = new Set<Socket>();

  /** @param floods each socket sends one of them */
  constructor(url: string, count: number, floods: readonly Flood[]) {
    const { port, hostname } = new URL(url);
    for (let index = 0; index < count; index += 1) {
      const socket = connect(Number(port), hostname);
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => this.#sockets.delete(socket));
      socket.pause();
      socket.setNoDelay().write(WHOLE);
      const { requests } = floods[index % floods.length] as Flood;
      setTimeout(() => socket.write(requests), PLAIN_FIRST_MS);
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
