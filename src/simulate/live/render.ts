import type { ChalkInstance } from 'chalk';
import { fitted, padded } from '../../kit/display-width.ts';
import { counted } from '../../kit/text.ts';
import type { DevicePicture, LiveState } from './live-state.ts';

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
