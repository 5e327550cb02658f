import type { ChalkInstance } from 'chalk';
import { fitted, padded } from '../../kit/display-width.ts';
import { counted } from '../../kit/text.ts';
import type { DeviceEvent } from '../device-events.ts';
import type { SimulatedFleet } from '../fleet/fleet.ts';
import type { DeviceState, SimulatedDevice } from '../simulated-device.ts';

type LiveFleet = Pick<SimulatedFleet, 'devices' | 'statistics' | 'time'>;

export interface Frame {
  readonly columns: number;
  readonly rows: number;
  readonly paint: ChalkInstance;
  /** Position of the device that the keys act upon. */
  readonly selected: number;
  readonly title: string;
  readonly keys: string;
}

/** The width of a panel with the space to the next one. */
const PANEL_COLUMNS = 47;
const INNER_COLUMNS = PANEL_COLUMNS - 5;
const PANEL_ROWS = 11;
/** The display: 32 bytes of Note are at most 32 letters. */
const DISPLAY_COLUMNS = 32;
const LAST_ANSWERS = 3;
const LAMPS: Readonly<Record<DeviceState, string>> = {
  off: 'no power',
  offline: 'idle',
  idle: 'idle',
  reading: 'idle',
  waiting: 'waiting',
  granted: 'GREEN',
  denied: 'RED',
};

/** What a device answered last, and how often. */
interface Answers {
  scans: number;
  latencyMs: number;
  /** The newest first. */
  last: string[];
}

/** The latest answers of each device. */
export class LatestAnswers {
  readonly #bySerial = new Map<string, Answers>();

  of(serial: string): Answers {
    return this.#bySerial.get(serial) ?? { scans: 0, latencyMs: 0, last: [] };
  }

  observe(event: DeviceEvent): void {
    const { scans, latencyMs, last } = this.of(event.device);
    const tell = (answers: Omit<Answers, 'last'>, line: string) =>
      this.#bySerial.set(event.device, {
        ...answers,
        last: [line, ...last].slice(0, LAST_ANSWERS),
      });
    if (event.event === 'ignored') {
      tell({ scans, latencyMs }, `ignored (${event.why})  ${event.card}`);
    } else if (isOutcome(event)) {
      const result = event.event === 'timeout' ? 'NO ANSWER' : event.event.toUpperCase();
      const ms = event.latencyMs.toFixed(1).padStart(6);
      const line = `${result.padEnd(9)} ${ms} ms  ${event.card}`;
      tell({ scans: scans + 1, latencyMs: event.latencyMs }, line);
    }
  }
}

function isOutcome(
  event: DeviceEvent,
): event is Extract<DeviceEvent, { card: string; latencyMs: number }> {
  return 'card' in event && 'latencyMs' in event;
}

/** The picture of all devices that fit, and the totals of all of them. */
export function renderLive(fleet: LiveFleet, answers: LatestAnswers, frame: Frame): string[] {
  const { devices } = fleet;
  const across = Math.max(1, Math.floor(frame.columns / PANEL_COLUMNS));
  const down = Math.max(1, Math.floor((frame.rows - 3) / PANEL_ROWS));
  const first = firstShown(frame.selected, across * down, devices.length);
  const shown = devices.slice(first, first + across * down);
  const lines = [frame.paint.bold(safelyFitted(frame.title, frame.columns))];
  for (let row = 0; row < shown.length; row += across) {
    const panels = shown
      .slice(row, row + across)
      .map((device, index) =>
        panel(
          device,
          answers.of(device.serial),
          first + row + index === frame.selected,
          frame.paint,
        ),
      );
    for (let line = 0; line < PANEL_ROWS; line += 1) {
      lines.push(panels.map((one) => one[line] ?? '').join(''));
    }
  }
  const hidden = devices.length - shown.length;
  const more = hidden > 0 ? `   (${hidden} more devices do not fit)` : '';
  lines.push(
    safelyFitted(`${totals(fleet)}${more}`, frame.columns),
    safelyFitted(frame.keys, frame.columns),
  );
  return lines;
}

/** Pages of devices, so that the selected one is always in sight. */
function firstShown(selected: number, perPage: number, count: number): number {
  return Math.max(0, Math.min(selected - (selected % perPage), count - 1));
}

function totals({ statistics, time }: LiveFleet): string {
  const { granted, denied, error, timeout } = statistics.totals;
  const parts = [
    `${(time.nowMs() / 1000).toFixed(1)} s`,
    `granted ${granted}`,
    `denied ${denied}`,
    `errors ${error}`,
    `timeouts ${timeout}`,
    `uses lost ${statistics.ledger.usesLost}`,
  ];
  return parts.join('   ');
}

function panel(
  device: SimulatedDevice,
  answers: Answers,
  selected: boolean,
  paint: ChalkInstance,
): string[] {
  const edge = selected ? paint.bold : paint.dim;
  const colour = lampColour(device.state, paint);
  const row = (plain: string, colours: (text: string) => string = (text) => text): string =>
    `${edge('│')} ${colours(padded(safelyFitted(plain, INNER_COLUMNS), INNER_COLUMNS))} ${edge('│')} `;
  const door = device.relay ? `door OPEN (${device.relay})` : 'door closed';
  const bar = '─'.repeat(DISPLAY_COLUMNS + 2);
  const display = (text: string) =>
    `│ ${padded(safelyFitted(text, DISPLAY_COLUMNS), DISPLAY_COLUMNS)} │`;
  const head = ` ${selected ? '▸ ' : ''}${device.serial} `;
  return [
    `${edge(`┌${head}${'─'.repeat(Math.max(0, PANEL_COLUMNS - 3 - head.length))}┐`)} `,
    row(`● ${LAMPS[device.state].padEnd(10)}${door}`, colour),
    row(`┌${bar}┐`),
    row(display(device.display.name)),
    row(display(device.display.note)),
    row(`└${bar}┘`),
    row(contact(device, answers), device.online ? paint.green : paint.yellow),
    ...[0, 1, 2].map((index) => row(answers.last[index] ?? '', paint.dim)),
    `${edge(`└${'─'.repeat(PANEL_COLUMNS - 3)}┘`)} `,
  ];
}

function contact({ online, networkUp }: SimulatedDevice, { scans, latencyMs }: Answers): string {
  const network = networkUp ? '' : ', network CUT';
  const latency = scans === 0 ? '' : `   last ${latencyMs.toFixed(1)} ms`;
  return `${online ? 'online' : 'offline'}${network}   ${counted(scans, 'scan')}${latency}`;
}

function lampColour(state: DeviceState, paint: ChalkInstance): ChalkInstance {
  if (state === 'granted') return paint.green;
  if (state === 'denied') return paint.red;
  return state === 'waiting' ? paint.yellow : paint.dim;
}

/** What could move the cursor or turn the direction of the text around it. */
const STEERING = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Fits a number of columns; control characters are replaced. */
const safelyFitted = (text: string, columns: number) =>
  fitted(text.replaceAll(STEERING, '\u00B7'), columns);
