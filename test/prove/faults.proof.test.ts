import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { canStepClock, stepClock } from '../../prove/faults/clock.ts';
import { replacedFile } from '../../prove/faults/replaced-file.ts';
import { FaultRun, until } from '../../prove/faults/run.ts';
import { injecting } from '../../prove/faults/traced.ts';
import type { PartOptions } from '../../prove/part.ts';
import { hasStrace } from '../../prove/power-cut/traced-shell.ts';
import { problemsOf } from '../../prove/world/judge.ts';
import { sleep } from '../../prove/world/load.ts';
import { serve } from '../../prove/world/program.ts';
import { Random } from '../../prove/world/random.ts';
import { copyOf, createWorld, type World } from '../../prove/world/world.ts';
import { SEED } from '../support/seed.ts';

console.log(`faults: seed ${SEED}`);
const random = new Random(SEED);
let world: World;
beforeAll(async () => {
  world = await createWorld('sqlite', 40);
});
afterAll(() => rmSync(world.folder, { recursive: true, force: true }));

test('kill -9 under load, six times on the same store, loses nothing', async () => {
  const kills = 6;
  const run = new FaultRun(world, copyOf(world, 'kill'), random.fork(), { servers: kills });
  for (let round = 0; round < kills; round += 1) {
    await run.start();
    const before = run.load.granted;
    await sleep(random.between(50, 200));
    // A slow machine may not have begun by then; a server that grants nothing fails below.
    for (let waited = 0; waited < 100 && run.load.granted < before + 5; waited += 1)
      await sleep(20);
    await run.stop('SIGKILL');
  }
  await run.load.stop();

  expect(problemsOf(run.recorder, run.place.storeUrl), `seed ${SEED}`).toEqual([]);
  expect(run.load.granted).toBeGreaterThan(20);
  rmSync(run.place.folder, { recursive: true, force: true });
});

test.skipIf(!hasStrace()).each(['fsync,fdatasync:error=EIO', 'pwrite64:error=ENOSPC'])(
  'a disk that says %s now and then costs answers, never uses',
  async (fault) => {
    const place = copyOf(world, 'io');
    const wrapper = injecting(place, 'sqlite', [`${fault}:when=10..60+5`]);
    const run = new FaultRun(world, place, random.fork(), { requestsMax: 600 });
    await run.start({ wrapper });
    await run.load.finished();
    const code = await run.stop('SIGTERM');

    expect(code).toBe(0);
    expect(run.unknown).toBeGreaterThan(0);
    expect(problemsOf(run.recorder, place.storeUrl), `seed ${SEED}`).toEqual([]);
    rmSync(place.folder, { recursive: true, force: true });
  },
);

test.skipIf(!hasStrace())(
  'a server whose disk fails from the start on says so, and still ends when told to',
  async () => {
    const place = copyOf(world, 'start');
    const wrapper = injecting(place, 'sqlite', ['pwrite64:error=EIO:when=1+']);
    const server = await serve(place, { wrapper });
    await until('it says what it cannot do', () =>
      server.errors().includes('The first account could not be created'),
    );
    const ready = await fetch(`${server.url}/readyz`);

    expect(ready.status).toBe(503);
    expect(server.errors()).toContain('reports an error');
    expect(await server.stop('SIGTERM')).toBe(0);
    rmSync(place.folder, { recursive: true, force: true });
  },
);

test('nothing is acknowledged once the store was deleted, moved or replaced under the server', async () => {
  const options: PartOptions = {
    seed: SEED,
    engine: 'sqlite',
    cuts: 0,
    kills: 0,
    failOvers: 0,
    scans: 0,
    say: () => {},
  };

  await expect(replacedFile.run(options)).resolves.toContain('nothing acknowledged');
});

test('SIGTERM under load ends at once, with everybody answered', async () => {
  const run = new FaultRun(world, copyOf(world, 'terminate'), random.fork());
  await run.start({ args: ['--stop-timeout-ms', '600000'] });
  await until('it has granted uses', () => run.load.granted > 20);

  // A connection that is left open would hold it for ten minutes.
  expect(await run.stop('SIGTERM')).toBe(0);
  await run.load.stop();
  expect(problemsOf(run.recorder, run.place.storeUrl), `seed ${SEED}`).toEqual([]);
  rmSync(run.place.folder, { recursive: true, force: true });
});

test.skipIf(!canStepClock())(
  'a wall clock that steps by a day changes no count and no order',
  async () => {
    const { days } = await stepClock(world, 8, SEED);

    expect(days).toBeGreaterThan(1);
  },
);
