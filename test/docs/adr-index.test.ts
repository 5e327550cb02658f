import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const FOLDER = new URL('../../docs/adr/', import.meta.url);
const LINE = /^- \[(\d{4}: [^\]]+)\]\((\S+\.md)\): (.+\.)$/;

test('the index of decisions has one line for each, in order, with its title and what it settles', () => {
  const read = (file: string) => readFileSync(new URL(file, FOLDER), 'utf8');
  const files = readdirSync(FOLDER).filter((file) => file !== 'README.md');

  const listed = read('README.md')
    .split('\n')
    .filter((line) => line.startsWith('- '));

  const titled = files.toSorted().map((file) => [/^# (.+)$/m.exec(read(file))?.[1], file]);
  expect(listed.map((line) => LINE.exec(line)?.slice(1, 3) ?? line)).toEqual(titled);
});
