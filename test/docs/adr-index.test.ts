import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const FOLDER = 'docs/adr/';
const LINE = /^- \[(\d{4}: [^\]]+)\]\((\d{4}-[\w-]+\.md)\): .+\.$/;
const READ = '{src,test,scripts,prove,bench,fixtures,docs}/**/*.{ts,tsx,js,json,md,yaml}';
/** `ADR 0013–0015`, or the name of a file in a link. */
const NAMED = /\bADRs? (\d{4}(?:(?:, |–| and )\d{4})*)|\b(\d{4}-[a-z-]+\.md)\b/g;
const read = (file: string) => readFileSync(file, 'utf8');
const decisions = globSync(`${FOLDER}0*.md`).sort();

test('the index of decisions has one line for each, with its title', () => {
  const lines = read(`${FOLDER}README.md`)
    .split('\n')
    .filter((line) => line.startsWith('- '));
  const titled = decisions.map((path) => [
    /^# (.+)$/m.exec(read(path))?.[1],
    path.slice(FOLDER.length),
  ]);
  expect(lines.map((line) => LINE.exec(line)?.slice(1, 3) ?? line).toSorted()).toEqual(titled);
});

test('whatever names a decision by its number or file names one that is there', () => {
  const files = decisions.map((path) => path.slice(FOLDER.length));
  const known = [...files, ...files.map((file) => file.slice(0, 4))];
  const named = [...globSync(READ), ...globSync('*.md'), '.dependency-cruiser.js'].flatMap((path) =>
    [...read(path).matchAll(NAMED)].flatMap(([, numbers, file = '']) =>
      (numbers?.split(/\D+/) ?? [file]).map((name) => ({ path, name })),
    ),
  );
  expect(named.length).toBeGreaterThan(decisions.length);
  expect(named.filter(({ name }) => !known.includes(name))).toEqual([]);
});

test('what a decision names in the sources is there', () => {
  const rooms = [
    ...readdirSync('src'),
    'src',
    'test',
    'prove',
    'scripts',
    'fixtures',
    'bin',
    'bench',
  ];
  const missing = decisions.flatMap((decision) =>
    [...read(decision).matchAll(/`([a-z-]+)(\/[\w./-]+)`/g)]
      .filter(([, room = '']) => rooms.includes(room))
      .map(([, room, rest]) => `${room}${rest}`)
      .filter((path) => ![path, `src/${path}`, `src/${path}.ts`].some((file) => existsSync(file))),
  );
  expect(missing).toEqual([]);
});
