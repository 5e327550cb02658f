import { copyFileSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ENGINES, type Part } from '../part.ts';
import { Random } from '../world/random.ts';
import { monotonicMs } from '../world/recorder.ts';
import { copyOf, createWorld, STORE_FILES, type World } from '../world/world.ts';
import { FaultRun, until } from './run.ts';

type Deed = (folder: string, world: World) => void;

/** What people do to a file that a server has open. */
const DEEDS: Readonly<Record<string, Deed>> = {
  'store deleted': (folder, world) => {
    for (const name of filesOf(folder, world)) rmSync(join(folder, name));
  },
  'store moved away': (folder, world) => {
    mkdirSync(join(folder, 'aside'));
    for (const name of filesOf(folder, world))
      renameSync(join(folder, name), join(folder, 'aside', name));
  },
  'store replaced by a backup': (folder, world) => {
    for (const name of filesOf(world.folder, world)) {
      copyFileSync(join(world.folder, name), join(folder, 'backup'));
      renameSync(join(folder, 'backup'), join(folder, name));
    }
  },
  'write-ahead log deleted': (folder, world) => {
    for (const name of filesOf(folder, world))
      if (name.endsWith('-wal')) rmSync(join(folder, name));
  },
};

function filesOf(folder: string, { engine }: World): string[] {
  return readdirSync(folder).filter((name) => name.startsWith(STORE_FILES[engine]));
}

/** What is written to a file that nobody will find again must not be acknowledged. */
export const replacedFile: Part = {
  name: 'replaced-file',
  about: 'the store is deleted, moved or replaced under a running server',
  engines: ENGINES,
  async run({ seed, engine, say }) {
    const world = await createWorld(engine, 40);
    const random = new Random(seed);
    const deeds = Object.entries(DEEDS);
    for (const [what, deed] of deeds) {
      const place = copyOf(world, 'replaced');
      const run = new FaultRun(world, place, random.fork());
      await run.start();
      await until('uses are registered', () => run.load.granted > 100);
      deed(place.folder, world);
      const at = monotonicMs();
      const asked = run.load.asked;
      await until('more requests are sent', () => run.load.asked > asked + 100);
      await run.load.stop();
      await run.stop('SIGKILL');
      const lost = acknowledgedAfter(run, at);
      if (lost > 0)
        throw new Error(`${what}: ${lost} uses were acknowledged although nobody will find them`);
      rmSync(place.folder, { recursive: true, force: true });
      say(`${what}: nothing acknowledged afterwards`);
    }
    rmSync(world.folder, { recursive: true, force: true });
    return `${deeds.map(([what]) => what).join(', ')}: nothing acknowledged afterwards`;
  },
};

/** Consumes that began after the deed and were granted. */
function acknowledgedAfter({ recorder }: FaultRun, at: number): number {
  const late = new Set<number>();
  let count = 0;
  for (const line of recorder.lines) {
    if (line.type === 'invoke' && line.at > at && line.action === 'consume') late.add(line.id);
    if (line.type === 'ok' && late.has(line.id)) count += 1;
  }
  return count;
}
