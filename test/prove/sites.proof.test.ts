import { expect, test } from 'vitest';
import { SEARCHED } from '../../prove/sites/bounds.ts';
import { RIGHT } from '../../prove/sites/protocol.ts';
import { brokenBy, search } from '../../prove/sites/search.ts';
import { TWINS } from '../../prove/sites/twins.ts';

test('a million states of a centre and its sites, and none breaks a promise', () => {
  const searched = SEARCHED.map((bound) => search(bound, RIGHT));
  for (const { broken, complete } of searched)
    expect({ broken, complete }).toEqual({ complete: true });
  expect(searched.reduce((sum, { states }) => sum + states, 0)).toBeGreaterThan(1e6);
});

test.each(TWINS.map((twin) => [twin.name, twin] as const))('%s is found', (_name, twin) => {
  expect(brokenBy(twin).broken).toMatchObject({ promise: expect.any(String) });
});
