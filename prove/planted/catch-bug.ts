import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Problem, Rule } from '../history/problem.ts';
import { cutPower } from '../power-cut/cuts.ts';
import { record } from '../power-cut/recording.ts';
import { Random } from '../world/random.ts';
import type { World } from '../world/world.ts';
import type { PlantedBug } from './bug.ts';
import { plant } from './plant.ts';
import { rush } from './rush.ts';

const REQUESTS = 1000;
const CUT_REQUESTS = 300;
const CUTS = 40;
const SIMULATED_SCANS = 20_000;
/** A bug that needs a rare step of the clock does not show on every day. */
const DAYS = 4;

/** Plants a bug and looks for it; returns what the history checker found. */
export async function problemsWith(
  bug: PlantedBug,
  world: World,
  seed: number,
): Promise<Problem[]> {
  const program = plant(bug);
  try {
    if (bug.scenario === 'power-cut') return await problemsAfterCuts(program, world, seed);
    if (bug.scenario === 'simulation') return problemsOnDays(program, seed);
    const servers = bug.scenario === 'two-servers' ? 2 : 1;
    const { problems, place } = await rush({
      world,
      program,
      seed,
      servers,
      requests: REQUESTS,
      end: 'SIGTERM',
    });
    rmSync(place.folder, { recursive: true, force: true });
    return problems;
  } finally {
    rmSync(resolve(dirname(program), '../..'), { recursive: true, force: true });
  }
}

function problemsOnDays(program: string, seed: number): Problem[] {
  for (let day = 0; day < DAYS; day += 1) {
    const problems = problemsInSimulation(program, seed + day);
    if (problems.length > 0) return problems;
  }
  return [];
}

/** Runs the simulation in the copy, on the sources with the bug. It tells the first problem that it finds. */
function problemsInSimulation(program: string, seed: number): Problem[] {
  const script = ['prove/main.ts', 'simulation', '--scans', String(SIMULATED_SCANS)];
  const { stdout } = spawnSync(process.execPath, [...script, '--seed', String(seed)], {
    cwd: resolve(dirname(program), '../..'),
    encoding: 'utf8',
  });
  const [, rule, text = ''] = /^ {2}([a-z-]+): (.*)$/m.exec(stdout) ?? [];
  return rule === undefined ? [] : [{ rule: rule as Rule, text }];
}

async function problemsAfterCuts(program: string, world: World, seed: number): Promise<Problem[]> {
  const random = new Random(seed);
  const recording = await record({ world, program, random, servers: 1, requests: CUT_REQUESTS });
  const { broken } = cutPower(world, recording, CUTS, random);
  rmSync(recording.folder, { recursive: true, force: true });
  return broken.flatMap(({ problems }) => problems);
}

/** The bug was found, and for the reason it was planted for. */
export function isCaught(bug: PlantedBug, problems: readonly Problem[]): boolean {
  return problems.some(({ rule }) => bug.breaks.includes(rule));
}
