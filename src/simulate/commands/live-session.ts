import { Chalk, type ChalkInstance } from 'chalk';
import type { CliIo } from '../../terminal/io.ts';
import type { Card, DeviceEvent } from '../device-events.ts';
import type { SimulatedFleet } from '../fleet/fleet.ts';
import type { SimulatedDevice } from '../simulated-device.ts';
import { LatestAnswers, renderLive } from './live-view.ts';

const KEYS =
  '[space] next card  [tab] device  [c] cut network  [p] power-cycle  [o] on/off  [q] quit';
const CTRL_C = '\x03';

/** A run in a terminal: every device as a panel, and keys that act on the selected one. */
export class LiveSession {
  readonly #answers = new LatestAnswers();
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

  /** Lets the keys act on these devices from now on. */
  control(fleet: SimulatedFleet): void {
    this.#fleet = fleet;
  }

  observe(event: DeviceEvent): void {
    this.#answers.observe(event);
  }

  close(): void {
    this.#terminal.close();
  }

  #lines(columns: number, rows: number): string[] {
    if (!this.#fleet) return [];
    const { paint } = this.#terminal;
    const frame = {
      columns,
      rows,
      paint,
      title: this.#title,
      selected: this.#selected,
      keys: KEYS,
    };
    return renderLive(this.#fleet, this.#answers, frame);
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

const ENTER = '\x1b[?1049h\x1b[?25l';
const LEAVE = '\x1b[?25h\x1b[?1049l';
const HOME = '\x1b[H';
const CLEAR_LINE = '\x1b[K';
const CLEAR_BELOW = '\x1b[J';
const ARROW = '\x1b[';
const REDRAW_EVERY_MS = 100;

/** The whole screen of a terminal and its keys, until `close`. */
export class Terminal {
  readonly paint: ChalkInstance;
  readonly #io: CliIo;
  readonly #draw: (columns: number, rows: number) => readonly string[];
  readonly #timer: NodeJS.Timeout;
  readonly #onKey: (key: string) => void;

  /**
   * @param draw gives the lines of the screen; called ten times a second
   * @param onKey called with each key as the terminal sends it
   */
  constructor(
    io: CliIo,
    draw: (columns: number, rows: number) => readonly string[],
    onKey: (key: string) => void,
  ) {
    this.#io = io;
    this.#draw = draw;
    const colours = !io.env['NO_COLOR'] && io.env['TERM'] !== 'dumb';
    this.paint = new Chalk({ level: colours ? 1 : 0 });
    this.#onKey = (keys: string): void => {
      for (const key of singleKeys(keys)) onKey(key);
    };
    io.stdout.write(ENTER);
    keyboard(io)?.setRawMode(true);
    io.stdin.setEncoding('utf8');
    io.stdin.on('data', this.#onKey);
    io.stdin.resume();
    this.#timer = setInterval(() => this.#redraw(), REDRAW_EVERY_MS);
  }

  close(): void {
    clearInterval(this.#timer);
    keyboard(this.#io)?.setRawMode(false);
    this.#io.stdin.off('data', this.#onKey);
    this.#io.stdin.pause();
    this.#io.stdout.write(LEAVE);
  }

  #redraw(): void {
    const { columns = 80, rows = 24 } = this.#io.stdout as Partial<NodeJS.WriteStream>;
    const lines = this.#draw(columns, rows).slice(0, rows);
    this.#io.stdout.write(
      `${HOME}${lines.map((line) => line + CLEAR_LINE).join('\r\n')}${CLEAR_BELOW}`,
    );
  }
}

/** Several keys may come at once; an arrow key is three characters. */
function singleKeys(text: string): string[] {
  const keys: string[] = [];
  for (let at = 0; at < text.length; ) {
    const length = text.startsWith(ARROW, at) ? ARROW.length + 1 : 1;
    keys.push(text.slice(at, at + length));
    at += length;
  }
  return keys;
}

/** True when there is a screen to draw on and a keyboard to read. */
export function hasTerminal(io: CliIo): boolean {
  return io.stdoutIsTty && keyboard(io) !== undefined && io.env['TERM'] !== 'dumb';
}

function keyboard(io: CliIo): NodeJS.ReadStream | undefined {
  const stdin = io.stdin as NodeJS.ReadStream;
  return stdin.isTTY ? stdin : undefined;
}
