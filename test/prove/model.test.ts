import { expect, test } from 'vitest';
import { SMALL } from '../../prove/model/bounds.ts';
import { RIGHT } from '../../prove/model/rules.ts';
import { search } from '../../prove/model/search.ts';
import { TWINS, WITHOUT_TWIN } from '../../prove/model/twins.ts';
import { PLANTED_BUGS } from '../../prove/planted/bugs.ts';

test('no state that two requests can reach breaks a promise', () => {
  const { broken, complete, states } = search(SMALL, RIGHT, 1e6);
  expect({ broken, complete }).toEqual({ complete: true });
  expect(states).toBeGreaterThan(25_000);
});

test('each bug that is planted into the program has a twin in the model, or is named as one without', () => {
  const twins = new Set(TWINS.map(({ name }) => name));
  const without = PLANTED_BUGS.map(({ name }) => name).filter((name) => !twins.has(name));
  expect(without.sort()).toEqual([...WITHOUT_TWIN].sort());
});
