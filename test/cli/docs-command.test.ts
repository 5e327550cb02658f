import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { manualPages } from '../../src/kit/program-files.ts';
import { InProcess } from '../support/in-process.ts';
import { helpOf, leavesOf } from './support/leaves.ts';

const folder = new InProcess();
afterAll(() => folder[Symbol.asyncDispose]());
const pages = [...manualPages()];

test('docs lists every page for users with its title, and none for contributors', async () => {
  const { code, out } = await folder.run('docs');
  expect(code).toBe(0);
  for (const [name] of pages) expect(out).toMatch(new RegExp(`^${name} +\\S`, 'm'));
  expect(pages.length).toBeGreaterThan(25);
  expect(out).not.toMatch(/architecture|mutation|releasing/i);
});

test.each(pages)('docs %s is the whole page, readable on a terminal', async (name, path) => {
  const { code, out } = await folder.run(['docs', name]);
  expect(code).toBe(0);
  expect(out).not.toMatch(/\]\([\w./#-]+\)|^```|<a id=|\*\*/m);
  const wordsIn = (text: string) =>
    text.replaceAll(/\]\([^)]*\)/g, '').match(/[A-Za-z]{5,}/g) ?? [];
  const shown = new Set(wordsIn(out));
  const lost = wordsIn(readFileSync(`docs/${path}`, 'utf8').replaceAll(/^\s*```.*$/gm, ''));
  expect(lost.filter((word) => !shown.has(word))).toEqual([]);
});

test('a page is found by its path too, and a near name is suggested', async () => {
  expect(await folder.run('docs docs/gate/postgres.md')).toEqual(await folder.run('docs postgres'));
  const { code, err } = await folder.run('docs postgrse');
  expect(code).toBe(2);
  expect(err).toContain('Unknown page "postgrse". Did you mean "postgres"?');
});

/** The sources without comments, which only contributors read. */
const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => {
    const text = readFileSync(`src/${name}`, 'utf8');
    return [name, text.replaceAll(/^\s*(?:\/?\*|\/\/).*$/gm, '')] as const;
  });

test('no message and no help names a file of docs, which the executable and the container do not have', async () => {
  const named = sources.flatMap(([name, text]) => {
    const files = text.match(/(?:docs|gate|testing|devices)\/[\w/-]+\.md\b|\b[\w-]+\.md#/g) ?? [];
    return files.map((file) => `${name}: ${file}`);
  });
  expect(named).toEqual([]);
  const helps = (await leavesOf()).map((leaf) => helpOf(leaf));
  expect(helps.filter((help) => /docs\/|\b\w+\.md\b/.test(help))).toEqual([]);
});

test('every page that a message or a help names is there', () => {
  const named = sources.flatMap(([name, text]) =>
    [...text.matchAll(/ticketscan docs ([a-z][\w-]+)/g)].map(([, page]) => ({ name, page })),
  );
  const known = pages.map(([name]) => name);
  expect(named.filter(({ page = '' }) => !known.includes(page))).toEqual([]);
  expect(named.length).toBeGreaterThan(8);
});
