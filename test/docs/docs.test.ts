import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import packageFile from '../../package.json' with { type: 'json' };
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

test('every runtime dependency has its reason', () => {
  const named = [...read('docs/dependencies.md').matchAll(/^\| `([^`]+)` \|/gm)].map(
    ([, name]) => name,
  );
  expect(named.sort()).toEqual(Object.keys(packageFile.dependencies).sort());
});

test('the README names every command', () => {
  for (const { name } of COMMANDS) expect(read('README.md')).toContain(`\`${name}\``);
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
