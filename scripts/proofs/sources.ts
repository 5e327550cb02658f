import { createHash } from 'node:crypto';
import { globSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { distances, importGraph } from '../import-graph.ts';
import { subjectsOf } from './subjects.ts';

/** All proofs, in order; those that measure time among them. */
export const PROOFS: readonly string[] = globSync('test/**/*.proof.test.ts').sort();

const FOLDERS = ['src', 'test', 'scripts', 'prove', 'bench'];
const SOURCE = /\.tsx?$/;
/** They start for every test, or decide what it is run with. */
const FOR_ALL = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'vitest.config.ts',
  'test/support/on-demand/global-setup.ts',
  'test/support/file-times.ts',
];
const BUILD = [
  'bin/**',
  'fixtures/device-files/**',
  'fixtures/shop-maps/*.json',
  'scripts/{build,build-dashboard,bundled-packages,dashboard-shell,node-brotli,package-types,type-compiler}.ts',
];
/** What a test or one of its helpers reads or runs without an import, by what its text has in it. */
const READ: readonly (readonly [RegExp, readonly string[]])[] = [
  [
    /bin\/ticketscan|npx ticketscan|\bdist\/|'ticketscan['/]|'playwright-core'/,
    ['src/**', ...BUILD],
  ],
  [/['"`]src\b/, ['src/**']],
  [/['"`]fixtures\/?['"`]/, ['fixtures/**']],
  [/\bexamples\b/, ['examples/**']],
  [/\bops\//, ['ops/**']],
  [/\bci\/|action\.yml/, ['ci/**', 'action.yml']],
  [/\bdocs\b/, ['docs/**']],
  [/README/, ['README.md']],
  [/CONTRIBUTING|\*\.md/, ['CONTRIBUTING.md', 'SECURITY.md']],
  [/CHANGELOG|\*\.md/, ['CHANGELOG.md']],
  [/\*\.md/, ['README.md']],
  [/globSync\(\s*['"`]test\b/, ['test/**']],
  [/['"]npm['"]/, ['scripts/**', 'tsconfig*.json', '.ci/**']],
];
const FIXTURES = /fixtures\/([\w-]+)/g;
const QUOTED_SOURCE = /['"`]((?:test|scripts|prove|bench)\/[\w./-]+\.ts)['"`]/g;
/** Proofs of a tool of ours: what they run it on decides nothing beyond these. */
export const OF_TOOLS: Readonly<Record<string, readonly string[]>> = {
  // It plants bugs in the rule, the scan paths, the stores and what starts them.
  'test/prove/planted-bugs.proof.test.ts': [
    'prove/**',
    'src/{core,kit,scan,serve,stores}/**',
    'test/support/**',
  ],
  // It has a small project of its own.
  'test/scripts/kept-types.proof.test.ts': ['scripts/**', 'tsconfig*.json', 'src/**/tsconfig.json'],
};
/** They say what passed, and decide nothing in a test. */
const RECORDS = ['test/passed-proofs.txt', 'scripts/release/verify/verified.json'];

/** SHA-256 of paths and bytes. In hex, shortened. */
export interface Sums {
  /** The sum of the proof's own files, and of what it is about. */
  readonly near: string;
  /** The sum of everything that the proof depends on. */
  readonly whole: string;
}

/**
 * Finds what a proof depends on: a proof that passed would pass again while all of it is as it was. Rather too much than too little:
 * whatever starts the built program depends on all of its sources.
 */
export class ProofSources {
  readonly #imports = importGraph(FOLDERS, { withTypes: false });
  readonly #globs = new Map<string, readonly string[]>();
  readonly #texts = new Map<string, string>();
  readonly #sums = new Map<string, string>();

  /** The files that a proof depends on, in order, from the root of the project. */
  filesOf(proof: string): string[] {
    const ofTool = OF_TOOLS[proof];
    if (ofTool) {
      const globs = [proof, ...FOR_ALL, ...ofTool];
      return this.#ordered(globs.flatMap((glob) => this.#foundSome(glob)));
    }
    const sources = this.#sourcesFrom([proof]).filter((file) => SOURCE.test(file));
    const helpers = sources.filter((file) => !file.startsWith('src/'));
    const read = READ.flatMap(([words, globs]) =>
      helpers.some((file) => words.test(this.#text(file))) ? globs : [],
    );
    const fixtures = sources.flatMap((file) => [...this.#text(file).matchAll(FIXTURES)]);
    const globs = [
      ...FOR_ALL,
      ...read,
      ...fixtures.map(([, name = '']) => `fixtures/{${name},${name}.*,${name}/**}`),
      ...new Set(sources.map((file) => `${dirname(file)}/*`)),
    ];
    const files = globs.flatMap((glob) => this.#found(glob));
    // Of the folders of the sources only what is no source itself: a table or a page that is read beside it.
    const beside = new Set(sources.map(dirname));
    const isRead = (file: string) => !SOURCE.test(file) || !beside.has(dirname(file));
    const named = read.flatMap((glob) => this.#foundSome(glob));
    // What they start, they start for a test that asks for it.
    const forAll = this.#sourcesFrom(FOR_ALL.filter((file) => SOURCE.test(file)));
    const helpersForAll = forAll.filter((file) => !file.startsWith('src/'));
    return this.#ordered([...sources, ...named, ...helpersForAll, ...files.filter(isRead)]);
  }

  #ordered(files: readonly string[]): string[] {
    // What is built depends on the sources, which count themselves; packages are there for who installed them, by package-lock.json.
    const isOwn = (file: string) =>
      !RECORDS.includes(file) && !file.startsWith('dist/') && !file.includes('node_modules/');
    return [...new Set(files)].filter(isOwn).sort();
  }

  /** Chooses the files that decide whether a commit runs a proof: all of its own, and of `src` what it is about. */
  nearFilesOf(proof: string): string[] {
    const subjects = subjectsOf(proof);
    return this.filesOf(proof).filter(
      (file) => !file.startsWith('src/') || subjects.some((subject) => file.startsWith(subject)),
    );
  }

  sumsOf(proof: string): Sums {
    return {
      near: this.#sumOfAll(this.nearFilesOf(proof)),
      whole: this.#sumOfAll(this.filesOf(proof)),
    };
  }

  #sumOfAll(files: readonly string[]): string {
    const sum = createHash('sha256');
    for (const file of files) sum.update(`${file}\0${this.#sum(file)}\0`);
    return sum.digest('hex').slice(0, 20);
  }

  #sourcesFrom(starts: readonly string[]): string[] {
    const next = (file: string) => [
      ...(this.#imports.get(file) ?? []),
      ...(file.startsWith('src/') ? [] : this.#quotedIn(file)),
    ];
    return [...distances(starts, next).keys()];
  }

  /** Sources that are run by another process, or read. */
  #quotedIn(file: string): string[] {
    const quoted = [...this.#text(file).matchAll(QUOTED_SOURCE)].map(([, path = '']) => path);
    return quoted.filter((path) => this.#imports.has(path));
  }

  /** @throws Error for a glob of these tables that finds no file any more */
  #foundSome(glob: string): readonly string[] {
    const files = this.#found(glob);
    if (files.length === 0) throw new Error(`What proofs depend on names ${glob}: no such file.`);
    return files;
  }

  #found(glob: string): readonly string[] {
    const known = this.#globs.get(glob);
    if (known) return known;
    const files = globSync(glob, { exclude: ['**/node_modules'] }).filter((path) =>
      statSync(path).isFile(),
    );
    this.#globs.set(glob, files);
    return files;
  }

  #text(file: string): string {
    const known = this.#texts.get(file) ?? readFileSync(file, 'utf8');
    this.#texts.set(file, known);
    return known;
  }

  #sum(file: string): string {
    const known =
      this.#sums.get(file) ?? createHash('sha256').update(readFileSync(file)).digest('hex');
    this.#sums.set(file, known);
    return known;
  }
}
