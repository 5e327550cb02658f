import { Agent, type ClientRequestArgs } from 'node:http';
import type { Server } from 'node:net';
import { Duplex } from 'node:stream';
import type { DeviceWorld, Network } from '../../src/check/device/world.ts';
import type { Clock } from '../../src/check/time/clock.ts';
import { VirtualTime } from '../support/virtual-time.ts';
import type { Place } from './place.ts';

const FIRST_PORT = 40_001;
/** Until a connection is there, or refused: what a device does comes after what it was told. */
const CONNECT_MS = 2;

/** One end of a connection in this process: what is written at one end is read at the other, in order and at once. */
class End extends Duplex {
  other: End | undefined;
  #taken: (() => void) | undefined;

  override _read(): void {
    const taken = this.#taken;
    this.#taken = undefined;
    taken?.();
  }

  override _write(bytes: Buffer, _: BufferEncoding, done: () => void): void {
    const { other } = this;
    if (!other || other.destroyed) done();
    else if (other.push(bytes)) done();
    else other.#taken = done;
  }

  override _final(done: () => void): void {
    this.#tellEnd();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#tellEnd();
    done(error);
  }

  #tellEnd(): void {
    const { other } = this;
    this.other = undefined;
    if (other && !other.destroyed && !other.readableEnded) other.push(null);
  }
}

/** A network in this process: nothing waits for a kernel, so that a clock knows when everybody waits. */
class MemoryNetwork implements Network {
  readonly #clock: Clock;
  readonly #servers = new Map<number, Server>();
  #next = FIRST_PORT;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async open(server: Server, port: number): Promise<number> {
    const at = port || this.#next++;
    if (this.#servers.has(at)) throw new Error(`port ${at} is in use`);
    this.#servers.set(at, server);
    return at;
  }

  async close(server: Server): Promise<void> {
    for (const [port, one] of this.#servers) if (one === server) this.#servers.delete(port);
  }

  /** A connection to whoever listens there; one that is refused where nobody does. */
  connect(port: number): Duplex {
    const [near, far] = [new End(), new End()];
    near.other = far;
    far.other = near;
    this.#clock.after(CONNECT_MS, () => {
      const server = this.#servers.get(port);
      if (server) server.emit('connection', far);
      else near.destroy(Object.assign(new Error('nobody listens'), { code: 'ECONNREFUSED' }));
    });
    return near;
  }
}

/** Makes its connections in a network of this process. */
class MemoryAgent extends Agent {
  readonly #network: MemoryNetwork;

  constructor(network: MemoryNetwork) {
    super({ keepAlive: false });
    this.#network = network;
  }

  override createConnection({ port }: ClientRequestArgs): Duplex {
    return this.#network.connect(Number(port));
  }
}

/** A world in which seconds pass as soon as everybody waits, and a place in it. */
export function virtualPlace(): {
  readonly time: VirtualTime;
  readonly world: DeviceWorld;
  readonly place: Place;
} {
  const time = new VirtualTime();
  const network = new MemoryNetwork(time);
  return {
    time,
    world: { clock: time, network },
    place: { clock: time, agentTo: () => new MemoryAgent(network) },
  };
}
