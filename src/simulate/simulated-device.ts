import { CardReader } from './card-reader.ts';
import { type DeviceEvent, type EventFacts, tenths } from './device-events.ts';
import type { DeviceSettings, DeviceWorld } from './device-settings.ts';
import { BLANK, type Display } from './display.ts';
import { Door } from './door.ts';
import { Heartbeat } from './heartbeat.ts';
import type { RequestFacts } from './models/device-model.ts';
import type { Presentation } from './scan-attempt.ts';
import type { Timer } from './time.ts';

/** `offline` is an idle device that gets no answers. */
export type DeviceState = 'off' | 'offline' | 'idle' | 'reading' | 'waiting' | 'granted' | 'denied';

/** The fault `wrong-clock` sets a clock wrong by up to a good year either way. */
const CLOCK_FAULT_MS = 400 * 24 * 3_600_000;

/**
 * One device at a gate: reader, display, relay, network and power.
 *
 * idle → reading → waiting → granted (relay on, a person passes or turns back) or denied (red light) → idle.
 * Without an answer within the Wait Time the door stays closed (fail-secure) or opens (fail-safe), and an answer that
 * comes later is ignored. Everything runs on the time, transport and random numbers that it is given.
 */
export class SimulatedDevice {
  readonly serial: string;
  readonly settings: DeviceSettings;
  /** Called whenever the next person can step up to the reader. */
  onFree: (() => void) | undefined;
  readonly #world: DeviceWorld;
  readonly #door: Door;
  readonly #reader: CardReader;
  readonly #heartbeat: Heartbeat | undefined;
  #phase: Exclude<DeviceState, 'offline'> = 'off';
  #online = false;
  #networkUp = true;
  #display: Display = BLANK;
  #phaseTimer: Timer | undefined;
  #clockFaultMs = 0;
  #opening = false;

  constructor(serial: string, settings: DeviceSettings, world: DeviceWorld) {
    this.serial = serial;
    this.settings = settings;
    this.#world = world;
    this.#door = new Door(world.time, this);
    this.#reader = new CardReader(this, world);
    const { heart } = settings.model;
    this.#heartbeat =
      heart && settings.heartbeatMs > 0 ? new Heartbeat(heart, this, world) : undefined;
  }

  get state(): DeviceState {
    return this.#phase === 'idle' && !this.#online ? 'offline' : this.#phase;
  }

  get online(): boolean {
    return this.#online;
  }

  get networkUp(): boolean {
    return this.#networkUp;
  }

  get display(): Display {
    return this.#display;
  }

  /** The relay that is on (`IN`, `OUT`, `LOCK1` …), or undefined while the door is closed. */
  get relay(): string | undefined {
    return this.#door.relay;
  }

  /** True when a person can step up to the reader. */
  get free(): boolean {
    const phase = this.#phase;
    return phase !== 'off' && phase !== 'reading' && phase !== 'waiting' && !this.#door.occupied;
  }

