import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ENGINES, type Part, SkippedError } from '../part.ts';
import { ask, newAgent } from '../world/ask.ts';
import { mustHold } from '../world/judge.ts';
import { sleep } from '../world/load.ts';
import { Random } from '../world/random.ts';
import { copyOf, createWorld, type World } from '../world/world.ts';
import { FaultRun } from './run.ts';

const LIBRARY = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/faketime/libfaketimeMT.so.1`;
const DAY_MS = 86_400_000;
/** How many days the clock is ahead. */
const STEPS = [1, 0, -1, 0, 1, -1];
const ROUNDS = 60;

export function canStepClock(): boolean {
  return existsSync(LIBRARY);
}

const RETRY_WINDOW_MS = 100;
const VISIT_EVERY_MS = 150;

/** The wall clock of a server, which somebody sets while it runs. */
export class SetClock {
  readonly #file: string;

  /** @param file where to write by how much it is off */
  constructor(file: string) {
    this.#file = file;
    this.set(0);
  }

  /** What the server must be started with. */
  get environment(): Record<string, string> {
    return fakeClock(this.#file);
  }

  set(seconds: number): void {
    writeFileSync(`${this.#file}.new`, `${seconds < 0 ? '' : '+'}${seconds}s\n`);
    renameSync(`${this.#file}.new`, this.#file);
  }
}

/** The environment of a server whose wall clock is moved by what a file says. */
export function fakeClock(file: string): Record<string, string> {
  return {
    LD_PRELOAD: LIBRARY,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
}

/** Somebody sets the clock: limits, order and times of a ticket hold all the same. */
export const clock: Part = {
  name: 'clock',
  about: "the server's wall clock steps by a day, either way, under load",
  engines: ENGINES,
  async run({ seed, engine }) {
    if (!canStepClock()) throw new SkippedError('libfaketime is not installed');
    const world = await createWorld(engine, 80);
    const { days, granted } = await stepClock(world, ROUNDS, seed);
    rmSync(world.folder, { recursive: true, force: true });
    return `${ROUNDS} steps, uses on ${days} different days, ${granted} uses acknowledged`;
  },
};

/** @throws Error when a promise was broken, or the clock did not step */
export async function stepClock(
  world: World,
  steps: number,
  seed: number,
): Promise<{ days: number; granted: number }> {
  const place = copyOf(world, 'clock');
  const wall = new SetClock(join(place.folder, 'faketime'));
  const random = new Random(seed);
  // A stored answer lives for a day by the wall clock: after a step it may be gone, which is no fault.
  const keysMix = ['rest', 'restScoped'] as const;
  const run = new FaultRun(world, place, random.fork(), { retries: false, clients: 8, keysMix });
  const { url } = await run.start({
    args: ['--device-retry-window-ms', String(RETRY_WINDOW_MS)],
    environment: wall.environment,
  });
  let isOver = false;
  const visits = visitAgain(world, run, url, () => isOver);
  for (let step = 0; step < steps; step += 1) {
    const days = STEPS[step % STEPS.length] ?? 0;
    run.recorder.clock(days * DAY_MS);
    wall.set((days * DAY_MS) / 1000);
    await sleep(random.between(50, 200));
  }
  isOver = true;
  await Promise.all([visits, run.load.stop()]);
  await run.stop('SIGTERM');
  const days = daysIn(run);
  if (days < 2) throw new Error('the clock did not step: all uses are on one day');
  mustHold(run.recorder, place, 'clock stepped');
  return { days, granted: run.load.granted };
}

/** One card comes back to one reader, always after the retry window: each visit must be a use of its own. */
async function visitAgain(
  world: World,
  { recorder }: FaultRun,
  url: string,
  isOver: () => boolean,
): Promise<void> {
  const { keys, tickets } = world.open;
  const { id: ticket = '', code = '' } = tickets['permanent']?.at(-1) ?? {};
  const scan = { action: 'consume', key: keys.hardware, code } as const;
  const agent = newAgent();
  while (!isOver()) {
    const id = recorder.invoke({ action: 'consume', key: keys.hardware.id, ticket });
    const heard = await ask(url, scan, agent);
    if (heard.type === 'unknown') recorder.unknown(id, heard.why);
    else recorder.answer(id, heard);
    await sleep(VISIT_EVERY_MS);
  }
  agent.destroy();
}

function daysIn({ recorder }: FaultRun): number {
  const days = recorder.lines.map((line) =>
    line.type === 'ok' ? line.scannedAt?.slice(0, 10) : undefined,
  );
  return new Set(days.filter((day) => day !== undefined)).size;
}
