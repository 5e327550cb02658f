import { rmSync } from 'node:fs';
import { ENGINES, type Part } from '../part.ts';
import { mustHoldAll, problemsOf } from '../world/judge.ts';
import { Random } from '../world/random.ts';
import { copyInto, createWorld, newFolder, placeIn } from '../world/world.ts';
import { FaultRun, until } from './run.ts';
import { SmallDisk } from './small-disk.ts';

const ROUNDS = 20;
const DISK_MEGABYTES = 24;

/** The disk fills up under load and has room again: 500 while it is full, answers again afterwards, no restart. */
export const diskFull: Part = {
  name: 'disk-full',
  about: 'a small disk fills up and gets room again under load',
  engines: ENGINES,
  async run({ seed, engine, say }) {
    const world = await createWorld(engine, 40);
    const folder = newFolder('disk-full');
    using disk = new SmallDisk(folder, DISK_MEGABYTES);
    copyInto(world, disk.folder);
    const place = placeIn(disk.folder, engine);
    const run = new FaultRun(world, place, new Random(seed));
    await run.start();
    for (let round = 1; round <= ROUNDS; round += 1) {
      const before = run.unknown;
      disk.fill();
      await until('requests fail on a full disk', () => run.unknown > before + 20);
      disk.empty();
      const granted = run.load.granted;
      await until(
        'uses are registered again once there is room',
        () => run.load.granted > granted + 20,
      );
      say(`${round} of ${ROUNDS}: ${run.unknown} unknown outcomes so far`);
    }
    await run.load.stop();
    const code = await run.stop('SIGTERM');
    if (code !== 0) throw new Error(`the server ended with ${code}`);
    mustHoldAll(
      problemsOf(run.recorder, place.storeUrl),
      run.recorder,
      { ...place, folder: newFolder('kept') },
      'disk full',
    );
    rmSync(world.folder, { recursive: true, force: true });
    return `full and with room again ${ROUNDS} times, ${run.unknown} requests answered 500, ${run.load.granted} uses acknowledged, none lost`;
  },
};
