import type { Time, Timer } from './time.ts';

/** What a door reports to its device. */
export interface DoorKeeper {
  doorClosed(): void;
  /** The person went through, or turned back at the open door. */
  personGone(turnedBack: boolean): void;
}

/** A relay and the passage behind it: on for some seconds, then off again. */
export class Door {
  readonly #time: Time;
  readonly #keeper: DoorKeeper;
  #relay: string | undefined;
  #closing: Timer | undefined;
  #passing: Timer | undefined;

  constructor(time: Time, keeper: DoorKeeper) {
    this.#time = time;
    this.#keeper = keeper;
  }

  /** The relay that is on, or undefined while the door is closed. */
  get relay(): string | undefined {
    return this.#relay;
  }

  /** True while a person is on the way through. */
  get occupied(): boolean {
    return this.#passing !== undefined;
  }

  /** Switches the relay on; a door that is open already stays so for the full time from now. */
  open(relay: string, seconds: number, passMs: number, turnsBack: boolean): void {
    this.#relay = relay;
    this.#time.cancel(this.#closing);
    this.#closing = this.#time.after(seconds * 1000, () => this.#close());
    this.#time.cancel(this.#passing);
    this.#passing = undefined;
    if (passMs === 0) this.#keeper.personGone(turnsBack);
    else this.#passing = this.#time.after(passMs, () => this.#pass(turnsBack));
  }

  /** The power failed: the relay switches off without an event. */
  drop(): void {
    this.#relay = undefined;
    this.#time.cancel(this.#closing);
    this.#time.cancel(this.#passing);
    this.#closing = undefined;
    this.#passing = undefined;
  }

  #pass(turnsBack: boolean): void {
    this.#passing = undefined;
    this.#keeper.personGone(turnsBack);
  }

  #close(): void {
    this.#closing = undefined;
    this.#relay = undefined;
    this.#keeper.doorClosed();
  }
}
