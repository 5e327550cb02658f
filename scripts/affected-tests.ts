import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { distances, importGraph } from './import-graph.ts';

/** A test file that a change reaches. */
export interface AffectedTest {
  readonly file: string;
  /** How many imports lie between it and the change. */
  readonly steps: number;
  /** It starts a program, a browser or PostgreSQL. */
  readonly startsProcess: boolean;
  /** The lower, the earlier it is run. */
  readonly rank: number;
}

/** How a test or a helper says that it runs what was built, and the sources of that. */
const BUILT: readonly (readonly [RegExp, readonly string[]])[] = [
  [/bin\/ticketscan\.js|npx ticketscan/, ['src/cli/main.ts']],
  [/\bdist\/|'ticketscan['/]|['"`]examples/, publicEntries()],
  [/from 'playwright-core'/, ['src/dashboard/main.tsx']],
];
/** It loads each command when that is called. */
const COMMAND_TABLE = 'src/cli/command-table.ts';
/** Its tests say `.serve(` where they start a server. */
const SERVING_HELPER = 'test/support/cli.ts';
/** It gathers the operations of all features for the server. */
const ALL_OPERATIONS = 'src/features/all.ts';

const SOURCE = /^(?:src|test|scripts|prove|bench)\/.*\.tsx?$/;
const TEST = /\.test\.ts$/;
const IN_QUOTES = /['"`]((?:docs|fixtures|examples|bin|scripts|[A-Z]+\.md|package\.json)[\w./-]*)/g;
const STARTS_PROCESS = /from 'node:child_process'|from 'playwright-core'/;
const ASKS_FOR_ROUTES = /\broutes\b|openapi/;
const ON_ALL_ENGINES = /\bENGINES\b|\bSET_UPS\b|postgres/i;

/**
 * The test files, proofs as well, that a change reaches: the nearest first, of the same distance those that start no process, and of
 * these the ones that are named as the folder of the change.
 * An import of types reaches nothing. A command is reached by the tests that name it, and an operation by those that name its
 * path: whatever runs any command or any server would else belong to all of them.
 */
export function affectedTests(changed: readonly string[]): AffectedTest[] {
  const graph = new Project();
  const words = new Set(changed.flatMap((file) => dirname(file).split('/').slice(1)));
  const isAtHome = (test: string) => test.split(/[/.]/).some((word) => words.has(word));
  return [...graph.stepsTo(changed)]
    .filter(([file]) => TEST.test(file))
    .map(([file, steps]) => {
      const startsProcess = graph.startsProcess(file);
      const rank = steps * 4 + (startsProcess ? 2 : 0) + (isAtHome(file) ? 0 : 1);
      return { file, steps, startsProcess, rank };
    })
    .sort((one, other) => one.rank - other.rank);
}

function publicEntries(): string[] {
  return JSON.parse(readFileSync('tsconfig.types.json', 'utf8')).files;
}

/** What loads what when the tests run. */
class Project {
  readonly #imports: ReadonlyMap<string, readonly string[]>;
  readonly #texts = new Map<string, string>();
  readonly #loads: Map<string, Set<string>>;

  constructor() {
    this.#imports = importGraph(['src', 'test', 'scripts', 'prove', 'bench'], { withTypes: false });
    this.#loads = new Map(
      [...this.#imports].map(([file, imported]) => [file, new Set(imported)] as const),
    );
    for (const [file, loaded] of this.#loads)
      for (const [words, sources] of BUILT)
        if (file.startsWith('test/') && words.test(this.#text(file)))
          for (const source of sources) loaded.add(source);
    this.#splitCommands();
    this.#splitOperations();
  }

  /** How many imports lie between each file and the change. */
  stepsTo(changed: readonly string[]): Map<string, number> {
    const importers = new Map<string, string[]>();
    for (const [file, loaded] of this.#loads)
      for (const one of loaded) importers.set(one, [...(importers.get(one) ?? []), file]);
    return distances([...changed, ...this.#filesThatName(changed)], (file) => importers.get(file));
  }

  startsProcess(test: string): boolean {
    if (ON_ALL_ENGINES.test(this.#text(test))) return true;
    const helpers = distances([test], (file) =>
      this.#imports
        .get(file)
        // Every store for tests can be one of PostgreSQL; the test says whether it is.
        ?.filter((one) => one.startsWith('test/') && !one.startsWith('test/support/postgres/')),
    );
    return [...helpers.keys()].some((file) => STARTS_PROCESS.test(this.#text(file)));
  }

  /** The tests and helpers that read a changed file which is no source, by its path or its folder's. */
  #filesThatName(changed: readonly string[]): string[] {
    const others = changed.filter((file) => !SOURCE.test(file));
    return globSync('test/**/*.ts').filter((file) =>
      [...this.#text(file).matchAll(IN_QUOTES)].some(([, path = '']) =>
        others.some((other) => other === path || other.startsWith(`${path.replace(/\/$/, '')}/`)),
      ),
    );
  }

  /** Whoever runs the program loads the commands that it names, and all of them when it names none or reads them from a page. */
  #splitCommands(): void {
    const table = [
      ...this.#text(COMMAND_TABLE).matchAll(/name: '([\w-]+)'[^}]*?import\('([^']+)'/g),
    ];
    const commands = new Map(
      table.map(([, name = '', path = '']) => [name, join(dirname(COMMAND_TABLE), path)]),
    );
    const direct = [...this.#imports].filter(([, imported]) => imported.includes(COMMAND_TABLE));
    const running = this.#filesThatReach(COMMAND_TABLE);
    this.#loads.set(COMMAND_TABLE, new Set());
    const named = new Map(
      running.map((file) => [file, [...commands].filter(([name]) => this.#names(file, name))]),
    );
    for (const [file, some] of named) {
      const helpers = [...distances([file], (one) => this.#imports.get(one)).keys()];
      const isTable = direct.some(([importer]) => importer === file);
      const isGeneral =
        TEST.test(file) &&
        (helpers.every((one) => (named.get(one)?.length ?? 0) === 0) || this.#readsPages(file));
      for (const [, command] of isTable || isGeneral ? commands : some)
        this.#loads.get(file)?.add(command);
    }
  }

  #names(file: string, command: string): boolean {
    const text = this.#text(file);
    if (command === 'serve' && file === SERVING_HELPER) return false;
    if (command === 'serve' && /\.serve\(/.test(text)) return true;
    return new RegExp(`(?:['"\`]|ticketscan(?:\\.js)?\\s)${command}(?=['"\`\\s])`).test(text);
  }

  #readsPages(file: string): boolean {
    return /['"`](?:docs|README|examples)/.test(this.#text(file));
  }

  /** Whoever starts a server loads the operations whose paths it names, and all of them when it asks for its routes. */
  #splitOperations(): void {
    const modules = this.#imports.get(ALL_OPERATIONS) ?? [];
    const starting = this.#filesThatReach(ALL_OPERATIONS);
    this.#loads.set(ALL_OPERATIONS, new Set());
    for (const module of modules) {
      const paths = [...this.#text(module).matchAll(/http: '[A-Z]+ \/([\w-]+)/g)].map(
        ([, path]) => path,
      );
      const named = new RegExp(`/(?:${[...new Set(paths)].join('|')})\\b`);
      for (const file of [...starting, ...globSync('src/dashboard/**/*.{ts,tsx}')]) {
        const text = this.#text(file);
        if (named.test(text) || (TEST.test(file) && ASKS_FOR_ROUTES.test(text)))
          this.#loads.get(file)?.add(module);
      }
    }
  }

  /** The files of the tests that load a source file, directly or not. */
  #filesThatReach(source: string): string[] {
    const reached = this.stepsTo([source]);
    return [...reached.keys()].filter((file) => file.startsWith('test/'));
  }

  #text(file: string): string {
    const known = this.#texts.get(file) ?? readFileSync(file, 'utf8');
    this.#texts.set(file, known);
    return known;
  }
}
