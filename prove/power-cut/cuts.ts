import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkHistory } from '../history/check-history.ts';
import type { Problem } from '../history/problem.ts';
import { readFacts } from '../history/read-facts.ts';
import { BUILT_PROGRAM } from '../world/program.ts';
import { Random } from '../world/random.ts';
import { newFolder, placeIn, type World } from '../world/world.ts';
import { Acknowledged } from './acknowledged.ts';
import { Disk } from './disk.ts';
import type { Recording } from './recording.ts';

export interface CutResult {
  readonly cuts: number;
  /** Acknowledged requests over all cuts: what could have been lost. */
  readonly acknowledged: number;
  /** Cuts after which a promise was broken, with the seed that makes the same image again. */
  readonly broken: { readonly step: number; readonly seed: number; readonly problems: Problem[] }[];
}

/** Memory is faster than a disk, and an image is only looked at once. */
const MEMORY = '/dev/shm';
/** Starting the program costs more than reading the store: it audits one image in so many. */
const AUDIT_EVERY = 20;

/**
 * Cuts the power at random moments of a recording. Each time the disk is made up from what was certainly on it and what
 * may have been, the store is opened, and the history up to that moment is held against it.
 */
export function cutPower(
  world: World,
  recording: Recording,
  cuts: number,
  random: Random,
): CutResult {
  const { steps, recorder } = recording;
  const moments = momentsOf(recording, cuts, random);
  const disk = new Disk(world.folder);
  const acknowledged = new Acknowledged(recorder.lines);
  const folder = existsSync(MEMORY)
    ? join(MEMORY, `ticketscan-prove-${process.pid}`)
    : newFolder('image');
  const result = { cuts: 0, acknowledged: 0, broken: [] as CutResult['broken'] };
  let done = 0;
  for (const moment of moments) {
    for (; done < moment; done += 1) {
      const step = steps[done];
      if (step?.kind === 'told') acknowledged.tell(step.data);
      else if (step) disk.apply(step);
    }
    const seed = random.between(0, 2 ** 31);
    writeImage(folder, disk.afterCut(new Random(seed)));
    const problems = problemsIn(folder, world, acknowledged, result.cuts % AUDIT_EVERY === 0);
    if (problems.length > 0) result.broken.push({ step: moment, seed, problems });
    result.cuts += 1;
    result.acknowledged += acknowledged.count;
  }
  rmSync(folder, { recursive: true, force: true });
  return result;
}

/** Half of the cuts anywhere, half next to a sync, where programs go wrong. */
function momentsOf({ steps }: Recording, cuts: number, random: Random): number[] {
  const syncs = steps.flatMap((step, index) => (step.kind.startsWith('sync') ? [index] : []));
  const moments = Array.from({ length: cuts }, (_, index) => {
    if (index % 2 === 0 || syncs.length === 0) return random.between(0, steps.length);
    return Math.min(steps.length, random.pick(syncs) + random.between(0, 3));
  });
  return moments.sort((a, b) => a - b);
}

function writeImage(folder: string, files: ReadonlyMap<string, Buffer>): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of files) writeFileSync(join(folder, name), content);
}

function problemsIn(
  folder: string,
  world: World,
  acknowledged: Acknowledged,
  audited: boolean,
): Problem[] {
  const { storeUrl } = placeIn(folder, world.engine);
  try {
    return [
      ...(audited ? audit(storeUrl, folder) : []),
      ...checkHistory(acknowledged.history(), readFacts(storeUrl)),
    ];
  } catch (error) {
    return [{ rule: 'file-is-sound', text: `the store cannot be opened: ${error}` }];
  }
}

/** The program itself must open what is left, and find it sound. */
function audit(storeUrl: string, folder: string): Problem[] {
  const args = [BUILT_PROGRAM, 'audit', '--store', storeUrl];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    encoding: 'utf8',
  });
  return status === 0
    ? []
    : [{ rule: 'file-is-sound', text: `audit ended with ${status}: ${stdout}${stderr}` }];
}
