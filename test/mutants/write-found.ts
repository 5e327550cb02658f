/**
 * Writes what a check finds in each faulty server into found.json, and what an exploration finds in those of history into
 * explored.json: `npm run found [words of their names…]`; with `-- --changed` of those that are new or changed since then. Look at the
 * difference before you commit it.
 */
import { writeFileSync } from 'node:fs';
import { changedHistories, EXPLORED, exploredWith } from './explored.ts';
import type { FaultyServer } from './faults/faulty-server.ts';
import { FAULTS_BY_FILE, FAULTY, HISTORY_BY_FILE, HISTORY_FAULTS } from './faults/index.ts';
import { eachOf, FOUND, foundIn } from './found.ts';
import { checkFaulty, fingerprintsOf, newOrChanged } from './selection.ts';

const words = process.argv.slice(2);
const isChosen = ({ name }: FaultyServer) =>
  words.length === 0 || words.some((word) => name.includes(word));
const [checked, explored] = words.includes('--changed')
  ? [newOrChanged(), changedHistories()]
  : [FAULTY.filter(isChosen), HISTORY_FAULTS.filter(isChosen)];
if (checked.length + explored.length === 0) {
  if (words.includes('--changed')) {
    console.log('Every faulty server is as it was when it was looked at.');
    process.exit(0);
  }
  console.error(
    `No faulty server has ${words.join(' or ')} in its name; test/mutants/faults has them.`,
  );
  process.exit(2);
}

await writeAnew('found.json', FOUND, {
  all: FAULTY,
  sources: fingerprintsOf(FAULTS_BY_FILE),
  results: eachOf(checked, async (one) => foundIn(await checkFaulty(one))),
});
await writeAnew('explored.json', EXPLORED, {
  all: HISTORY_FAULTS,
  sources: fingerprintsOf(HISTORY_BY_FILE),
  results: eachOf(explored, exploredWith),
});

interface Looked {
  readonly all: readonly FaultyServer[];
  readonly sources: ReadonlyMap<string, string>;
  /** Of those that were chosen. */
  readonly results: ReadonlyMap<FaultyServer, object | Promise<object>>;
}

async function writeAnew(
  file: string,
  before: Readonly<Record<string, object>>,
  { all, sources, results }: Looked,
): Promise<void> {
  const kept: Record<string, object> = { ...before };
  for (const [{ name }, result] of results)
    kept[name] = { ...(await result), source: sources.get(name) };
  const lines = all.map(({ name }) => `  ${JSON.stringify(name)}: ${JSON.stringify(kept[name])}`);
  writeFileSync(new URL(file, import.meta.url), `{\n${lines.join(',\n')}\n}\n`);
}
