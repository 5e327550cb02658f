import { expect, test } from 'vitest';
import { askedAgain, bothInForce, type InForceAt } from '../../src/core/in-force.ts';

function inForceAt(at: number, ...parts: [site: string, ticket: string, since: number | null][]) {
  const sites = parts.map(([id, , since]) => ({ id, name: id, since, heardAt: at }));
  return { at, tickets: parts.map(([, ticket]) => ticket), sites } satisfies InForceAt<number>;
}

test('of two steps, the later counts for each site, with the ticket by which it is asked again', () => {
  const first = inForceAt(1, ['north', 'tkt_a', 1], ['south', 'tkt_b', null]);
  const second = inForceAt(2, ['north', 'tkt_c', null], ['west', 'tkt_d', null]);
  expect(bothInForce(first, second)).toEqual({
    at: 2,
    tickets: ['tkt_b', 'tkt_c', 'tkt_d'],
    sites: [first.sites[1], ...second.sites],
  });
  expect(bothInForce(undefined, second)).toBe(second);
  expect(bothInForce(first, undefined)).toBe(first);
  expect(bothInForce(undefined, undefined)).toBeUndefined();
});

test('a change of tickets is asked again by tickets, one of keys by its time and its sites', () => {
  expect(askedAgain(inForceAt(1, ['north', 'tkt_a', 1], ['south', 'tkt_b', null]))).toEqual({
    tickets: 'tkt_a,tkt_b',
  });
  const ofKeys = { ...inForceAt(5, ['north', '', 5], ['south', '', null]), tickets: [] };
  expect(askedAgain(ofKeys)).toEqual({ at: 5, sites: 'north,south' });
});
