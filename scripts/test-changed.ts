import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, statSync } from 'node:fs';
import { relative } from 'node:path';
import {
  BaseSequencer,
  createVitest,
  type TestModule,
  type TestSpecification,
  type Vitest,
} from 'vitest/node';
import { affectedTests } from './affected-tests.ts';
import { readOptions } from './read-options.ts';

/** No further test is begun when this program has run for so long; what runs then has the rest of the minute to end. */
const LONGEST_MS = 50_000;

class NearestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted(
      (one, other) => rankOf(one) - rankOf(other) || this.#duration(one) - this.#duration(other),
    );
  }

  /** Milliseconds of its last run, so that of equally near files as many as possible fit; 0 before the first. */
  #duration(file: TestSpecification): number {
    return this.ctx.cache.getTestSpecificationResult(file)?.duration ?? 0;
  }
}

const USAGE = `Usage: npm run test:changed -- [--list]

Runs the tests that the change since main can affect, the nearest first, for a minute at most.
  --list  names them, and runs none`;

const { values } = readOptions(USAGE, { options: { list: { type: 'boolean', default: false } } });
const base = baseOfTheChange();
const changed = changedFiles();
const affected = affectedTests(changed);
const proofs = affected.filter(({ file }) => file.endsWith('.proof.test.ts'));
const ofReleases = affected
  .map(({ file }) => file)
  .filter((file) => file.endsWith('.release.test.ts'));
const tests = affected.filter((one) => !proofs.includes(one) && !ofReleases.includes(one.file));
const nearest = tests.map(({ file }) => file);

if (values.list) console.log(nearest.join('\n'));
else await runAndTell();

async function runAndTell(): Promise<void> {
  console.log(
    `Changed since ${base}: ${changed.length} files; ${tests.length} test files reach them.`,
  );
  if (tests.length > 0) await run();
  else console.log('Nothing was run. All tests: npm test');
  if (proofs.length > 0)
    console.log(`${proofs.length} proofs reach them too and were not run: npm run proofs`);
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

function rankOf(test: { moduleId: string }): number {
  return tests.find(({ file }) => file === fileOf(test))?.rank ?? 0;
}

function fileOf({ moduleId }: { moduleId: string }): string {
  return relative('.', moduleId);
}

async function run(): Promise<void> {
  if (tests.some(({ startsProcess }) => startsProcess)) buildIfOld();
  const vitest = await createVitest('test', {
    watch: false,
    sequence: { sequencer: NearestFirst },
  });
  let endedBefore: readonly TestModule[] | undefined;
  const cut = () => {
    endedBefore = endedModules(vitest);
    void vitest.cancelCurrentRun('keyboard-input');
  };
  const timer = setTimeout(cut, Math.max(0, LONGEST_MS - performance.now()));
  await vitest.start(nearest);
  clearTimeout(timer);
  // The tests that the cut kept from running are skipped, like those that skip themselves.
  const isWhole = (module: TestModule) =>
    endedBefore?.includes(module) !== false || module.children.allTests('skipped').next().done;
  const run = new Set(endedModules(vitest).filter(isWhole).map(fileOf));
  const left = nearest.filter((file) => !run.has(file));
  await vitest.close();
  console.log(`Run: ${nearest.length - left.length} of the ${nearest.length} test files.`);
  if (left.length === 0) return;
  console.log(
    `${left.length} did not fit into a minute and were left out, the farthest from the change:`,
  );
  console.log(`  npx vitest run --project tests ${left.join(' ')}`);
}

function endedModules(vitest: Vitest): TestModule[] {
  return vitest.state.getTestModules().filter((module) => /passed|failed/.test(module.state()));
}

/** Some tests start the built program, and some compile against its types: they have to be of these sources. */
function buildIfOld(): void {
  const areTypesRead = nearest.some((file) => /\btsc\b/.test(readFileSync(file, 'utf8')));
  const newest = Math.max(...globSync('src/**/*.*').map(modified));
  const built = areTypesRead ? ['dist/main.js', 'dist/types/index.d.ts'] : ['dist/main.js'];
  if (built.every((file) => newest < modified(file))) return;
  const without = areTypesRead ? [] : ['--without-types'];
  execFileSync(process.execPath, ['scripts/build.ts', ...without], { stdio: 'inherit' });
}

function modified(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
