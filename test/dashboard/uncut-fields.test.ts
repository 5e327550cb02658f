import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Attributes and calls by which a field shortens what is pasted, without a word to who pasted it. */
const CUTS = [
  /\bmaxLength=/u,
  /\bmaxlength=/u,
  /currentTarget[^;\n]*\.(?:slice|substring|substr)\(/u,
];

test('no field of the page cuts what is pasted: it says that it is too long', () => {
  const files = globSync('src/dashboard/**/*.{tsx,ts,html}');
  expect(files.length).toBeGreaterThan(60);
  const cutting = files.filter((file) => {
    const text = readFileSync(file, 'utf8');
    return CUTS.some((cut) => cut.test(text));
  });
  expect(cutting).toEqual([]);
});
