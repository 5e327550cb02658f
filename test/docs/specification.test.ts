import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checkCasesPage } from '../../scripts/check-cases-page.ts';
import { deviceCasesPage } from '../../scripts/device-cases-page.ts';
import { specificationSections } from '../../scripts/specification-sections.ts';
import { cellsOf, sectionOf, sectionOn } from '../../src/check/cases/case.ts';
import { NOT_CHECKABLE } from '../../src/check/cases/not-checkable.ts';
import { CASES } from '../../src/check/sections/index.ts';
import { SECTIONS } from '../../src/check/specification/specification.ts';

const read = (path: string) => readFileSync(path, 'utf8');
const page = read('docs/testing/specification.md');
const anchors = [...page.matchAll(/<a id="([^"]+)"><\/a>/g)].map(([, id = '']) => id);
const cited = new Set([
  ...CASES.map(({ id }) => sectionOf(id)),
  ...CASES.flatMap((one) => cellsOf(one).map(({ endpoint }) => sectionOn(one.id, endpoint))),
  ...NOT_CHECKABLE.map(({ section }) => section),
]);

test('the sections in the program are those of the page, as `npm run docs` writes them', () => {
  expect(read('src/check/specification/sections.json')).toBe(specificationSections());
});

test('no anchor is there twice, and each stands at its own heading or statement', () => {
  expect(anchors).toEqual([...new Set(anchors)]);
  expect(anchors).toEqual(anchors.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true })));
  for (const [, id, heading] of page.matchAll(/^<a id="([^"]+)"><\/a>\n\n#+ (\S+) /gm))
    expect(heading).toBe(id);
});

test('every section that a case cites is on the page', () => {
  expect([...cited].filter((section) => !SECTIONS.has(section))).toEqual([]);
});

test('every section is cited by a case, listed as not checkable, or requires nothing', () => {
  const uncited = [...SECTIONS.values()].filter(({ number }) => !cited.has(number));
  const requiring = uncited.filter(
    ({ text }) => text !== '' && !text.startsWith('Nothing is required here'),
  );
  expect(requiring.map(({ number }) => number)).toEqual([]);
});

test('links to an anchor of the page lead to one', () => {
  const links = [
    ...page.matchAll(/\]\(#([^)]+)\)/g),
    ...[...pages('docs').map(read), checkCasesPage(), deviceCasesPage()].flatMap((text) => [
      ...text.matchAll(/specification\.md#([\d.]+\d)/g),
    ]),
  ].map(([, id]) => id);

  expect(links.length).toBeGreaterThan(10);
  expect(links.filter((id) => !anchors.includes(id ?? ''))).toEqual([]);
});

test('every section of the specification that a comment or a page names is there', () => {
  const wrong = [...pages('docs'), ...pages('src'), ...pages('test')].flatMap((file) =>
    sectionsNamedIn(read(file))
      .filter((number) => !anchors.includes(number))
      .map((number) => `${file}: section ${number}`),
  );
  expect(wrong).toEqual([]);
});

function pages(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(md|tsx?)$/.test(file))
    .map((file) => `${folder}/${file}`);
}

/** Numbers after the word, but not those of an RFC. */
function sectionsNamedIn(text: string): string[] {
  const plain = text.replace(/RFC \d+,? sections? [\d.]+/gi, '');
  return [...plain.matchAll(/\bsections? (\d(?:\.\d+)*)(?:(?: and |, )(\d\.\d+))?/gi)].flatMap(
    ([, first, second]) => [first ?? '', ...(second === undefined ? [] : [second])],
  );
}
