import { describe, expect, test } from 'vitest';
import { EVENTS_PER_ORGANISATION_MAX } from '../../src/core/limits.ts';
import { ENGINES, TestStore } from '../support/stores.ts';

const idsOf = (records: readonly { readonly id: string }[]) => records.map(({ id }) => id);

async function twoOrganisations(gate: TestStore) {
  const { administration } = gate;
  const other = await administration.organisations.create('Other');
  const own = await gate.store.read('event', gate.eventId);
  const organisationId = own?.organisationId ?? '';
  const made: string[] = [gate.eventId];
  for (const name of ['Über', 'Sauna', 'Lake', 'Night']) {
    made.push((await administration.events.create(name, organisationId)).id);
    await administration.events.create(name, other.id);
  }
  return { organisationId, other, made };
}

describe.each(ENGINES)('%s', (engine) => {
  test('a list has the records of one organisation only, page by page, each once', async () => {
    await using gate = await TestStore.open(engine);
    const { store } = gate;
    const { organisationId, other, made } = await twoOrganisations(gate);

    expect(idsOf(await store.list('event', { organisationId }))).toEqual(made);
    expect(await store.list('event', { organisationId: other.id })).toHaveLength(4);
    const found: string[] = [];
    for (let more = true; more; ) {
      const afterId = found.at(-1);
      const filter = { organisationId, limit: 2, ...(afterId !== undefined && { afterId }) };
      const page = await store.list('event', filter);
      found.push(...idsOf(page));
      more = page.length === 2;
    }
    expect(found).toEqual(made);
    expect(idsOf(await store.list('event', { organisationId, named: 'ÜBER' }))).toEqual([made[1]]);
    expect(await store.list('event', { organisationId, named: 'a', limit: 1 })).toHaveLength(1);
    expect(idsOf(await store.list('organisation', { limit: 1 }))).toEqual([organisationId]);
  });

  test('archived events are left out where that is asked', async () => {
    await using gate = await TestStore.open(engine);
    const { store, administration } = gate;
    const { organisationId, made } = await twoOrganisations(gate);
    const event = (await store.read('event', made[2] ?? ''))!;
    await administration.events.archive(event);
    const open = await store.list('event', { organisationId, withoutArchived: true });
    expect(idsOf(open)).toEqual(made.filter((id) => id !== event.id));
  });

  test('a list that cannot go on says so, and does not end early', async () => {
    await using gate = await TestStore.open(engine);
    await expect(gate.store.list('event', { afterId: 'gone00' })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('tickets, people inside and uses of keys are counted for many at once', async () => {
    await using gate = await TestStore.open(engine);
    const { store } = gate;
    const { made } = await twoOrganisations(gate);
    await gate.mint({ eventId: gate.eventId });
    await gate.mint({ eventId: made[1] ?? '' });
    await gate.mint({ eventId: made[1] ?? '' });
    expect(await store.countTicketsOf([gate.eventId, ...made.slice(1, 3), 'gone00'])).toEqual({
      [gate.eventId]: 1,
      [made[1] ?? '']: 2,
      [made[2] ?? '']: 0,
    });
    expect(await store.listOccupancy([])).toEqual([]);
    expect(await store.keyUses([gate.keyId], 202607)).toEqual([
      {
        keyId: gate.keyId,
        requests: await store.requestsInMonth(gate.keyId, 202607),
        lastUsedAt: await store.keyLastUsedAt(gate.keyId),
      },
    ]);
  });

  test('administrative records are listed by a member of theirs', async () => {
    await using gate = await TestStore.open(engine);
    const { store } = gate;
    for (const [id, accountId] of [
      ['a', 'acc_1'],
      ['b', 'acc_2'],
      ['c', 'acc_1'],
    ] as const) {
      const value = { accountId, phone: 'é' };
      await store.write({
        administrative: [{ kind: 'session', id, revision: 0, value }],
        audit: [],
      });
    }
    await store.write({
      administrative: [{ kind: 'session', id: 'd', revision: 0, value: {} }],
      audit: [],
    });
    const of = async (...anyOf: string[]) =>
      idsOf(await store.list('session', { member: { name: 'accountId', anyOf } }));
    expect(await of('acc_1')).toEqual(['a', 'c']);
    expect(await of('acc_1', 'acc_2', 'acc_3')).toEqual(['a', 'b', 'c']);
    expect(await of()).toEqual([]);
  });

  test('an organisation has a bounded number of events that are not archived', async () => {
    await using gate = await TestStore.open(engine);
    const { store, administration } = gate;
    const { organisationId, made } = await twoOrganisations(gate);
    await administration.organisations.edit(organisationId, { eventsMax: made.length });
    const one = () => administration.events.create('One more', organisationId);
    await expect(one()).rejects.toMatchObject({ code: 'limit_reached', reason: 'events_max' });

    const event = (await store.read('event', made[1] ?? ''))!;
    const archived = await administration.events.archive(event);
    await one();
    await expect(administration.events.unarchive(archived)).rejects.toMatchObject({
      reason: 'events_max',
    });
    await administration.organisations.edit(organisationId, { eventsMax: made.length + 1 });
    await administration.events.unarchive(archived);
    expect(EVENTS_PER_ORGANISATION_MAX).toBe(2000);
  });
});
