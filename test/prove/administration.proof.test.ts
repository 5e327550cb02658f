import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROWS } from '../../prove/administration/rows.ts';
import { newMemoryFolder, type Site, seedSite } from '../../prove/administration/site.ts';
import { tryRow } from '../../prove/administration/try-row.ts';
import { isOnPath, reasonToSkip } from '../support/needed-programs.ts';
import { SEED } from '../support/seed.ts';

const missing = reasonToSkip({ strace: isOnPath('strace') });
/** How many steps of each command are tried; `npm run prove -- administration` tries all. */
const STEPS = 12;
const folder = newMemoryFolder();
let base: Site;

beforeAll(async () => {
  base = await seedSite(folder, 'sqlite');
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Each command on one engine, and each engine with as many commands: a command's own steps are nearly the same on all. */
const cases = ROWS.map((row, index) => {
  const engine = row.engines[index % row.engines.length] ?? 'sqlite';
  return [row.name, engine, row] as const;
});

test('every kind of store of the commands is tried', () => {
  const tried = new Set(cases.map(([, engine]) => engine));

  expect(tried).toEqual(new Set(ROWS.flatMap(({ engines }) => engines)));
});

test.skipIf(missing).each(cases)(
  '%s on %s leaves what was before or after it, or goes on, wherever it is stopped',
  async (_, engine, row) => {
    const { tried, problems } = await tryRow(base, row, engine, { seed: SEED, sample: STEPS });

    expect(problems, `seed ${SEED}`).toEqual([]);
    expect(tried).toBeGreaterThan(STEPS / 2);
  },
);
