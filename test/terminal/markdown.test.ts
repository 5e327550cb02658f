import { expect, test } from 'vitest';
import { SECTIONS } from '../../src/check/specification/specification.ts';
import { terminalLines } from '../../src/terminal/markdown.ts';

test.each([...SECTIONS.values()])(
  'section $number is readable on a terminal: no table marks, no addresses of links, no line too wide by its table',
  ({ text }) => {
    const lines = terminalLines(text, 100);
    for (const line of lines) {
      expect(line).not.toMatch(/^\||\|\s*-{3}|\]\(|\*\*|\n/);
    }
    const words = (given: string) => given.match(/[A-Za-z]{4,}/g) ?? [];
    const shown = new Set(words(lines.join(' ')));
    const lost = words(text.replace(/\]\([^)]*\)/g, '')).filter((word) => !shown.has(word));
    expect(lost).toEqual([]);
  },
);

test('a table has a line for each row', () => {
  const lines = terminalLines('Before:\n\n| a | b |\n|---|---|\n| x \\| y | [z](page.md#z) |', 80);
  expect(lines).toEqual(['Before:', '', 'a      b', 'x | y  z']);
});
