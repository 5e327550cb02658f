import { expect, test } from 'vitest';
import { expectFound } from './expect-found.ts';
import { checkServer } from './found.ts';
import { faultsByTheClock } from './selection.ts';

expectFound(faultsByTheClock());

test('over sockets and by the clock of this machine, a cache of keys is found as well', async () => {
  const faulty = faultsByTheClock().find(({ name }) => name.startsWith('keeps keys in a cache'));
  const only = ['3.1/disabled-at-once'];
  const { findings } = await checkServer(faulty ?? {}, ({ keyHooks }) => ({ keyHooks, only }));
  expect(findings.map(({ id }) => id)).toEqual(only);
});
