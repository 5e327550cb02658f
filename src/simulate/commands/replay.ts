import { setTimeout as wait } from 'node:timers/promises';
import { sanitizeForTerminal } from '../../kit/text.ts';
import type { CliIo } from '../../terminal/io.ts';
import type { DeviceEvent } from '../device-events.ts';
import { SimulateError } from '../errors.ts';
import { LiveState } from '../live/live-state.ts';
import { renderLive } from '../live/render.ts';
import { parseNumber } from '../parse.ts';
import type { SimulateOptions } from './options.ts';
import { plainLine } from './plain-output.ts';
import { readText } from './read-text.ts';
import { hasTerminal, Terminal } from './terminal.ts';

const LINGER_MS = 1500;

/** Shows a stored session again: as a live view in a terminal, else as lines for people, or as the events that they are with `--json`. */
export async function replaySession(
  path: string,
  options: SimulateOptions,
  io: CliIo,
): Promise<void> {
  const events = eventsIn(readText(path), path);
  const live = hasTerminal(io) && options.live !== false && !options.json;
  const speed = parseNumber(options.speed ?? (io.stdoutIsTty ? '1' : '0'), 'a speed');
  if (live) await replayLive(events, speed, path, io);
  else {
    await paced(events, speed, io.stopSignal(), (event) => {
      const line = options.json ? JSON.stringify(event) : plainLine(event);
      if (line !== undefined) io.out(sanitizeForTerminal(line));
    });
  }
}

async function replayLive(
  events: readonly DeviceEvent[],
  speed: number,
  path: string,
  io: CliIo,
): Promise<void> {
  const state = new LiveState();
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, io.stopSignal()]);
  const title = `Replay of ${path}${speed === 1 || speed === 0 ? '' : `, ${speed} times as fast`}`;
  const terminal: Terminal = new Terminal(
    io,
    (columns, rows) => {
      const { paint } = terminal;
      const keys = '[q] quit';
      return renderLive(state, { columns, rows, paint, title, selected: undefined, keys });
    },
    (key) => {
      if (key === 'q' || key === '\x03') stop.abort();
    },
  );
  try {
    await paced(events, speed, signal, (event) => state.observe(event));
    await wait(LINGER_MS, undefined, { signal }).catch(() => undefined);
  } finally {
    terminal.close();
  }
  const { granted, denied, errors, timeouts } = state.totals;
  io.out(`granted ${granted}, denied ${denied}, errors ${errors}, timeouts ${timeouts}`);
}

/** @param speed 2 is twice as fast as it was; 0 is at once */
async function paced(
  events: readonly DeviceEvent[],
  speed: number,
  signal: AbortSignal,
  show: (event: DeviceEvent) => void,
): Promise<void> {
  const startedAt = performance.now();
  for (const event of events) {
    const dueMs = speed === 0 ? 0 : event.t / speed;
    const restMs = dueMs - (performance.now() - startedAt);
    if (restMs > 1) await wait(restMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    show(event);
  }
}

/** The events of devices; the lines around them (`start`, `summary`, verdicts) are left out. */
function eventsIn(text: string, path: string): DeviceEvent[] {
  const events: DeviceEvent[] = [];
  text.split('\n').forEach((line, index) => {
    if (line.trim() === '') return;
    const event = parsed(line);
    if (!event && line.startsWith('{"ticketscan":"recording"')) {
      throw new SimulateError(
        'usage',
        `${path} is a recording of requests, not of a simulated session: ticketscan replay ${path} shows it.`,
      );
    }
    if (!event) {
      throw new SimulateError(
        'usage',
        `${path}:${index + 1}: this line is not an event of a session, which \`simulate --json\` prints.`,
      );
    }
    if (typeof event['device'] === 'string') events.push(event as unknown as DeviceEvent);
  });
  return events;
}

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    const isEvent = typeof value === 'object' && value !== null && 'event' in value;
    return isEvent ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
