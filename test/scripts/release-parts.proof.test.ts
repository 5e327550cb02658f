import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { importGraph } from '../../scripts/import-graph.ts';
import {
  changedParts,
  filesOf,
  readVerified,
  sumOf,
} from '../../scripts/release/verify/content.ts';
import { RELEASE_PARTS, type ReleasePart } from '../../scripts/release/verify/parts.ts';
import { passedParts } from '../../scripts/release/verify/verify.ts';

const NAMES = RELEASE_PARTS.map(({ name }) => name);
const FILES = new Map(RELEASE_PARTS.map((part) => [part.name, filesOf(part)]));
const graph = importGraph(['scripts', 'test']);

/** A copy of everything that the parts name. */
let copy: string;
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'ticketscan-parts-'));
  for (const file of new Set(['package.json', ...[...FILES.values()].flat()])) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(file, join(copy, file));
  }
});
afterAll(() => rmSync(copy, { recursive: true }));

/** The parts that are concerned by a change in the copy. */
function concernedBy(change: (root: string) => void): string[] {
  const before = Object.fromEntries(RELEASE_PARTS.map((part) => [part.name, sumOf(part, copy)]));
  change(copy);
  return changedParts(before, copy).map(({ name }) => name);
}

test('every test of a release is in one part', () => {
  const named = RELEASE_PARTS.flatMap(({ tests }) => tests);
  expect(named.toSorted()).toEqual(globSync('test/**/*.release.test.ts').sort());
  expect(new Set(NAMES).size).toBe(NAMES.length);
});

test('what makes a release, and what only a release brings, is content of a part', () => {
  const all = new Set([...FILES.values()].flat());
  const makers = globSync(['scripts/release/**', 'ops/**', 'bin/**', 'fixtures/cost/**'], {
    withFileTypes: true,
  })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    // What runs the parts is no content of any.
    .filter((file) => !file.startsWith('scripts/release/verify/'));
  expect(makers.length).toBeGreaterThan(25);
  expect(makers.filter((file) => !all.has(file))).toEqual([]);
  expect(all).toContain('package-lock.json');
  const members = new Set(RELEASE_PARTS.flatMap(({ packageMembers = [] }) => packageMembers));
  for (const member of ['files', 'bin', 'exports', 'engines'] as const)
    expect(members).toContain(member);
});

const HELPERS = /^(?:scripts|test\/install)\//;
/** They write what the checker says of its cases; `npm test` guards it. */
const MADE_OF_TEXTS = new Set(['scripts/check-cases-page.ts', 'scripts/device-cases-page.ts']);

test.each(RELEASE_PARTS)('$name has in its content what its tests take from scripts', (part) => {
  const files = new Set(FILES.get(part.name));
  const reached = new Set(part.tests.flatMap((path) => graph.get(path) ?? []));
  for (const file of reached)
    if (HELPERS.test(file)) for (const next of graph.get(file) ?? []) reached.add(next);
  const missing = [...reached].filter((file) => HELPERS.test(file) && !files.has(file));
  expect(missing.filter((file) => !MADE_OF_TEXTS.has(file))).toEqual([]);
});

test.each<[string, (root: string) => void, string[]]>([
  ['a byte of a unit', add('scripts/release/deb.ts'), ['files', 'deb']],
  ['an alert', add('ops/prometheus/alerts.yml'), ['ops']],
  ['the command', add('bin/ticketscan.js'), ['package']],
  ['a dependency', add('package-lock.json'), ['package', 'executable', 'files']],
  ['the list of files in the package', packageWith({ files: ['dist'] }), ['package', 'files']],
  [
    'the name of the command',
    packageWith({ bin: { scan: 'bin/ticketscan.js' } }),
    ['package', 'files'],
  ],
  ['a script of the checkout', packageWith({ scripts: {} }), []],
  ['a test', add('test/e2e/season.release.test.ts'), ['season']],
  [
    'who may execute a file',
    (root) => chmodSync(join(root, 'bin/ticketscan.js'), 0o644),
    ['package'],
  ],
  [
    'the name of a file',
    (root) =>
      renameSync(join(root, 'ops/grafana/ticketscan.json'), join(root, 'ops/grafana/gate.json')),
    ['ops'],
  ],
  ['a new file', (root) => writeFileSync(join(root, 'ops/new.yml'), ''), ['ops']],
  ['only the time of a file', (root) => utimesSync(join(root, 'bin/ticketscan.js'), 1, 1), []],
])('a change of %s concerns its parts', (_what, change, parts) => {
  expect(concernedBy(change)).toEqual(parts);
});

function add(file: string) {
  return (root: string) => writeFileSync(join(root, file), '\n', { flag: 'a' });
}

function packageWith(members: object) {
  return (root: string) => {
    const path = join(root, 'package.json');
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...members }));
  };
}

test('a glob that finds no file is refused, and a member that package.json lacks', () => {
  const part = { name: 'x', about: '', tests: [], content: ['bin/*'] } satisfies ReleasePart;
  expect(() => sumOf({ ...part, content: ['bin/gone-*'] })).toThrow('bin/gone-*');
  expect(() => sumOf({ ...part, tests: ['test/gone.release.test.ts'] })).toThrow('test/gone');
  expect(() => sumOf({ ...part, packageMembers: ['gone' as 'bin'] })).toThrow('gone');
});

test('a part without a sum is changed; a sum without a part is not kept', () => {
  expect(changedParts({}).map(({ name }) => name)).toEqual(NAMES);
  expect(NAMES).toEqual(expect.arrayContaining(Object.keys(readVerified())));
});

test('a part passes when each of its tests ran and passed', () => {
  const [one, other] = RELEASE_PARTS as [ReleasePart, ReleasePart];
  const report = (status: 'passed' | 'failed', ...tests: ('passed' | 'failed' | 'skipped')[]) => ({
    status,
    name: resolve(one.tests[0] ?? ''),
    assertionResults: tests.map((each) => ({ status: each })),
  });
  const passed = (...results: ReturnType<typeof report>[]) =>
    passedParts([one, other], { testResults: results as never }).map(({ name }) => name);

  expect(passed(report('passed', 'passed', 'passed'))).toEqual([one.name]);
  expect(passed(report('failed', 'passed', 'failed'))).toEqual([]);
  expect(passed(report('failed', 'passed'))).toEqual([]);
  expect(passed(report('passed', 'passed', 'skipped'))).toEqual([]);
  expect(passed(report('passed'))).toEqual([]);
  expect(passed()).toEqual([]);
});

test.each([
  [['--verify', 'debs'], 'A release has no part debs.'],
  [['deb'], 'only be named with --verify'],
])('npm run release -- %s is refused', (args, message) => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/release/main.ts', ...args], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(message) });
});
