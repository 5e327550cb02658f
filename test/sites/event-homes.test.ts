import { expect, test } from 'vitest';
import { homesElsewhere } from '../../src/features/sites/event-homes.ts';
import { makeSite, putHome } from '../support/sites.ts';
import { TestStore } from '../support/stores.ts';

const AT_CENTRE = { at: 'centre', site: null };

test.each([
  ['has taken', { epoch: 1, isOpen: true, after: 0 }, undefined],
  ['has given back', { epoch: 1, isOpen: false, after: 0 }, AT_CENTRE],
  ['has not taken yet', undefined, AT_CENTRE],
])('at a site, an event that it %s says where it is decided', async (_what, held, expected) => {
  await using gate = await TestStore.open('memory');
  await makeSite(gate, held);
  expect((await homesElsewhere(gate.store))(gate.eventId)).toEqual(expected);
});

test('at a centre, an event is decided here until it goes to a site, which is named', async () => {
  await using gate = await TestStore.open('memory');
  expect((await homesElsewhere(gate.store))(gate.eventId)).toBeUndefined();
  await putHome(gate, { at: 'returning', epoch: 1, site: 'st_north.0123456789abcdef' });
  const site = { id: 'st_north', name: 'st_north' };
  expect((await homesElsewhere(gate.store))(gate.eventId)).toEqual({ at: 'returning', site });
  await putHome(gate, { at: 'centre', epoch: 1 });
  expect((await homesElsewhere(gate.store))(gate.eventId)).toBeUndefined();
});
