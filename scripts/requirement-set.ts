import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { setOf } from '../src/check/requirement-sets/index.ts';
import { CASES } from '../src/check/sections/index.ts';

const FOLDER = 'src/check/requirement-sets';

/**
 * Writes the newest requirement set from the cases, or begins the set of another month: `npm run requirements 2027-02`.
 * A set of a month that is over is frozen: people pin it.
 */
const newest = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.json'))
  .toSorted()
  .at(-1);
const month = process.argv[2] ?? newest?.replace('.json', '') ?? '';
const file = `${FOLDER}/${month}.json`;
const thisMonth = new Date().toISOString().slice(0, 7);
if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(month)) throw new Error(`"${month}" is not a month: YYYY-MM.`);
if (month < thisMonth)
  throw new Error(
    `The set ${month} is frozen: begin a new one, \`npm run requirements ${thisMonth}\`.`,
  );
if (!existsSync(file)) console.log(`Import ${file} in ${FOLDER}/index.ts.`);
writeFileSync(file, textOf(setOf(CASES)));
console.log(`Wrote ${file}.`);

/** One case a line, so that a change shows as one line. */
function textOf(set: ReturnType<typeof setOf>): string {
  const lines = Object.entries(set).map(
    ([id, levels]) => `  ${JSON.stringify(id)}: ${JSON.stringify(levels)}`,
  );
  return `{\n${lines.join(',\n')}\n}\n`;
}
