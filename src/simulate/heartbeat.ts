import { tenths } from './device-events.ts';
import type { DeviceSettings, DeviceWorld } from './device-settings.ts';
import type { Heart, RequestFacts } from './models/device-model.ts';
import type { Timer } from './time.ts';
import type { Receiver, WireAnswer, WireFailure } from './wire.ts';

/** What a heartbeat needs of its device. */
export interface HeartbeatOwner {
  readonly serial: string;
  readonly settings: DeviceSettings;
  readonly networkUp: boolean;
  facts(): RequestFacts;
  contact(online: boolean): void;
}

/** Sends a heartbeat regularly and concludes from the answers whether the server can be reached. */
export class Heartbeat implements Receiver {
  readonly #heart: Heart;
  readonly #owner: HeartbeatOwner;
  readonly #world: DeviceWorld;
  #next: Timer | undefined;
  #waiting: Timer | undefined;
  #sentAtMs = 0;
  #missed = 0;

  constructor(heart: Heart, owner: HeartbeatOwner, world: DeviceWorld) {
    this.#heart = heart;
    this.#owner = owner;
    this.#world = world;
  }

  /** Sends the first one after `delayMs` (at once by default), then one every `everyMs`. */
  start(delayMs = 0): void {
    this.stop();
    if (delayMs > 0) this.#next = this.#world.time.after(delayMs, () => this.beat());
    else this.beat();
  }

  stop(): void {
    this.#world.time.cancel(this.#next);
    this.#world.time.cancel(this.#waiting);
    this.#next = undefined;
    this.#waiting = undefined;
    this.#missed = 0;
  }

  /** Sends one now. One that is still unanswered counts as missed. */
  beat(): void {
    this.#world.time.cancel(this.#next);
    this.#next = this.#world.time.after(this.#owner.settings.heartbeatMs, () => this.beat());
    if (this.#waiting) this.#miss('no answer before the next heartbeat was due');
    this.#sentAtMs = this.#world.time.nowMs();
    this.#waiting = this.#world.time.after(this.#owner.settings.waitTime * 100, () =>
      this.#miss('no answer in time'),
    );
    if (!this.#owner.networkUp) return;
    const body = this.#heart.body(this.#owner.facts());
    this.#world.transport.send({ operation: 'heartbeat', ...body }, this);
  }

  answered(answer: WireAnswer): void {
    if (!this.#waiting || !this.#owner.networkUp) return;
    const fault = this.#heart.fault(answer, this.#owner.facts());
    if (fault !== undefined) {
      this.#miss(fault, { status: answer.status });
      return;
    }
    this.#endWaiting();
    this.#missed = 0;
    this.#report(true, { status: answer.status });
    this.#owner.contact(true);
  }

  failed(failure: WireFailure): void {
    if (this.#waiting && this.#owner.networkUp) {
      this.#miss(failure.message, { unreachable: failure.kind === 'unreachable' });
    }
  }

  unseen(): void {
    // Only cards meet faults on the wire; a heartbeat that is lost is a missed one.
  }

  #miss(message: string, facts: { status?: number; unreachable?: boolean } = {}): void {
    this.#endWaiting();
    this.#missed += 1;
    this.#report(false, { ...facts, message });
    if (this.#missed >= this.#owner.settings.offlineAfter) this.#owner.contact(false);
  }

  #endWaiting(): void {
    this.#world.time.cancel(this.#waiting);
    this.#waiting = undefined;
  }

  #report(ok: boolean, facts: { status?: number; message?: string; unreachable?: boolean }): void {
    const nowMs = this.#world.time.nowMs();
    this.#world.listener?.({
      event: 'heartbeat',
      t: tenths(nowMs),
      device: this.#owner.serial,
      ok,
      latencyMs: tenths(nowMs - this.#sentAtMs),
      ...facts,
    });
  }
}
