import type { CliIo } from '../../terminal/io.ts';
import type { DeviceEvent } from '../device-events.ts';
import type { SimulatedFleet } from '../fleet/fleet.ts';
import { LiveState } from '../live/live-state.ts';
import { renderLive } from '../live/render.ts';
import type { Card } from '../scan-attempt.ts';
import type { SimulatedDevice } from '../simulated-device.ts';
import { Terminal } from './terminal.ts';

const KEYS =
  '[space] next card  [tab] device  [c] cut network  [p] power-cycle  [o] on/off  [q] quit';
const CTRL_C = '\x03';

/** A run in a terminal: every device as a panel, and keys that act on the selected one. */
export class LiveSession {
  readonly #state = new LiveState();
  readonly #title: string;
  readonly #cards: readonly Card[];
  readonly #terminal: Terminal;
  readonly #quit: () => void;
  #fleet: SimulatedFleet | undefined;
  #selected = 0;
  #nextCard = 0;

  /** @param quit called when the person wants to stop */
  constructor(io: CliIo, title: string, cards: readonly Card[], quit: () => void) {
    this.#title = title;
    this.#cards = cards;
    this.#quit = quit;
    this.#terminal = new Terminal(
      io,
      (columns, rows) => this.#lines(columns, rows),
      (key) => this.#press(key),
    );
  }

  /** From now on the keys act on these devices. */
  control(fleet: SimulatedFleet): void {
    this.#fleet = fleet;
  }

  observe(event: DeviceEvent): void {
    this.#state.observe(event);
  }

  close(): void {
    this.#terminal.close();
  }

  #lines(columns: number, rows: number): string[] {
    const { paint } = this.#terminal;
    return renderLive(this.#state, {
      columns,
      rows,
      paint,
      title: this.#title,
      selected: this.#selected,
      keys: KEYS,
    });
  }

  #press(key: string): void {
    const devices = this.#fleet?.devices ?? [];
    const device = devices[this.#selected];
    if (key === 'q' || key === CTRL_C) this.#quit();
    else if (key === '\t' || key === '\x1b[C') this.#select(1, devices.length);
    else if (key === '\x1b[D') this.#select(-1, devices.length);
    else if (device) this.#act(key, device);
  }

  #act(key: string, device: SimulatedDevice): void {
    if (key === ' ' || key === 'n') this.#scanNext(device);
    if (key === 'c') device.networkUp ? device.cutNetwork() : device.restoreNetwork();
    if (key === 'p') device.powerCycle();
    if (key === 'o') device.state === 'off' ? device.powerOn() : device.powerOff();
  }

  #scanNext(device: SimulatedDevice): void {
    const card = this.#cards[this.#nextCard % this.#cards.length];
    this.#nextCard += 1;
    if (card) this.#fleet?.scanAt(device, card);
  }

  #select(step: number, count: number): void {
    if (count > 0) this.#selected = (this.#selected + step + count) % count;
  }
}
