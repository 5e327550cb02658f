import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LogSearch } from '../../src/stores/log-search.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { execute } from '../support/postgres/schema.ts';
import { deleteKey } from '../support/records.ts';
import { ENGINES, type Engine, TestStore } from '../support/stores.ts';

const EVERYTHING = { limit: 1000, searchMax: 1000 };
const MINUTE_MS = 60_000;

/** Twelve scans: of two organisations, one key deleted, a minute apart, uses and refusals. */
async function storeWithLog(engine: Engine) {
  const gate = await TestStore.open(engine);
  const { id: ownId } = await gate.administration.organisations.find(undefined);
  const { id: foreignId } = await gate.administration.organisations.create('Foreign');
  const foreignEvent = await gate.administration.events.create('Foreign pool', foreignId);
  const options = { name: 'foreign', type: 'api', events: 'all', organisation: foreignId } as const;
  const { key: foreignKey } = await gate.administration.keys.create(options);
  const ticket = await gate.mint({ kind: 'multi', uses: 3 });
  const foreignTicket = await gate.mint({ kind: 'permanent', eventId: foreignEvent.id });
  for (let index = 0; index < 6; index += 1) {
    const now = gate.clock.now();
    await gate.scan(
      gate.request(ticket.id, { now, serial: 'S-1' }),
      gate.request(foreignTicket.id, { now, keyId: foreignKey.id }),
    );
    gate.clock.advance(MINUTE_MS);
  }
  await deleteKey(gate.store, foreignKey.id, gate.clock.now(), AN_AUDIT_ENTRY);
  return { gate, ticket, foreignKey, foreignEvent, ownId, foreignId };
}

