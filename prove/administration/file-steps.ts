import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Disk } from '../power-cut/disk.ts';
import { readTrace, type Step } from '../power-cut/syscalls.ts';
import { TracedShell } from '../power-cut/traced-shell.ts';
import type { ProgramPlace } from '../world/program.ts';
import { Random } from '../world/random.ts';

/** How a folder is found after the command was stopped at a system call. */
export interface Image {
  readonly step: number;
  readonly how: 'kill -9' | 'power cut';
  readonly files: Files;
}

type Files = ReadonlyMap<string, Buffer>;

/** A command with each of its changes to the disk. */
export interface Recorded {
  readonly steps: readonly Step[];
  /** The disk as it was when the command began. */
  readonly disk: Disk;
  readonly before: Files;
  readonly after: Files;
}

/** Runs a command to its end with everything traced that it does in its folder. @throws Error when it fails */
export async function recordCommand(
  place: ProgramPlace,
  args: readonly string[],
): Promise<Recorded> {
  const [disk, before] = [new Disk(place.folder), filesIn(place.folder)];
  const output = mkdtempSync(join(place.folder, '..', 'traced-'));
  const shell = new TracedShell(place, output);
  const isDone = await shell.run(args, 'done');
  await shell.stop('TERM');
  if (!isDone) throw new Error(`ticketscan ${args.join(' ')} failed: see ${output}`);
  const steps = (await readTrace(shell.tracePath, place.folder)).filter(
    ({ kind }) => kind !== 'told',
  );
  rmSync(output, { recursive: true });
  return { steps, disk, before, after: filesIn(place.folder) };
}

/**
 * The folder before each step, as kill -9 leaves it, and as a power cut may. A step that changes nothing for the next program has
 * no image of its own.
 * @param isWanted of the number of a step
 */
export function* imagesOf(
  { steps, disk }: Recorded,
  seed: number,
  isWanted: (step: number) => boolean,
): Generator<Image> {
  const random = new Random(seed);
  for (const [index, step] of steps.entries()) {
    const cut = random.fork();
    if (isWanted(index)) {
      // A sync changes nothing for the next program, unless the power is cut.
      if (step.kind.startsWith('sync'))
        yield { step: index, how: 'power cut', files: disk.afterCut(cut) };
      else yield { step: index, how: 'kill -9', files: disk.afterKill() };
    }
    disk.apply(step);
  }
}

function filesIn(folder: string): Files {
  const names = readdirSync(folder).filter((name) => !name.endsWith('-shm'));
  return new Map(names.map((name) => [name, readFileSync(join(folder, name))]));
}

export function writeImage(folder: string, files: Files): void {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
  for (const [name, content] of files) writeFileSync(join(folder, name), content, { mode: 0o600 });
}
