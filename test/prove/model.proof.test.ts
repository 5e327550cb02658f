import { expect, test } from 'vitest';
import { THREE_REQUESTS, TWO_CHANGES } from '../../prove/model/bounds.ts';
import { brokenBy } from '../../prove/model/model-part.ts';
import { search } from '../../prove/model/search.ts';
import { RIGHT } from '../../prove/model/system.ts';
import { TWINS } from '../../prove/model/twins.ts';

test.each([THREE_REQUESTS, TWO_CHANGES])('no state within the bound breaks a promise', (bound) => {
  const { broken, complete } = search(bound, RIGHT, 5e6);
  expect({ broken, complete }).toEqual({ complete: true });
});

test.each(TWINS.map((twin) => [twin.name, twin] as const))(
  'a service that %s is found',
  (_name, twin) => {
    expect(brokenBy(twin).broken).toMatchObject({ promise: expect.any(String) });
  },
);
