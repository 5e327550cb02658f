import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PLANTED_BUGS } from '../../prove/planted/bugs.ts';
import { plant } from '../../prove/planted/plant.ts';
import { play } from '../../prove/simulation/play.ts';
import { playPlans } from '../../prove/simulation/simulation-part.ts';
import { PLANS } from '../../prove/simulation/smaller.ts';
import { SEED } from '../support/seed.ts';
import { wholeOrCover } from '../support/whole.ts';

const PLAYED = 60;
/** A story that nobody can read helps nobody. */
const STEPS_MAX = 6;

test('whatever happens in the town, every promise is kept', async () => {
  const { granted, refused, limited, unknown, repeated, crashes } = await playPlans(SEED, PLAYED);

  // About a third of what a run has: plans in which less happens would prove nothing.
  expect(granted, `granted, seed ${SEED}`).toBeGreaterThan(900);
  expect(refused, `refused, seed ${SEED}`).toBeGreaterThan(1500);
  expect(limited, `limited, seed ${SEED}`).toBeGreaterThan(200);
  expect(unknown, `unknown, seed ${SEED}`).toBeGreaterThan(200);
  expect(repeated, `repeated, seed ${SEED}`).toBeGreaterThan(30);
  expect(crashes, `crashes, seed ${SEED}`).toBeGreaterThan(15);
});

test('the same plan gives the same record, to the last answer', async () => {
  for (const plan of fc.sample(PLANS, { seed: SEED, numRuns: 8 })) {
    const [first, second] = [await play(plan), await play(plan)];

    expect(first.lines, `seed ${SEED}`).toEqual(second.lines);
  }
});

const planted = (name: string) => PLANTED_BUGS.find((bug) => bug.name === name)!;
const FOUND = [
  'reads the tickets of a batch, then writes',
  'remembers a key after it was disabled',
  'allows one use too many',
  'counts a retried request twice',
  'ignores that a ticket was cancelled',
  'gives a stored answer again after the clock was set back',
  'takes the cards at devices without a serial for repeats of one another',
  'lets wall time run backwards within a ticket',
  'admits after the end of the window',
  'gives the answers of a batch to the wrong requests',
];

// Enough to break each rule; `npm run prove -- nightly` plants them all.
test.each(wholeOrCover(FOUND.map(planted), ({ breaks }) => breaks))(
  'the simulation tells in a few steps of a program that $name',
  (bug) => {
    const folder = resolve(dirname(plant({ ...bug, scenario: 'simulation' })), '../..');
    const { status, stdout } = spawnSync(
      process.execPath,
      ['prove/main.ts', 'simulation', '--scans', '20000', '--seed', '1'],
      { cwd: folder, encoding: 'utf8' },
    );
    rmSync(folder, { recursive: true, force: true });

    expect(status, stdout).toBe(1);
    expect(stdout).toMatch(/^ {2}[a-z-]+: /m);
    expect(stdout.match(/^ {2}\d+\. /gm)?.length, stdout).toBeLessThanOrEqual(STEPS_MAX);
  },
);
