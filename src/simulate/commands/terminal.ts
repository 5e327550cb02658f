import { Chalk, type ChalkInstance } from 'chalk';
import type { CliIo } from '../../terminal/io.ts';

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
