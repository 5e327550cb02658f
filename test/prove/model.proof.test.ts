import { expect, test } from 'vitest';
import { SEARCHED } from '../../prove/model/bounds.ts';
import { brokenBy } from '../../prove/model/model-part.ts';
import { RIGHT } from '../../prove/model/rules.ts';
import { search } from '../../prove/model/search.ts';
import { TWINS } from '../../prove/model/twins.ts';

test('a million states, and none breaks a promise', () => {
  const searched = SEARCHED.map((bound) => search(bound, RIGHT, 5e6));
  for (const { broken, complete } of searched)
    expect({ broken, complete }).toEqual({ complete: true });
  expect(searched.reduce((sum, { states }) => sum + states, 0)).toBeGreaterThan(1e6);
});

test.each(TWINS.map((twin) => [twin.name, twin] as const))(
  'a service that %s is found',
  (_name, twin) => {
    expect(brokenBy(twin).broken).toMatchObject({ promise: expect.any(String) });
  },
);
