/** Writes what a check finds in each faulty server: `npm run found [name…]`. Look at the difference before you commit it. */
import { writeFileSync } from 'node:fs';
import { checkFaulty, eachOf, FAULTY, FOUND, type Found, foundIn } from './found.ts';

const names = process.argv.slice(2);
const found: Record<string, Found> = { ...FOUND };
await eachOf(
  FAULTY.filter(({ name }) => names.length === 0 || names.includes(name)),
  async (faulty) => {
    found[faulty.name] = foundIn(await checkFaulty(faulty));
  },
);
const lines = FAULTY.map(({ name }) => `  ${JSON.stringify(name)}: ${JSON.stringify(found[name])}`);
writeFileSync(new URL('found.json', import.meta.url), `{\n${lines.join(',\n')}\n}\n`);
