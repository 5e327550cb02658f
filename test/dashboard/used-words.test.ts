import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DESK_TEXTS as TEXTS } from '../../src/dashboard/i18n/desk-texts.ts';

const FOLDER = 'src/dashboard';
const TABLES = /i18n\/.*(texts|words|reasons)\.ts$/u;
/** The server names their texts: by outcomes, refusals, and what the audit log writes. */
const NAMED_ELSEWHERE: ReadonlySet<string> = new Set([
  ...['outcomes', 'reasons', 'acts', 'details', 'detailValues'],
]);
/** The library puts these classes on its elements. */
const OF_THE_LIBRARY = /^mantine-/u;

function read(pattern: string): string {
  const paths = globSync(`${FOLDER}/**/${pattern}`).filter((path) => !TABLES.test(path));
  return paths.map((path) => readFileSync(path, 'utf8')).join('\n');
}

const sources = read('*.{ts,tsx}');
const words = new Set(sources.match(/[\w-]+/gu));

test('every text is read somewhere', () => {
  const unread = Object.entries(TEXTS.en)
    .filter(([table]) => !NAMED_ELSEWHERE.has(table))
    .flatMap(([table, texts]) =>
      typeof texts === 'object' ? [table, ...Object.keys(texts)] : [table],
    );
  expect(unread.length).toBeGreaterThan(400);
  expect(unread.filter((name) => !words.has(name))).toEqual([]);
});

test('every class of the style sheets is used somewhere', () => {
  const selectors = read('*.css').replace(/\/\*[\s\S]*?\*\/|\{[^{}]*\}/gu, ' ');
  const classes = [...selectors.matchAll(/\.([a-z][\w-]*)/gu)].map(([, name = '']) => name);
  expect(classes.length).toBeGreaterThan(100);
  const unused = new Set(classes.filter((name) => !words.has(name) && !OF_THE_LIBRARY.test(name)));
  expect([...unused]).toEqual([]);
});
