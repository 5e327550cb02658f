import { rmSync } from 'node:fs';
import { type Part, SkippedError } from '../part.ts';
import { hasStrace } from '../power-cut/traced-shell.ts';
import { ROWS } from './rows.ts';
import { newMemoryFolder, seedSite } from './site.ts';
import { tryRow } from './try-row.ts';

/** How often each command is killed on each engine, at moments of chance. */
const KILLS = 20;

/** An administrator's command is cut short at each of its steps. */
export const administration: Part = {
  name: 'administration',
  about: 'restore, delete, rotate, import, erase and copy, stopped at each of their steps',
  isNightly: true,
  async run({ seed, say }) {
    if (!hasStrace()) throw new SkippedError('strace is not installed');
    const folder = newMemoryFolder();
    const base = await seedSite(folder, 'sqlite');
    let [tried, killed, continued, rows] = [0, 0, 0, 0];
    for (const row of ROWS) {
      for (const engine of row.engines) {
        const result = await tryRow(base, row, engine, { seed, kills: KILLS });
        say(
          `${row.name} on ${engine}: ${result.tried} of ${result.steps} steps, ${result.killed} killed, went on from ${result.continued} states`,
        );
        if (result.problems.length > 0)
          throw new Error(
            `${row.name} on ${engine}\n${result.problems.slice(0, 5).join('\n')}\n  in all ${result.problems.length}; ${folder}`,
          );
        if (result.killed === 0)
          throw new Error(`${row.name} on ${engine}: no process was killed before its end`);
        tried += result.tried;
        killed += result.killed;
        continued += result.continued;
        rows += 1;
      }
    }
    rmSync(folder, { recursive: true, force: true });
    return `${rows} commands stopped at ${tried} steps, ${killed} processes killed, went on from ${continued} states`;
  },
};
