import { setTimeout as wait } from 'node:timers/promises';
import { Chalk, type ChalkInstance } from 'chalk';
import { loadSettings } from '../../config/load-settings.ts';
import { SERVER_SETTINGS } from '../../config/settings.ts';
import type { CliIo } from '../../terminal/io.ts';

/** What both demonstrations have: their settings, their colours, how they show a step, and how they wait. */

interface Screen {
  readonly io: CliIo;
  readonly paint: ChalkInstance;
}

export function settingsWith(port: string) {
  const flags = { port, logLevel: 'error' };
  return loadSettings(SERVER_SETTINGS, { flags, environment: {}, configFile: undefined });
}

export function show({ io, paint }: Screen, title: string, lines: readonly string[]): void {
  io.out(`\n${paint.bold(title)}`);
  for (const line of lines) io.out(line === '' ? '' : `   ${line}`);
}

const POLL_MS = 20;

/** True as soon as `condition` holds, false when it does not within that time. */
export async function becomes(
  condition: () => boolean | Promise<boolean>,
  withinMs: number,
): Promise<boolean> {
  const until = performance.now() + withinMs;
  for (;;) {
    if (await condition()) return true;
    if (performance.now() >= until) return false;
    await wait(POLL_MS);
  }
}

/** Colours if the terminal supports them. */
export function painter({ stdoutIsTty, env }: CliIo): ChalkInstance {
  const wanted = stdoutIsTty && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  return new Chalk({ level: wanted ? 1 : 0 });
}
