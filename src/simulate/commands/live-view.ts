import type { ChalkInstance } from 'chalk';
import { fitted, padded } from '../../kit/display-width.ts';
import { counted } from '../../kit/text.ts';
import type { DeviceEvent } from '../device-events.ts';

export interface Frame {
  readonly columns: number;
  readonly rows: number;
  readonly paint: ChalkInstance;
  /** Position of the device that the keys act upon. */
  readonly selected: number;
  readonly title: string;
  readonly keys: string;
}

/** With the space to the next panel. */
const PANEL_COLUMNS = 47;
const INNER_COLUMNS = PANEL_COLUMNS - 5;
const PANEL_ROWS = 11;
/** The display: 32 bytes of Note are at most 32 letters. */
const DISPLAY_COLUMNS = 32;
const LAMPS = {
  off: 'no power',
  dark: 'idle',
  yellow: 'waiting',
  green: 'GREEN',
  red: 'RED',
} as const;

/** The picture of all devices that fit, and the totals of all of them. */
export function renderLive(state: LiveState, frame: Frame): string[] {
  const { devices } = state;
  const across = Math.max(1, Math.floor(frame.columns / PANEL_COLUMNS));
  const down = Math.max(1, Math.floor((frame.rows - 3) / PANEL_ROWS));
  const first = firstShown(frame.selected, across * down, devices.length);
  const shown = devices.slice(first, first + across * down);
  const lines = [frame.paint.bold(safelyFitted(frame.title, frame.columns))];
  for (let row = 0; row < shown.length; row += across) {
    const panels = shown
      .slice(row, row + across)
      .map((device, index) => panel(device, first + row + index === frame.selected, frame.paint));
    for (let line = 0; line < PANEL_ROWS; line += 1) {
      lines.push(panels.map((one) => one[line] ?? '').join(''));
    }
  }
  const hidden = devices.length - shown.length;
  const more = hidden > 0 ? `   (${hidden} more devices do not fit)` : '';
  lines.push(
    safelyFitted(`${totals(state)}${more}`, frame.columns),
    safelyFitted(frame.keys, frame.columns),
  );
  return lines;
}

/** Pages of devices, so that the selected one is always in sight. */
function firstShown(selected: number, perPage: number, count: number): number {
  return Math.max(0, Math.min(selected - (selected % perPage), count - 1));
}

function totals({ totals: counts, nowMs }: LiveState): string {
  const { granted, denied, errors, timeouts, lost } = counts;
  const parts = [
    `${(nowMs / 1000).toFixed(1)} s`,
    `granted ${granted}`,
    `denied ${denied}`,
    `errors ${errors}`,
    `timeouts ${timeouts}`,
    `uses lost ${lost}`,
  ];
  return parts.join('   ');
}

function panel(device: DevicePicture, selected: boolean, paint: ChalkInstance): string[] {
  const edge = selected ? paint.bold : paint.dim;
  const colour = lampColour(device.lamp, paint);
  const row = (plain: string, colours: (text: string) => string = (text) => text): string =>
    `${edge('│')} ${colours(padded(safelyFitted(plain, INNER_COLUMNS), INNER_COLUMNS))} ${edge('│')} `;
  const door = device.relay ? `door OPEN (${device.relay})` : 'door closed';
  const bar = '─'.repeat(DISPLAY_COLUMNS + 2);
  const display = (text: string) =>
    `│ ${padded(safelyFitted(text, DISPLAY_COLUMNS), DISPLAY_COLUMNS)} │`;
  const head = ` ${selected ? '▸ ' : ''}${device.serial} `;
  return [
    `${edge(`┌${head}${'─'.repeat(Math.max(0, PANEL_COLUMNS - 3 - head.length))}┐`)} `,
    row(`● ${LAMPS[device.lamp].padEnd(10)}${door}`, colour),
    row(`┌${bar}┐`),
    row(display(device.name)),
    row(display(device.note)),
    row(`└${bar}┘`),
    row(contact(device), device.online ? paint.green : paint.yellow),
    ...[0, 1, 2].map((index) => row(device.last[index] ?? '', paint.dim)),
    `${edge(`└${'─'.repeat(PANEL_COLUMNS - 3)}┘`)} `,
  ];
}

function contact({ online, networkUp, scans, latencyMs }: DevicePicture): string {
  const network = networkUp ? '' : ', network CUT';
  const latency = latencyMs === undefined ? '' : `   last ${latencyMs.toFixed(1)} ms`;
  return `${online ? 'online' : 'offline'}${network}   ${counted(scans, 'scan')}${latency}`;
}

