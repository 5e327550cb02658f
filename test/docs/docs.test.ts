import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { configurationPage } from '../../scripts/configuration-page.ts';
import { storeSchema } from '../../scripts/store-schema.ts';
import { COMMANDS } from '../../src/cli/command-table.ts';

const read = (path: string) => readFileSync(path, 'utf8');

test('docs/configuration.md is what `npm run docs` writes', () => {
  expect(read('docs/configuration.md')).toBe(configurationPage());
});

test('docs/ticketscan-store.schema.json is what `npm run docs` writes', () => {
  expect(read('docs/ticketscan-store.schema.json')).toBe(storeSchema());
});

test('docs/dependencies.md names every package inside, in its version', () => {
  const rows = [...read('docs/dependencies.md').matchAll(/^\| `([^`]+)` \| (\S+) \|/gm)];
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

test('links between the pages lead somewhere', () => {
  const pages = [
    'README.md',
    'CONTRIBUTING.md',
    ...readdirSync('docs')
      .filter((file) => file.endsWith('.md'))
      .map((file) => `docs/${file}`),
  ];
  for (const page of pages) {
    const folder = page.includes('/') ? 'docs/' : '';
    for (const [, link = ''] of read(page).matchAll(/\]\((?!https?:)([^)#]+)/g)) {
      const exists =
        [...readdirSync('.', { recursive: false })].includes(link) || tryRead(folder + link);
      expect(exists, `${page} links to ${link}`).toBe(true);
    }
  }
});

function tryRead(path: string): boolean {
  try {
    readdirSync(path);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOTDIR';
  }
}
