import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PlantedBug } from '../../prove/planted/bug.ts';
import { PLANTED_BUGS } from '../../prove/planted/bugs.ts';
import { isCaught, problemsWith } from '../../prove/planted/catch-bug.ts';
import { rush } from '../../prove/planted/rush.ts';
import { hasStrace } from '../../prove/power-cut/traced-shell.ts';
import { createWorld, type World } from '../../prove/world/world.ts';
import { SEED } from '../support/seed.ts';
import { wholeOrCover } from '../support/whole.ts';

console.log(`planted bugs: seed ${SEED}`);

const shownBy = ({ scenario, breaks }: PlantedBug) => breaks.map((rule) => `${scenario}: ${rule}`);

describe('the history checker', () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld('sqlite', 12);
  });
  afterAll(() => rmSync(world.folder, { recursive: true, force: true }));

  test.each([1, 2] as const)(
    'finds nothing in the real program, with %i servers',
    async (servers) => {
      const options = { world, seed: SEED, servers, requests: 1500, end: 'SIGKILL' } as const;
      const { problems, granted, place } = await rush(options);
      rmSync(place.folder, { recursive: true, force: true });

      expect(problems).toEqual([]);
      expect(granted).toBeGreaterThan(100);
    },
  );

  // Of each scenario enough to break each rule; `npm run prove -- planted` looks for all.
  test.for(wholeOrCover(PLANTED_BUGS, shownBy))(
    'catches a program that $name',
    async (bug, { skip }) => {
      skip(bug.scenario === 'power-cut' && !hasStrace(), 'strace is not installed');
      const problems = await problemsWith(bug, world, SEED);

      expect(isCaught(bug, problems), `seed ${SEED}: ${JSON.stringify(problems.slice(0, 3))}`).toBe(
        true,
      );
    },
  );
});
