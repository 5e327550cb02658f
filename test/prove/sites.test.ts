import { expect, test } from 'vitest';
import { SMALL } from '../../prove/sites/bounds.ts';
import { RIGHT } from '../../prove/sites/protocol.ts';
import { search } from '../../prove/sites/search.ts';

test('no state that a centre and its sites can reach breaks a promise', () => {
  const searched = SMALL.map((bound) => search(bound, RIGHT));
  for (const { broken, complete } of searched)
    expect({ broken, complete }).toEqual({ complete: true });
  expect(searched.reduce((sum, { states }) => sum + states, 0)).toBeGreaterThan(10_000);
});
