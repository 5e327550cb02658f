import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROWS } from '../../prove/administration/rows.ts';
import { newMemoryFolder, type Site, seedSite } from '../../prove/administration/site.ts';
import { tryRow } from '../../prove/administration/try-row.ts';
import { todaysPart } from '../mutants/found.ts';
import { isOnPath, reasonToSkip } from '../support/needed-programs.ts';

const missing = reasonToSkip({ strace: isOnPath('strace') });
/** How many steps of each command are tried; `npm run prove -- administration` tries all. */
const STEPS = 12;
const DAY_MS = 86_400_000;
const seed = Math.floor(Date.now() / DAY_MS);
const folder = newMemoryFolder();
let base: Site;

beforeAll(async () => {
  base = await seedSite(folder, 'sqlite');
});
afterAll(() => rmSync(folder, { recursive: true }));

const cases = ROWS.flatMap((row) => row.engines.map((engine) => [row.name, engine, row] as const));

test.skipIf(missing).each(todaysPart(cases))(
  '%s on %s leaves what was before or after it, or goes on, wherever it is stopped',
  async (_, engine, row) => {
    const { tried, problems } = await tryRow(base, row, engine, { seed, sample: STEPS });

    expect(problems, `seed ${seed}`).toEqual([]);
    expect(tried).toBeGreaterThan(STEPS / 2);
  },
);