function lampColour(lamp: DevicePicture['lamp'], paint: ChalkInstance): ChalkInstance {
  if (lamp === 'green') return paint.green;
  if (lamp === 'red') return paint.red;
  return lamp === 'yellow' ? paint.yellow : paint.dim;
}

/** What could move the cursor or turn the direction of the text around it. */
const STEERING = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Fits a number of columns; control characters are replaced. */
const safelyFitted = (text: string, columns: number) =>
  fitted(text.replaceAll(STEERING, '\u00B7'), columns);

/** The visible state of a device. */
export interface DevicePicture {
  readonly serial: string;
  lamp: 'off' | 'dark' | 'yellow' | 'green' | 'red';
  online: boolean;
  networkUp: boolean;
  /** The relay that is on, or undefined while the door is closed. */
  relay: string | undefined;
  name: string;
  note: string;
  latencyMs: number | undefined;
  scans: number;
  /** The newest first. */
  readonly last: string[];
}

const LAST_ANSWERS = 3;

/** The devices as they stand after the events so far. */
export class LiveState {
  readonly #devices = new Map<string, DevicePicture>();
  readonly totals = { granted: 0, denied: 0, errors: 0, timeouts: 0, lost: 0 };
  /** Milliseconds since the start. */
  nowMs = 0;

  get devices(): readonly DevicePicture[] {
    return [...this.#devices.values()];
  }

  observe(event: DeviceEvent): void {
    this.nowMs = event.t;
    const device = this.#deviceOf(event.device);
    this.#count(event);
    switch (event.event) {
      case 'granted':
      case 'denied':
        show(device, event.event === 'granted' ? 'green' : 'red', event.name, event.note);
        note(device, event.event.toUpperCase(), event.card, event.latencyMs);
        return;
      case 'timeout':
      case 'error':
        show(device, event.door === 'open' ? 'green' : 'red', '', 'no answer');
        note(
          device,
          event.event === 'timeout' ? 'NO ANSWER' : 'ERROR',
          event.card,
          event.latencyMs,
        );
        return;
      case 'post':
        show(device, 'yellow', '', '');
        return;
      case 'door-open':
        device.relay = event.relay;
        return;
      default:
        switchOver(device, event);
    }
  }

  #count(event: DeviceEvent): void {
    if (event.event === 'granted') this.totals.granted += 1;
    if (event.event === 'denied') this.totals.denied += 1;
    if (event.event === 'timeout') this.totals.timeouts += 1;
    if (event.event === 'error') this.totals.errors += 1;
    if (event.event === 'unseen') this.totals.lost += event.usesSpent;
  }

  #deviceOf(serial: string): DevicePicture {
    let device = this.#devices.get(serial);
    if (!device) {
      device = {
        serial,
        lamp: 'off',
        online: false,
        networkUp: true,
        relay: undefined,
        name: '',
        note: '',
        latencyMs: undefined,
        scans: 0,
        last: [],
      };
      this.#devices.set(serial, device);
    }
    return device;
  }
}

function switchOver(device: DevicePicture, event: DeviceEvent): void {
  switch (event.event) {
    case 'power-on':
      show(device, 'dark', '', '');
      return;
    case 'power-off':
      show(device, 'off', '', '');
      device.online = false;
      device.relay = undefined;
      return;
    case 'door-closed':
      device.relay = undefined;
      if (device.lamp === 'green') show(device, 'dark', '', '');
      return;
    case 'online':
    case 'offline':
      device.online = event.event === 'online';
      return;
    case 'network-cut':
    case 'network-restored':
      device.networkUp = event.event === 'network-restored';
      return;
    case 'ignored':
      device.last.unshift(`ignored (${event.why})  ${event.card}`);
      device.last.length = Math.min(device.last.length, LAST_ANSWERS);
      return;
    default:
  }
}

function show(
  device: DevicePicture,
  lamp: DevicePicture['lamp'],
  name: string,
  text: string,
): void {
  device.lamp = lamp;
  device.name = name;
  device.note = text;
}

function note(device: DevicePicture, result: string, card: string, latencyMs: number): void {
  device.latencyMs = latencyMs;
  device.scans += 1;
  device.last.unshift(`${result.padEnd(9)} ${latencyMs.toFixed(1).padStart(6)} ms  ${card}`);
  device.last.length = Math.min(device.last.length, LAST_ANSWERS);
}
