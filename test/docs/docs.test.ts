import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, matchesGlob, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { configurationPage } from '../../scripts/configuration-page.ts';
import { routesPage } from '../../scripts/routes-page.ts';
import { COMMANDS } from '../../src/cli/command-table.ts';

const read = (path: string) => readFileSync(path, 'utf8');

test('docs/gate/configuration.md is what `npm run docs` writes', () => {
  expect(read('docs/gate/configuration.md')).toBe(configurationPage());
});

test('docs/contributing/routes.md is what `npm run docs` writes, and has every file with a route', async () => {
  const page = await routesPage();
  expect(read('docs/contributing/routes.md')).toBe(page);
  const withRoutes = globSync('src/**/*.ts').filter((file) =>
    /\bapp\.(?:get|post|patch|delete)(?:<[^>]*>)?\(/.test(read(file)),
  );
  expect(withRoutes.length).toBeGreaterThan(5);
  expect(withRoutes.filter((file) => !page.includes(`| ${file} |`))).toEqual([]);
});

test('docs/contributing/dependencies.md names every package inside, in its version', () => {
  const rows = [
    ...read('docs/contributing/dependencies.md').matchAll(/^\| `([^`]+)` \| (\S+) \|/gm),
  ];
  for (const [, name, version] of rows) {
    const installed = JSON.parse(read(`node_modules/${name}/package.json`)) as { version: string };
    expect([name, version]).toEqual([name, installed.version]);
  }
  const named = new Set(rows.map(([, name]) => name));
  for (const file of readdirSync('src', { recursive: true, encoding: 'utf8' })) {
    if (!/\.tsx?$/.test(file)) continue;
    const imports = read(`src/${file}`).matchAll(/(?:^import|from|import\()\s*'([@a-z][^':]*)'/gm);
    for (const [, path = ''] of imports) {
      const name = path.split('/', path.startsWith('@') ? 2 : 1).join('/');
      if (['vitest', 'ticketscan'].includes(name)) continue;
      expect(named.has(name), `${file}: ${name} is in the page`).toBe(true);
    }
  }
});

test('the page on commands names every command', () => {
  const page = read('docs/commands.md');
  for (const { name } of COMMANDS) expect(page).toMatch(new RegExp(`\`${name}[\` ]`));
});

/** The pages for readers; those of decisions are on their own. */
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  ...globSync('docs/**/*.md').filter((file) => !file.startsWith('docs/adr/')),
];

test.each(PAGES)('the links of %s lead somewhere', (page) => {
  const broken = linksOf(page).filter(
    ({ file, heading }) =>
      !existsSync(file) || (heading !== undefined && !anchorsOf(file).has(heading)),
  );
  expect(broken).toEqual([]);
});

test('a page in the package links to files that are in the package', () => {
  const { files } = JSON.parse(read('package.json')) as { files: string[] };
  const isIn = (file: string) =>
    [...files, 'README.md', 'LICENSE'].some((entry) => isBelow(file, entry)) &&
    !files.some((entry) => entry.startsWith('!') && isBelow(file, entry.slice(1)));
  const packed = PAGES.filter(isIn);

  // Large ones are left out.
  const isPicture = (file: string) => file.endsWith('.png');
  // These two also lead those who work on the program.
  const leading = ['README.md', 'docs/README.md'];
  const missing = packed
    .filter((page) => !leading.includes(page))
    .flatMap((page) => linksOf(page).filter(({ file }) => !isIn(file) && !isPicture(file)));

  expect(packed.length).toBeGreaterThan(20);
  expect(missing).toEqual([]);
});

function isBelow(file: string, entry: string): boolean {
  return file === entry || file.startsWith(`${entry}/`) || matchesGlob(file, entry);
}

/** The relative links of a page: the file, and the heading in it. */
function linksOf(page: string): { page: string; file: string; heading: string | undefined }[] {
  return [...read(page).matchAll(/\]\((?!\w+:)([^)#]*)(?:#([^)]+))?\)/g)].map(
    ([, path = '', heading]) => ({
      page,
      file: path === '' ? page : normalize(join(dirname(page), path)),
      heading,
    }),
  );
}

/** The anchors that GitHub gives the headings of a page, and those that stand in it. */
function anchorsOf(page: string): Set<string> {
  const text = read(page);
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return new Set([
    ...headings,
    ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id),
  ]);
}
