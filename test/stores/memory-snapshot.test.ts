import { expect, test } from 'vitest';
import { MemoryStore } from '../../src/stores/sqlite/memory-store.ts';
import { rememberData } from '../../src/testing/savepoints.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { everyDevice, LASTING_STORES, TestStore } from '../support/stores.ts';

test('what came after a snapshot is gone, what was there is back, again and again', async () => {
  await using gate = await TestStore.open('memory');
  const store = gate.store as MemoryStore;
  const card = await gate.mint({ kind: 'multi', uses: 5 });
  const retry = { name: 'client one', bodyHash: 'x', expiresAt: gate.clock.now() + 1000 };
  await gate.scan(gate.request(card.id));
  const everything = async () => ({
    organisations: await store.list('organisation'),
    events: await store.list('event'),
    keys: await store.list('key'),
    tickets: await store.listTickets({ limit: 100 }),
    log: await store.readLog({ limit: 100 }),
    devices: await everyDevice(store),
    requests: await store.requestsInMonth(gate.keyId, 202607),
    audit: await store.verify(),
  });
  const before = await everything();
  const restore = (await rememberData(store))!;
  for (let turn = 0; turn < 2; turn += 1) {
    const [first] = await gate.scan(gate.request(card.id, { retry }));
    expect(first).toMatchObject({ decision: { ticket: { usesConsumed: 2 } } });
    const contact = { model: 'm', serial: 's', address: 'a', firmware: 'f' };
    await gate.scan(gate.heartbeat(contact));
    await gate.mint();
    await store.cancelTickets([card.id], gate.clock.now(), AN_AUDIT_ENTRY);
    await gate.administration.events.create(`Later ${turn}`);
    await gate.administration.organisations.edit(undefined, { limits: { burst: 7 } });
    await gate.administration.keys.delete(gate.keyId);
    expect(await gate.consume(card.id)).toBe('key_refused');
    await restore();
    expect(await everything()).toEqual(before);
  }
});

test('the revision moves on, so that whoever cached something forgets it', async () => {
  const store = new MemoryStore();
  const revision = async () => (await store.commitScans([])).revision;
  const restore = (await rememberData(store))!;
  const first = await revision();
  await restore();
  expect(await revision()).toBeGreaterThan(first);
});

test.each(LASTING_STORES)('a %s store has files to keep in step', async (engine) => {
  await using gate = await TestStore.open(engine);
  expect(await rememberData(gate.store)).toBeUndefined();
});

test('who may administer the store stays', async () => {
  const store = new MemoryStore();
  const restore = (await rememberData(store))!;
  await store.write({
    administrative: [{ kind: 'account', id: 'ada', revision: 0, value: {} }],
    audit: [],
  });
  await restore();
  expect(await store.list('account')).toHaveLength(1);
});
