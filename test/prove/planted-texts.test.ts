import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PLANTED_BUGS } from '../../prove/planted/bugs.ts';
import { SPLIT_MISTAKES } from '../../prove/splits/mistakes.ts';

// A run that plants them is long and seldom: here a text that was rewritten is seen at once.
test.each([...PLANTED_BUGS, ...SPLIT_MISTAKES])(
  'every text that "$name" changes stands in the sources exactly once',
  ({ edits }) => {
    for (const { file, text } of edits) {
      const source = readFileSync(new URL(`../../src/${file}`, import.meta.url), 'utf8');
      expect(source.split(text).length - 1, `${file}: ${text}`).toBe(1);
    }
  },
);
