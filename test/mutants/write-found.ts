/** Writes what a check finds in each faulty server: `npm run found [words of their names…]`. Look at the difference before you commit it. */
import { writeFileSync } from 'node:fs';
import { FAULTY } from './faults/index.ts';
import { checkWhole, eachOf, FOUND, foundIn } from './found.ts';
import { fingerprints } from './selection.ts';

const words = process.argv.slice(2);
const found: Record<string, object> = { ...FOUND };
const chosen = FAULTY.filter(
  ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
);
if (chosen.length === 0) {
  console.error(
    `No faulty server has ${words.join(' or ')} in its name; test/mutants/faults has them.`,
  );
  process.exit(2);
}
const sources = fingerprints();
for (const [{ name }, result] of eachOf(chosen, checkWhole))
  found[name] = { ...foundIn(await result), source: sources.get(name) };
const lines = FAULTY.map(({ name }) => `  ${JSON.stringify(name)}: ${JSON.stringify(found[name])}`);
writeFileSync(new URL('found.json', import.meta.url), `{\n${lines.join(',\n')}\n}\n`);
