import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { PLANTED_BUGS } from '../../prove/planted/bugs.ts';
import { plant } from '../../prove/planted/plant.ts';
import { runEpisode } from '../../prove/simulation/episode.ts';
import { newSeed } from '../../prove/world/random.ts';

const SCANS = 8000;

test('a simulated day full of faults keeps every promise', async () => {
  const seed = newSeed();
  console.log(`simulation: seed ${seed}`);
  const { problems, facts } = await runEpisode(seed, SCANS);

  expect(problems, `seed ${seed}`).toEqual([]);
  expect(facts.granted).toBeGreaterThan(500);
  expect(facts.crashes).toBeGreaterThan(1);
});

test('the same seed gives the same day, to the last answer', async () => {
  const seed = newSeed();
  const [first, second] = [await runEpisode(seed, 2000), await runEpisode(seed, 2000)];

  expect(first.lines, `seed ${seed}`).toEqual(second.lines);
});

test.each([
  'allows one use too many',
  'counts a retried request twice',
  'ignores that a ticket was cancelled',
])('the simulation catches a program that %s', (name) => {
  const bug = PLANTED_BUGS.find((one) => one.name === name);
  const folder = resolve(dirname(plant(bug!)), '../..');
  const { status, stdout } = spawnSync(
    process.execPath,
    ['prove/main.ts', 'simulation', '--scans', '20000', '--seed', '1'],
    { cwd: folder, encoding: 'utf8' },
  );
  rmSync(folder, { recursive: true, force: true });

  expect([status, stdout]).toEqual([1, expect.stringContaining('problems')]);
});
