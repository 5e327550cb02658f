import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, statSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { BaseSequencer, createVitest, type TestSpecification } from 'vitest/node';
import { importGraph } from './import-graph.ts';

/** The time after which no further test is begun; those that run are finished. */
const LONGEST_MS = 22_000;

/** Test helpers that start what was built: the source that it was built from. */
const STARTED = new Map([
  ['test/support/cli.ts', 'src/cli/main.ts'],
  ['test/support/warm/run-program.ts', 'src/cli/main.ts'],
  ['test/dashboard/support/browser.ts', 'src/dashboard/main.tsx'],
]);
const SOURCE = /^(?:src|test|scripts|prove|bench)\/.*\.tsx?$/;
const IN_QUOTES = /['"`]((?:docs|fixtures|examples|bin|scripts|[A-Z]+\.md|package\.json)[\w./-]*)/g;

class NearestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((one, other) => place(one) - place(other));
  }
}

const base = baseOfTheChange();
const changed = changedFiles();
const steps = stepsToTheChange();
const nearest = testsNearestFirst();

// With --list, the tests that the change affects are named and not run.
if (process.argv.includes('--list')) console.log(nearest.join('\n'));
else await runAndTell();

async function runAndTell(): Promise<void> {
  console.log(`Changed since ${base}: ${changed.length} files.`);
  if (nearest.length > 0) await run();
  else console.log('No test reaches them, so nothing was run. All tests: npm test');
  const proofs = [...steps.keys()].filter((file) => file.endsWith('.proof.test.ts')).length;
  if (proofs > 0)
    console.log(`${proofs} proofs reach them too and were not run: npm run prove:short`);
  const ofReleases = [...steps.keys()].filter((file) => file.endsWith('.release.test.ts'));
  if (ofReleases.length > 0)
    console.log(
      `What only a release checks reaches them too and was not run: npx vitest run ${ofReleases.join(' ')}`,
    );
}

/** The last commit that this branch shares with main; on main itself, and without a main, the last commit. */
function baseOfTheChange(): string {
  for (const main of ['main', 'origin/main']) {
    try {
      return git('merge-base', 'HEAD', main).slice(0, 10);
    } catch {
      // This clone does not have it.
    }
  }
  return 'HEAD';
}

function changedFiles(): string[] {
  const tracked = git('diff', '--name-only', base).split('\n');
  const added = git('ls-files', '--others', '--exclude-standard').split('\n');
  return [...tracked, ...added].filter(Boolean);
}

function git(...args: string[]): string {
  return execFileSync('git', args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
}

/** How many imports lie between each source file and the change. */
function stepsToTheChange(): Map<string, number> {
  const importers = new Map<string, string[]>();
  for (const [file, imported] of importGraph(['src', 'test', 'scripts', 'prove', 'bench'])) {
    const started = STARTED.get(file);
    for (const one of started === undefined ? imported : [...imported, started])
      importers.set(one, [...(importers.get(one) ?? []), file]);
  }
  const found = new Map<string, number>();
  let reached = new Set([...changed, ...filesThatName(changed)]);
  for (let count = 0; reached.size > 0; count += 1) {
    for (const file of reached) found.set(file, count);
    const next = [...reached].flatMap((file) => importers.get(file) ?? []);
    reached = new Set(next.filter((file) => !found.has(file)));
  }
  return found;
}

/** The tests and helpers that read a changed file which is no source, by its path or its folder's. */
function filesThatName(files: readonly string[]): string[] {
  const others = files.filter((file) => !SOURCE.test(file));
  return globSync('test/**/*.ts').filter((file) =>
    [...readFileSync(file, 'utf8').matchAll(IN_QUOTES)].some(([, path = '']) =>
      others.some((other) => other === path || other.startsWith(`${path.replace(/\/$/, '')}/`)),
    ),
  );
}

/** Of the same distance, those first whose folder is named as the change's. */
function testsNearestFirst(): string[] {
  const words = new Set(changed.flatMap((file) => dirname(file).split('/')));
  const isAtHome = (test: string) => words.has(test.split('/')[1] ?? '');
  const rank = (test: string) => (steps.get(test) ?? 0) * 2 + (isAtHome(test) ? 0 : 1);
  return [...steps.keys()]
    .filter((file) => file.endsWith('.test.ts') && !/\.(?:proof|release)\.test\.ts$/.test(file))
    .sort((one, other) => rank(one) - rank(other));
}

function place({ moduleId }: { moduleId: string }): number {
  return nearest.indexOf(relative('.', moduleId));
}

async function run(): Promise<void> {
  buildIfOld();
  const vitest = await createVitest('test', {
    watch: false,
    sequence: { sequencer: NearestFirst },
  });
  let isCut = false;
  const timer = setTimeout(() => {
    isCut = true;
    void vitest.cancelCurrentRun('keyboard-input');
  }, LONGEST_MS);
  await vitest.start(nearest);
  clearTimeout(timer);
  const begun = vitest.state
    .getTestModules()
    .filter((module) => /passed|failed/.test(module.state()));
  await vitest.close();
  console.log(`Begun: ${begun.length} of the ${nearest.length} test files that reach the change.`);
  if (isCut)
    console.log(`The rest did not fit in ${LONGEST_MS / 1000} seconds. All tests: npm test`);
}

/** Some tests start the built program: it has to be of these sources. */
function buildIfOld(): void {
  const newest = Math.max(...globSync('src/**/*.*').map(modified));
  if (newest < modified('dist/main.js')) return;
  execFileSync(process.execPath, ['scripts/build.ts', '--without-types'], { stdio: 'inherit' });
}

function modified(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