  /**
   * Switches on. Without a heartbeat to tell, a device takes the server for reachable until a card shows otherwise.
   * @param firstHeartbeatMs when the first heartbeat leaves; a fleet spreads them
   */
  powerOn(firstHeartbeatMs = 0): void {
    if (this.#phase !== 'off') return;
    this.#world.transport.close();
    this.#phase = 'idle';
    this.emit({ event: 'power-on' });
    if (this.#heartbeat) this.#heartbeat.start(firstHeartbeatMs);
    else this.contact(true);
    this.onFree?.();
  }

  /** Cuts the power: the relay switches off, and pending requests are lost. */
  powerOff(): void {
    if (this.#phase === 'off') return;
    this.#fallSilent(true);
    this.#online = false;
    this.emit({ event: 'power-off' });
  }

  /** Off, and on again after the time that the device takes to start. */
  powerCycle(): void {
    this.powerOff();
    const { time } = this.#world;
    time.cancel(this.#phaseTimer);
    this.#phaseTimer = time.after(this.settings.bootMs, () => this.powerOn());
  }

  /** Cuts the network. */
  cutNetwork(): void {
    if (!this.#networkUp) return;
    this.#networkUp = false;
    this.emit({ event: 'network-cut' });
  }

  restoreNetwork(): void {
    if (this.#networkUp) return;
    this.#networkUp = true;
    this.#world.transport.close();
    this.emit({ event: 'network-restored' });
  }

  /** Releases timers and connections, without an event. */
  close(): void {
    this.#fallSilent(false);
    this.#world.transport.close();
  }

  /** Holds a card in front of the reader. Returns false when the device ignores it; an event says why. */
  present(presentation: Presentation): boolean {
    const { card } = presentation;
    const why = this.#reasonToIgnore(card.code);
    if (why) {
      this.emit({ event: 'ignored', card: card.label, why });
      return false;
    }
    this.enter('reading', BLANK);
    this.emit({ event: 'read', card: card.label });
    const { readMs } = this.settings;
    if (readMs === 0) this.#reader.post(presentation);
    else {
      this.#phaseTimer = this.#world.time.after(readMs, () => this.#reader.post(presentation));
    }
    return true;
  }

  #reasonToIgnore(code: string): 'off' | 'busy' | 'repeat' | undefined {
    if (this.#phase === 'off') return 'off';
    if (this.#phase === 'reading' || this.#phase === 'waiting') return 'busy';
    return this.#reader.isRepeat(code) ? 'repeat' : undefined;
  }

  /** @internal */
  enter(phase: Exclude<DeviceState, 'offline'>, display: Display): void {
    this.#world.time.cancel(this.#phaseTimer);
    this.#phaseTimer = undefined;
    this.#phase = phase;
    this.#display = display;
  }

  /** @internal switches the relay on */
  open(relay: string, seconds: number | undefined): void {
    const openSeconds = seconds ?? this.settings.openSeconds;
    const { passMs, turnBack } = this.settings;
    this.emit({ event: 'door-open', relay, seconds: openSeconds });
    const turnsBack = turnBack > 0 && this.#world.random.next() < turnBack;
    this.#opening = true;
    this.#door.open(relay, openSeconds, passMs, turnsBack);
    this.#opening = false;
  }

  /** @internal */
  lightRed(): void {
    this.#phaseTimer = this.#world.time.after(this.settings.deniedMs, () => {
      if (this.#phase === 'denied') this.enter('idle', BLANK);
    });
  }

  /** @internal the outcome of a scan is known */
  scanOver(): void {
    if (this.free) this.onFree?.();
  }

  /** @internal the door is shut again */
  doorClosed(): void {
    this.emit({ event: 'door-closed' });
    if (this.#phase === 'granted') this.enter('idle', BLANK);
  }

  /** @internal the passage is free again */
  personGone(turnedBack: boolean): void {
    this.emit({ event: turnedBack ? 'turned-back' : 'passed' });
    this.#report(turnedBack);
    if (!this.#opening && this.free) this.onFree?.();
  }

  #report(turnedBack: boolean): void {
    const { passage } = this.settings.model;
    if (!passage || !this.#networkUp) return;
    const told = (facts: { ok: boolean; status?: number; message?: string }) => {
      if (this.#networkUp) this.emit({ event: 'passage', turnedBack, ...facts });
    };
    const report = { operation: 'passage', ...passage(turnedBack, this.facts()) } as const;
    this.#world.transport.send(report, {
      answered: ({ status }) =>
        told(
          status === 200 ? { ok: true, status } : { ok: false, status, message: `HTTP ${status}` },
        ),
      failed: ({ message }) => told({ ok: false, message }),
      unseen() {
        // Only cards meet faults on the wire.
      },
    });
  }

  /** @internal what heartbeats, or cards where there are none, tell of the server */
  contact(online: boolean): void {
    if (this.#online === online || this.#phase === 'off') return;
    this.#online = online;
    this.emit({ event: online ? 'online' : 'offline' });
  }

  /** @internal what the device knows when it builds a request */
  facts(index: number = this.#reader.index): RequestFacts {
    const { reader, clockOffsetMs } = this.settings;
    const clockMs = this.#world.time.wallMs() + clockOffsetMs + this.#clockFaultMs;
    return { serial: this.serial, reader, index, clockMs };
  }

  /** @internal the fault `wrong-clock`: only heartbeats tell the time */
  clockFault(): void {
    this.#clockFaultMs = Math.round((this.#world.random.next() - 0.5) * 2 * CLOCK_FAULT_MS);
    this.#heartbeat?.beat();
  }

  /** @internal */
  emit(event: EventFacts): void {
    const { listener, time } = this.#world;
    if (!listener) return;
    const t = tenths(time.nowMs());
    // What, when and where come first; assigning keeps their order and fills in the rest.
    listener(Object.assign({ event: event.event, t, device: this.serial }, event) as DeviceEvent);
  }

  #fallSilent(told: boolean): void {
    this.#heartbeat?.stop();
    this.#door.drop();
    this.enter('off', BLANK);
    this.#reader.reset(told);
  }
}
