import { expect, test } from 'vitest';
import {
  answered,
  asking,
  freed,
  givenAway,
  type Home,
  heard,
  isOfThisStay,
  type Word,
} from '../../src/core/event-home.ts';

const BEYOND = 1000;
const word = (site: string, epoch: number, changes: Partial<Word> = {}): Word => ({
  site,
  epoch,
  isClosed: false,
  newest: 3,
  ...changes,
});
const asked = (home: Home, ...sites: string[]) => asking(home, sites, BEYOND);
const AT_CENTRE: Home = { at: 'centre', epoch: 1 };

test('whoever had the event is asked as well as every site that may be heard', () => {
  const before: Home = { at: 'away', epoch: 2, site: 'north.1' };
  const one = asked(before, 'north.2', 'south.1');
  expect(one).toEqual({ at: 'asking', epoch: BEYOND, sites: ['north.2', 'south.1', 'north.1'] });
  const claimed = answered(one, 'north.1', word('north.1', 2), 9);
  const again = asked(claimed, 'north.2', 'east.1');
  expect(again).toMatchObject({ sites: ['north.2', 'east.1', 'south.1', 'north.1'] });
  expect(again).not.toHaveProperty('claim');
  expect(asked(before)).toBe(before);
});

test('of two sites that go on with an event, the one with the later stay has it', () => {
  for (const order of [
    ['north.1', 'south.1'],
    ['south.1', 'north.1'],
  ]) {
    let home = asked(AT_CENTRE, 'north.1', 'south.1');
    for (const site of order)
      home = answered(home, site, word(site, site === 'north.1' ? 2 : 3), 0);
    expect(home).toEqual({ at: 'away', epoch: 3, site: 'south.1', highest: BEYOND });
  }
});

test('what a site has that goes on is its own while others are asked', () => {
  const home = answered(asked(AT_CENTRE, 'north.1', 'south.1'), 'north.1', word('north.1', 2), 0);
  const row = { after: 3, number: 4 };
  expect(isOfThisStay(home, { ...row, site: 'north.1', epoch: 2 })).toBe(true);
  expect(isOfThisStay(home, { ...row, site: 'north.1', epoch: 0 })).toBe(false);
  expect(isOfThisStay(home, { ...row, site: 'south.1', epoch: 1 })).toBe(true);
  expect(isOfThisStay(home, { ...row, site: 'east.1', epoch: 2 })).toBe(false);
  const without = freed(home, 'south');
  expect(without).toMatchObject({ at: 'away', site: 'north.1' });
  expect(freed(home, 'north')).toEqual({ at: 'asking', epoch: BEYOND, sites: ['south.1'] });
});

test('a store says nothing for a site of which the centre knows none, unless it goes on with the event', () => {
  const home = asked(AT_CENTRE, 'north.');
  expect(answered(home, 'north.1', undefined, 0)).toBe(home);
  expect(answered(home, 'north.1', word('north.1', 2, { isClosed: true }), 9)).toBe(home);
  expect(answered(home, 'north.1', word('north.1', 2), 0)).toMatchObject({
    at: 'away',
    site: 'north.1',
  });
  expect(freed(home, 'north')).toEqual({ at: 'centre', epoch: BEYOND });
});

test('a stay after a restore has an epoch that no lost site can have', () => {
  const home = answered(asked(AT_CENTRE, 'north.1'), 'north.1', word('north.1', 2), 0);
  const back = heard(
    { ...home, at: 'returning' } as Home,
    word('north.1', 2, { isClosed: true }),
    3,
  );
  expect(back).toEqual({ at: 'centre', epoch: BEYOND });
  expect(givenAway(back, 'south.1')).toMatchObject({ epoch: BEYOND + 1 });
  expect(givenAway(freed(home, 'north') as Home, 'south.1')).toMatchObject({ epoch: BEYOND + 1 });
});
