import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cutPower } from '../../prove/power-cut/cuts.ts';
import { record } from '../../prove/power-cut/recording.ts';
import { hasStrace } from '../../prove/power-cut/traced-shell.ts';
import { Random } from '../../prove/world/random.ts';
import { createWorld } from '../../prove/world/world.ts';
import { SEED } from '../support/seed.ts';

/** A json store has one program at a time: nothing else can change it meanwhile. */
const CASES = [
  { engine: 'sqlite', servers: 2, changes: true },
  { engine: 'json', servers: 1, changes: false },
] as const;

test.skipIf(!hasStrace()).each(CASES)(
  '100 power cuts lose no acknowledged use and damage no $engine store',
  async ({ engine, servers, changes }) => {
    const seed = SEED;
    console.log(`power cuts on ${engine}: seed ${seed}`);
    const random = new Random(seed);
    const world = await createWorld(engine, 12);
    const recording = await record({ world, random, servers, requests: 500, changes });
    const { broken, acknowledged } = cutPower(world, recording, 100, random);

    expect(broken, `seed ${seed}, trace in ${recording.folder}`).toEqual([]);
    expect(acknowledged).toBeGreaterThan(1000);
    for (const folder of [world.folder, recording.folder]) {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
