import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { hashApiKey } from '../../src/core/api-key.ts';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import { newTicket } from '../../src/core/ticket-changes.ts';
import type { Store } from '../../src/stores/store.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { editKey } from '../support/records.ts';
import { everyDevice, LASTING_STORES, statusOfOutcome, TestStore } from '../support/stores.ts';

/** Everything that a store can be asked for. */
async function everything(store: Store, keyIds: readonly string[]): Promise<object> {
  const requests = keyIds.flatMap((id) =>
    [202607, 202608].map((month) => store.requestsInMonth(id, month)),
  );
  return {
    organisations: await store.list('organisation'),
    events: await store.list('event'),
    keys: await store.list('key'),
    tickets: await store.listTickets({ limit: 1000 }),
    log: await store.readLog({ afterSequence: 0, limit: 1000 }),
    devices: await everyDevice(store),
    requests: await Promise.all(requests),
    audit: await store.verify(),
  };
}

/** A store in which there is something of every kind. */
async function fill(gate: TestStore): Promise<{ keyIds: string[]; card: string; hash: string }> {
  const { administration, store, clock } = gate;
  await administration.organisations.create('Somebody else', { ...DEFAULT_LIMITS, burst: 7 });
  await administration.events.create('Foreign pool', 'Somebody else');
  const other = await administration.events.create('Bäder & "Saunen" 🏊', 'Default');
  const scoped = await administration.keys.create({
    name: 'scoped',
    type: 'hardware',
    events: [gate.eventId, other.id],
    organisation: 'Default',
    door: { relay: 'out', openSeconds: 9 },
    terms: { onExit: 'open', nameOnDisplay: 'none' },
  });
  await administration.keys.edit('scoped', { active: false });
  const gone = { name: 'gone', type: 'api', events: 'all', organisation: 'Default' } as const;
  const deleted = (await administration.keys.create(gone)).key.id;
  const { id: card } = await gate.mint({
    kind: 'multi',
    uses: 9,
    firstName: 'Zoë',
    lastName: 'O’N',
  });
  const { id: cancelled } = await gate.mint({ validUntil: clock.now() + 1000 });
  const options = { eventId: gate.eventId, kind: 'multi', uses: 5 } as const;
  const history = { usesConsumed: 3, lastConsumedAt: clock.now() - 9, cancelledAt: null };
  const imported = { ...newTicket(options, 1, randomBytes), ...history };
  await store.insertTickets([imported], AN_AUDIT_ENTRY);
  const contact = { model: 'm', serial: 's', address: 'a', firmware: '1' };
  await gate.scan(
    gate.request(card, { serial: 'line\nbreak "quoted" \\ \u2028 🎫', reader: '1' }),
    gate.request(card, { keyId: deleted }),
    gate.request(imported.id),
    gate.request(card, { subject: { kind: 'forged', excerpt: 'TS1.tkt…' } }),
    gate.heartbeat(contact),
    gate.request(card, { now: Date.UTC(2026, 7, 1) }),
  );
  await store.cancelTickets([cancelled], clock.now(), AN_AUDIT_ENTRY);
  await administration.keys.delete('gone');
  return { keyIds: [gate.keyId, scoped.key.id, deleted], card, hash: hashApiKey(scoped.value) };
}

describe.each(LASTING_STORES)('%s', (engine) => {
  test('everything is there after a restart, and after another one', async () => {
    await using gate = await TestStore.open(engine);
    const { keyIds, hash } = await fill(gate);
    const before = await everything(gate.store, keyIds);
    const found = await gate.store.findKeyByHash(hash);

    for (let restart = 0; restart < 2; restart += 1) {
      await gate.reopen();
      expect(await everything(gate.store, keyIds)).toEqual(before);
      const { key, limits } = (await gate.store.findKeyByHash(hash)) ?? {};
      expect({ key, limits }).toEqual({ key: found?.key, limits: found?.limits });
    }
  });

  test('work goes on after a restart where it stopped', async () => {
    await using gate = await TestStore.open(engine);
    const { card } = await fill(gate);
    const counted = (await gate.store.findTicket(card))?.usesConsumed ?? 0;
    const last = (await gate.store.readLog({ limit: 1 }))[0]?.sequence ?? 0;
    await gate.reopen();

    const outcomes = await gate.scan(...Array.from({ length: 9 }, () => gate.request(card)));

    const statuses = outcomes.map(statusOfOutcome);
    expect(statuses.filter((status) => status === 'consumed')).toHaveLength(9 - counted);
    const [next] = await gate.store.readLog({ afterSequence: last, limit: 1 });
    expect(next?.sequence).toBeGreaterThan(last);
    await expect(gate.administration.events.create('Pool', 'Default')).rejects.toMatchObject({
      code: 'conflict',
    });
    const another = { type: 'api', events: 'all', organisation: 'Default' } as const;
    await gate.administration.keys.create({ ...another, name: 'third' });
    const fourth = gate.administration.keys.create({ ...another, name: 'fourth' });
    await expect(fourth).rejects.toMatchObject({ code: 'limit_reached' });
    await gate.reopen();
    expect(await gate.problems()).toEqual([]);
  });

  test('a time that ran backwards stays as it was told, also after a restart', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint({ kind: 'multi', uses: 5 });
    const now = gate.clock.now();
    const retry = { name: 'retry', bodyHash: 'same', expiresAt: now + 60_000 };
    await gate.scan(gate.request(id, { now }));
    await gate.reopen();

    const [outcome] = await gate.scan(gate.request(id, { now: now - 5000, retry }));
    const [repeated] = await gate.scan(gate.request(id, { now: now + 7, retry }));

    expect(outcome).toMatchObject({ decision: { scannedAt: now } });
    expect(repeated).toEqual(outcome);
    // The log tells of a use when it counted, and of a repeated answer when it was given.
    const log = await gate.store.readLog({ limit: 10 });
    expect(log.map(({ at, replayed }) => [at, replayed])).toEqual([
      [now, false],
      [now, false],
      [now + 7, true],
    ]);
  });

  test('the revision is another one after keys have changed, whoever looks, and not after scans', async () => {
    await using gate = await TestStore.open(engine);
    const revision = async () => (await gate.store.commitScans([])).revision;
    const before = await revision();
    await gate.consume((await gate.mint()).id);
    expect(await revision()).toBe(before);
    await editKey(gate.store, gate.keyId, { active: false }, AN_AUDIT_ENTRY);
    const after = await revision();
    await gate.reopen();
    expect(after).not.toBe(before);
    await editKey(gate.store, gate.keyId, { active: true }, AN_AUDIT_ENTRY);
    expect([before, after]).not.toContain(await revision());
  });
});
