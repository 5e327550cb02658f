import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { Random } from '../world/random.ts';

/**
 * What a line does to a connection: `drop` resets both ends; `hold` keeps what is sent, either way, and delivers it later in its order;
 * `half-close` ends one direction; `swallow` reads what is sent and tells nobody, not even that an end has closed.
 */
export const LINE_FAULTS = ['drop', 'hold', 'half-close', 'swallow'] as const;
export type LineFault = (typeof LINE_FAULTS)[number];

/** Longer than an instance waits: a commit may arrive when nobody waits for its answer any more. */
const HOLD_MS = { min: 100, max: 6000 };

/** One connection through the line, with its two ends. */
class Wire {
  readonly near: Socket;
  readonly far: Socket;
  #swallowed = false;
  #heldUntil = 0;

  constructor(near: Socket, far: Socket) {
    this.near = near;
    this.far = far;
    this.#forward(near, far);
    this.#forward(far, near);
  }

  /** @returns whether there was anything left that it could do */
  play(fault: LineFault, random: Random): boolean {
    if (this.#swallowed || this.near.destroyed) return false;
    if (fault === 'drop') this.drop();
    else if (fault === 'hold') this.hold(random.between(HOLD_MS.min, HOLD_MS.max));
    else if (fault === 'swallow') this.#swallowed = true;
    else (random.chance(0.5) ? this.near : this.far).end();
    return true;
  }

  hold(ms: number): void {
    this.#heldUntil = performance.now() + ms;
  }

  drop(): void {
    this.near.resetAndDestroy();
    this.far.resetAndDestroy();
  }

  #forward(from: Socket, to: Socket): void {
    const queue: (() => void)[] = [];
    const deliver = (action: () => void) => {
      if (this.#swallowed) return;
      if (queue.length === 0 && performance.now() >= this.#heldUntil) return action();
      queue.push(action);
      if (queue.length === 1) this.#later(queue);
    };
    from.on('data', (chunk) => deliver(() => to.write(chunk)));
    from.on('end', () => deliver(() => to.end()));
    from.on('close', (failed) => failed && deliver(() => to.resetAndDestroy()));
  }

  #later(queue: (() => void)[]): void {
    setTimeout(() => {
      if (this.#swallowed) queue.length = 0;
      else if (performance.now() < this.#heldUntil) this.#later(queue);
      else for (const action of queue.splice(0)) action();
    }, this.#heldUntil - performance.now()).unref();
  }
}

/** A line between a client and a server that can be made bad, connection by connection or whole. */
export class Line implements AsyncDisposable {
  readonly port: number;
  /** How often each fault met a connection. */
  readonly played = new Map<LineFault, number>();
  readonly #server: Server;
  readonly #host: string;
  readonly #wires = new Set<Wire>();
  readonly #sockets = new Set<Socket>();
  #state: 'open' | 'silent' | 'cut' = 'open';
  /** Called with what a client sends, or a server answers, before that is forwarded: to make a fault at one moment. */
  onSent: (data: Buffer, wire: Wire) => void = () => {};
  onAnswered: (data: Buffer, wire: Wire) => void = () => {};

  private constructor(server: Server, target: () => number, host: string) {
    this.#server = server;
    this.#host = host;
    this.port = (server.address() as AddressInfo).port;
    server.on('connection', (near: Socket) => this.#accept(near, target()));
  }

  /** @param target the port of the server at each moment @param host of the server */
  static async start(target: () => number, host = '127.0.0.1'): Promise<Line> {
    const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Line(server, target, host);
  }

  /** Plays a fault on a share of the connections that are open. */
  play(fault: LineFault, random: Random, share = 1): void {
    for (const wire of this.#wires) {
      if (random.chance(share) && wire.play(fault, random)) this.#count(fault);
    }
  }

  /** Swallows everything from now on, also of connections to come. */
  silence(random: Random): void {
    this.#state = 'silent';
    this.play('swallow', random);
  }

  /** Resets everything from now on, also connections to come. */
  cut(): void {
    this.#state = 'cut';
    for (const wire of this.#wires) wire.drop();
  }

  /** New connections pass again. Those that were swallowed stay silent, as those that a firewall has forgotten. */
  restore(): void {
    this.#state = 'open';
  }

  #accept(near: Socket, target: number): void {
    this.#keep(near);
    if (this.#state === 'cut') return void near.resetAndDestroy();
    if (this.#state === 'silent') {
      this.#count('swallow');
      return void near.resume();
    }
    const far = connect({ port: target, host: this.#host, allowHalfOpen: true });
    this.#keep(far);
    near.on('data', (data: Buffer) => this.onSent(data, wire));
    far.on('data', (data: Buffer) => this.onAnswered(data, wire));
    const wire = new Wire(near.setNoDelay(), far.setNoDelay());
    this.#wires.add(wire);
    near.once('close', () => this.#wires.delete(wire));
  }

  #count(fault: LineFault): void {
    this.played.set(fault, (this.played.get(fault) ?? 0) + 1);
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket.on('error', () => {}));
    socket.once('close', () => this.#sockets.delete(socket));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
