import { expect, test } from 'vitest';
import { compareIn } from '../../../src/check/explore/compare.ts';
import { device, rest } from '../../mutants/faults/faulty-server.ts';
import type { ServerOptions } from '../../mutants/reference/server.ts';
import { virtualServers } from '../../mutants/reference/virtual-world.ts';

/** Compares the reference server with another one, in a world where no second passes in vain. */
function comparison(
  other: ServerOptions = {},
  { budget = 400, consume = true, isUsed = false } = {},
) {
  const { world, a, b } = virtualServers({}, other);
  if (isUsed)
    for (const ticket of b.served.tickets.values()) ticket.usesConsumed = ticket.usesAllowed;
  const usesOf = () =>
    [a, b].map(({ served }) => [...served.tickets.values()].map((one) => one.usesConsumed));
  const before = usesOf();
  const side = ({ baseUrl, target }: typeof a) => ({
    baseUrl,
    target: { ...target, limits: { rate: 1e6, burst: 1e6 } },
    consume,
  });
  const compared = compareIn(world, { a: side(a), b: side(b), seed: 1, budget });
  return world.run(compared.then((result) => ({ ...result, before, after: usesOf() })));
}

test('two right servers are alike', async () => {
  const { verdict, differences, faults, before, after } = await comparison();
  expect({ verdict, differences, faults }).toEqual({
    verdict: 'alike',
    differences: [],
    faults: [],
  });
  expect(after).not.toEqual(before);
  expect(after[0]).toEqual(after[1]);
});

test('what is free and differs is told, and is no deviation', async () => {
  const { verdict, differences } = await comparison({
    alter: device((body) => ({ ...body, ActIndex: '1' })),
  });
  expect(verdict).toBe('alike');
  expect(differences.length).toBeGreaterThan(0);
  expect(new Set(differences.map(({ level }) => level))).toEqual(new Set(['unstated']));
  expect(differences[0]).toMatchObject({ what: 'ActIndex', a: '"0"', b: '"1"' });
});

test('without consent no use is taken on either side', async () => {
  const { requests, before, after, verdict } = await comparison({}, { consume: false });
  expect(requests).toBeGreaterThan(390);
  expect(after).toEqual(before);
  expect(verdict).toBe('alike');
});

test('a field that samples do not show is observed', async () => {
  const { verdict, differences } = await comparison({
    alter: rest((body) => ({ ...body, gate: 'A' })),
  });
  expect(verdict).toBe('alike');
  expect(differences[0]).toMatchObject({ level: 'observed', what: 'fields' });
});

test('a stated difference makes the two differ, and the wrong server is named', async () => {
  const { verdict, differences, faults } = await comparison({
    alter: () => ({ register: () => undefined }),
  });
  expect(verdict).toBe('differ');
  expect(differences[0]?.level).toBe('stated');
  expect(faults.map(({ server }) => server)).toEqual(['b']);
});

test('tickets that were used at one of the two are noted, and are no difference', async () => {
  const { verdict, differences, notes } = await comparison({}, { isUsed: true });
  expect(differences.filter(({ level }) => level === 'stated')).toEqual([]);
  expect(notes.join()).toMatch(/tickets had other uses at one server/);
  expect(verdict).toBe('alike');
});
