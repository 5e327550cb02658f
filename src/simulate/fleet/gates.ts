import type { SimulatedDevice } from '../simulated-device.ts';
import type { Visit } from './visit.ts';

/** Who is at which gate, and the one queue for all of them. */
export class Gates {
  readonly devices: readonly SimulatedDevice[];
  readonly #onIdle: () => void;
  readonly #free = new Fifo<SimulatedDevice>();
  readonly #waiting = new Fifo<Visit>();
  /** Gates that are not in the list of free ones. */
  readonly #taken: Set<SimulatedDevice>;
  /** Gates with a person, also one who tries again. */
  readonly #held = new Set<SimulatedDevice>();

  /** @param onIdle called when a gate is free and nobody waits for it */
  constructor(devices: readonly SimulatedDevice[], onIdle: () => void) {
    this.devices = devices;
    this.#onIdle = onIdle;
    this.#taken = new Set(devices);
    for (const device of devices) device.onFree = () => this.#release(device);
  }

  /** Takes in devices that are switched on and free already; others come as they get free. */
  open(): void {
    for (const device of this.devices) this.#release(device);
  }

  /** Sends a person to a free gate, or to the end of the queue. */
  enter(visit: Visit): void {
    this.#waiting.push(visit);
    this.#match();
  }

  /** The person at this gate has gone. */
  leave(device: SimulatedDevice): void {
    this.#held.delete(device);
    this.#release(device);
  }

  #release(device: SimulatedDevice): void {
    if (!device.free || this.#held.has(device) || !this.#taken.has(device)) return;
    this.#taken.delete(device);
    this.#free.push(device);
    this.#match();
    if (this.#free.size > 0 && this.#waiting.size === 0) this.#onIdle();
  }

  #match(): void {
    while (this.#waiting.size > 0) {
      const device = this.#free.shift();
      if (!device) return;
      this.#taken.add(device);
      if (!device.free) continue;
      this.#held.add(device);
      this.#waiting.shift()?.stepUp(device);
    }
  }
}

/** A queue whose front is taken without moving the rest. */
class Fifo<T> {
  #items: T[] = [];
  #front = 0;

  get size(): number {
    return this.#items.length - this.#front;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    const item = this.#items[this.#front];
    if (item === undefined) return undefined;
    this.#front += 1;
    if (this.#front > 1024 && this.#front * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#front);
      this.#front = 0;
    }
    return item;
  }
}
