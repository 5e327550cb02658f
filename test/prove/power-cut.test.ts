import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cutPower } from '../../prove/power-cut/cuts.ts';
import { record } from '../../prove/power-cut/recording.ts';
import { hasStrace } from '../../prove/power-cut/traced-shell.ts';
import { newSeed, Random } from '../../prove/world/random.ts';
import { createWorld } from '../../prove/world/world.ts';

test.skipIf(!hasStrace())(
  '100 power cuts lose no acknowledged use and damage no file',
  async () => {
    const seed = newSeed();
    console.log(`power cuts: seed ${seed}`);
    const random = new Random(seed);
    const world = await createWorld('sqlite', 12);
    const recording = await record({ world, random, servers: 2, requests: 500, changes: true });
    const { broken, acknowledged } = cutPower(world, recording, 100, random);

    expect(broken, `seed ${seed}, trace in ${recording.folder}`).toEqual([]);
    expect(acknowledged).toBeGreaterThan(1000);
    for (const folder of [world.folder, recording.folder])
      rmSync(folder, { recursive: true, force: true });
  },
  60_000,
);