describe.each(ENGINES)('%s', (engine) => {
  let filled: Awaited<ReturnType<typeof storeWithLog>>;
  beforeAll(async () => {
    filled = await storeWithLog(engine);
  });
  afterAll(() => filled.gate[Symbol.asyncDispose]());

  test('a search meets every condition and keeps to the organisation, also for deleted keys', async () => {
    const { gate, ticket, foreignKey, foreignEvent, ownId, foreignId } = filled;
    const sequences = async (search: Partial<LogSearch>) =>
      (await gate.store.searchLog({ ...EVERYTHING, ...search })).entries.map((one) => one.sequence);
    const start = gate.clock.now() - 6 * MINUTE_MS;

    const all = [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1];
    const own = [11, 9, 7, 5, 3, 1];
    const foreign = [12, 10, 8, 6, 4, 2];
    const denied = [11, 9, 7];

    const rows: [Partial<LogSearch>, number[]][] = [
      [{}, all],
      [{ organisationId: ownId }, own],
      [{ organisationId: foreignId }, foreign],
      [{ keyId: foreignKey.id }, foreign],
      [{ eventId: foreignEvent.id }, foreign],
      [{ serial: 'S-1', outcome: 'denied' }, denied],
      [{ serial: 'S' }, []],
      [{ ticketId: ticket.id }, own],
      [{ organisationId: ownId, outcome: 'admitted' }, [5, 3, 1]],
      [{ outcome: 'denied' }, denied],
      [{ outcome: 'exhausted' }, denied],
      [{ outcome: 'expired' }, []],
      [{ fromAt: start + MINUTE_MS, untilAt: start + 2 * MINUTE_MS }, [6, 5, 4, 3]],
      [{ keyId: 'key_none' }, []],
      [{ afterSequence: 9 }, [10, 11, 12]],
      [{ beforeSequence: 3 }, [2, 1]],
    ];
    for (const [search, found] of rows)
      expect(await sequences(search), JSON.stringify(search)).toEqual(found);
  });

  test('a search looks at so many entries and no more, either way, and tells where it stopped', async () => {
    const { gate, ownId } = filled;
    const search = (more: Partial<LogSearch>) =>
      gate.store.searchLog({ organisationId: ownId, limit: 100, searchMax: 4, ...more });

    const newest = await search({});
    expect(newest).toMatchObject({ searchedTo: 9, ended: false });
    expect(newest.entries.map(({ sequence }) => sequence)).toEqual([11, 9]);
    expect(await search({ beforeSequence: 5 })).toMatchObject({ searchedTo: 1, ended: true });
    expect(await search({ beforeSequence: 1 })).toMatchObject({ entries: [], ended: true });
    expect(await search({ limit: 1 })).toMatchObject({ searchedTo: 11, ended: false });
    expect(await search({ outcome: 'expired' })).toMatchObject({ entries: [], searchedTo: 9 });

    expect(await search({ afterSequence: 0 })).toMatchObject({ searchedTo: 4, ended: false });
    expect(await search({ afterSequence: 8 })).toMatchObject({ searchedTo: 12, ended: true });
    expect(await search({ afterSequence: 12 })).toMatchObject({ searchedTo: 12, ended: true });
    expect(await search({ afterSequence: 0, limit: 1 })).toMatchObject({
      searchedTo: 1,
      ended: false,
    });
  });

  test('a pruned log is searched from where it begins', async () => {
    const { gate, ownId } = await storeWithLog(engine);
    await using _store = gate;
    const start = gate.clock.now() - 6 * MINUTE_MS;
    // In so young a log, a number that is missing may be one that is still to come.
    if (engine === 'postgres') await execute('UPDATE scan_log SET logged_at = 0', gate.url);
    await gate.store.pruneLog(start + 3 * MINUTE_MS, 100);
    const search = (more: Partial<LogSearch>) =>
      gate.store.searchLog({ organisationId: ownId, limit: 100, searchMax: 4, ...more });

    // An engine that drops whole parts of its log only may keep all of this one.
    const [oldest] = await gate.store.readLog({ afterSequence: 0, limit: 1 });
    const first = oldest!.sequence;
    expect(engine === 'postgres' || first === 7).toBe(true);

    const forward = await search({ afterSequence: 0 });
    const back = await search({ beforeSequence: first + 2 });

    expect(forward.entries.map(({ sequence }) => sequence)).toEqual([first, first + 2]);
    expect(forward).toMatchObject({ searchedTo: first + 3, ended: false });
    expect(back.entries.map(({ sequence }) => sequence)).toEqual([first]);
    expect(back).toMatchObject({ searchedTo: first, ended: true });
    expect(await gate.store.countOutcomes(0, 4)).toMatchObject({
      searchedTo: first + 3,
      ended: false,
    });
  });

  test('outcomes are counted by minute and gate in bounded steps that sum up to the whole', async () => {
    const { gate, ownId, foreignId } = filled;

    const whole = await gate.store.countOutcomes(0, 1000);
    const steps = [];
    for (let after = 0, ended = false; !ended; ) {
      const step = await gate.store.countOutcomes(after, 5);
      steps.push(...step.counts);
      ({ searchedTo: after, ended } = step);
    }

    expect(whole).toMatchObject({ searchedTo: 12, ended: true });
    const total = (counts: typeof whole.counts, organisationId: string, status: string) =>
      counts
        .filter((one) => one.organisationId === organisationId && one.status === status)
        .reduce((sum, { count }) => sum + count, 0);
    for (const counts of [whole.counts, steps]) {
      expect(total(counts, ownId, 'consumed')).toBe(3);
      expect(total(counts, ownId, 'exhausted')).toBe(3);
      expect(total(counts, foreignId, 'consumed')).toBe(6);
    }
    expect(new Set(whole.counts.map(({ minute }) => minute)).size).toBe(6);
    expect(whole.counts.find((one) => one.organisationId === ownId)).toMatchObject({
      serial: 'S-1',
      keyId: gate.keyId,
      reason: null,
    });
  });

  test('validations and repeated answers are no outcomes of a gate', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint({ kind: 'multi', uses: 5 });
    const retry = { name: 'n', bodyHash: 'h', expiresAt: gate.clock.now() + 1000 };

    await gate.scan(gate.request(id, { operation: 'validate' }));
    await gate.scan(gate.request(id, { retry }), gate.request(id, { retry }));

    const { counts } = await gate.store.countOutcomes(0, 100);
    expect(counts).toMatchObject([{ status: 'consumed', count: 1 }]);
  });
});
