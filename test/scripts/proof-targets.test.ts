import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PLANTED_BUGS } from '../../prove/planted/bugs.ts';
import stryker from '../../stryker.config.json' with { type: 'json' };
import mutants from '../../vitest.mutants.config.ts';

/** One pattern for each alternative of its first braces, for their own, and so on. */
function alternatives(pattern: string): string[] {
  const [all, before, choices, after] = /^([^{]*)\{([^}]*)\}(.*)$/.exec(pattern) ?? [];
  if (all === undefined) return [pattern];
  return (choices ?? '').split(',').flatMap((choice) => alternatives(`${before}${choice}${after}`));
}

// A moved file would leave the proofs silently: fewer mutants, fewer tests held against them, a bug that is not there.
test.each([...stryker.mutate, ...(mutants.test?.include ?? [])].flatMap(alternatives))(
  'mutants: %s is there',
  (pattern) => expect(globSync(pattern)).not.toEqual([]),
);

test.each(PLANTED_BUGS.flatMap(({ name, edits }) => edits.map((edit) => ({ name, ...edit }))))(
  'the place of a program that $name is there once, in $file',
  ({ file, text }) => expect(readFileSync(join('src', file), 'utf8').split(text)).toHaveLength(2),
);
