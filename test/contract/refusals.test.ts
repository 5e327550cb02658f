import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { hashApiKey, makeApiKey } from '../../src/core/api-key.ts';
import { chosenRefusals } from '../../src/features/log/commands/log-text.ts';
import { allRefusals, refusalsOf } from '../../src/features/log/operations.ts';
import { RefusalCounter, type RefusedRequest } from '../../src/scan/refusal-counter.ts';
import { processorMs } from '../support/processor-time.ts';
import { ENGINES, LASTING_STORES, TestStore } from '../support/stores.ts';

function request(key: string, changes: Partial<RefusedRequest> = {}): RefusedRequest {
  const sent = { serial: 'TOR1', address: '192.0.2.7', endpoint: '/scan/hw/consume' };
  return { keys: [key], type: 'hardware', limit: undefined, ...sent, ...changes };
}

type CounterStore = ConstructorParameters<typeof RefusalCounter>[0]['store'];

function counterOn(store: CounterStore, gate: TestStore, failures: string[] = []): RefusalCounter {
  return new RefusalCounter({ store, clock: gate.clock, onFailure: (why) => failures.push(why) });
}

const secret = () => makeApiKey('hardware', randomBytes);

describe.each(ENGINES)('%s', (engine) => {
  test('disabled and deleted keys belong to their organisation, unknown ones to nobody', async () => {
    await using gate = await TestStore.open(engine);
    const make = (name: string) =>
      gate.administration.keys.create({ name, type: 'hardware', events: 'all' });
    const [one, other] = [await make('Gate 1'), await make('Gate 2')];
    const unknown = secret();
    await gate.administration.keys.edit(one.key.id, { active: false });
    await gate.administration.keys.delete(other.key.id);
    const counter = counterOn(gate.store, gate);

    for (const { value } of [one, one, other]) counter.count(request(value));
    counter.count(request(one.value, { limit: 'rate_limit' }));
    counter.count(request(one.value, { type: 'api', serial: null }));
    counter.count(request(unknown));
    counter.count(request(`${unknown.slice(0, -1)}_`));
    counter.count(request('hunter2'));
    counter.count(request('', { keys: [] }));
    counter.count(request('', { keys: [unknown, unknown] }));
    await counter.flush();

    const at = gate.clock.now();
    const own = await refusalsOf(gate.store, one.key.organisationId, false, at);
    const all = await allRefusals(gate.store, at);
    const facts = own.rows.map(({ reason, keyId, times }) => [reason, keyId, times]);
    expect(facts.sort()).toEqual(
      [
        ['deleted_key', other.key.id, 1],
        ['disabled_key', one.key.id, 2],
        ['rate_limit', one.key.id, 1],
        ['wrong_key_type', one.key.id, 1],
      ].sort(),
    );
    const prefix = `${unknown.slice(0, 'tscn_hw_'.length + 4)}…`;
    const nobodys = all.rows.filter(({ keyId }) => keyId === null);
    expect(Object.fromEntries(nobodys.map(({ reason, key }) => [reason, key]))).toEqual({
      unknown_key: prefix,
      malformed_key: expect.stringMatching(/^(tscn_hw_\w{4}…|7 characters)$/),
      missing_key: null,
      repeated_key: prefix,
    });
    expect(await refusalsOf(gate.store, 'org_other', false, at)).toEqual({
      rows: [],
      others: null,
      unknownKeys: false,
    });
    for (const value of [one.value, other.value, unknown, 'hunter2', hashApiKey(unknown)]) {
      expect(JSON.stringify(all)).not.toContain(value);
    }
  });

  test('a store that cannot be written keeps no request out of the counts', async () => {
    await using gate = await TestStore.open(engine);
    const failures: string[] = [];
    let isBroken = true;
    const store: CounterStore = {
      findKeysByHash: (hashes) => gate.store.findKeysByHash(hashes),
      read: (kind, id) => gate.store.read(kind, id),
      write: async (change) => {
        if (isBroken) throw new Error('the disk is full');
        return gate.store.write(change);
      },
    };
    const counter = counterOn(store, gate, failures);

    const unknown = secret();
    counter.count(request(unknown));
    await counter.flush();
    isBroken = false;
    counter.count(request(unknown));
    await counter.flush();

    expect(failures).toEqual(['the disk is full']);
    const { rows } = await allRefusals(gate.store, gate.clock.now());
    expect(rows).toMatchObject([{ reason: 'unknown_key', times: 2 }]);
  });
});

test.each(LASTING_STORES)('counts last over a restart: %s', async (engine) => {
  await using gate = await TestStore.open(engine);
  const unknown = secret();
  for (let run = 0; run < 2; run += 1) {
    const counter = counterOn(gate.store, gate);
    counter.count(request(unknown));
    await counter.flush();
    await gate.reopen();
  }

  const { rows } = await allRefusals(gate.store, gate.clock.now());
  expect(rows).toMatchObject([{ serial: 'TOR1', address: '192.0.2.7', times: 2 }]);
});

test.each(ENGINES)('two processes lose none of their counts: %s', async (engine) => {
  await using gate = await TestStore.open(engine);
  const unknown = secret();
  const counters = [counterOn(gate.store, gate), counterOn(await gate.another(), gate)];

  for (let round = 0; round < 5; round += 1) {
    for (const counter of counters) counter.count(request(unknown));
    await Promise.all(counters.map((counter) => counter.flush()));
  }

  const { rows } = await allRefusals(gate.store, gate.clock.now());
  expect(rows).toMatchObject([{ times: 10 }]);
});

test('a flood of unknown keys hides no refused device of an organisation', async () => {
  await using gate = await TestStore.open('sqlite');
  const { key, value } = await gate.administration.keys.create({
    name: 'Gate 1',
    type: 'hardware',
    events: 'all',
  });
  await gate.administration.keys.edit(key.id, { active: false });
  const counter = counterOn(gate.store, gate);

  for (let round = 0; round < 4; round += 1) {
    for (let index = 0; index < 1500; index += 1) counter.count(request(secret()));
    // The look-up of the keys so far.
    await gate.store.findKeysByHash([]);
    await new Promise((resolve) => setTimeout(resolve, 50));
    counter.count(request(value));
  }
  gate.clock.advance(1000);
  for (let index = 0; index < 300; index += 1) counter.count(request(secret()));
  await counter.flush();

  const { rows } = await refusalsOf(gate.store, key.organisationId, false, gate.clock.now());
  expect(rows).toMatchObject([{ reason: 'disabled_key', times: 4 }]);
  const all = await allRefusals(gate.store, gate.clock.now());
  expect(all.rows).toHaveLength(201);
  const shown = chosenRefusals(all, { names: new Map(), times: {}, limit: 20 });
  expect(shown.rows).toHaveLength(20);
  expect(shown.rows.filter(({ keyId }) => keyId === key.id)).toHaveLength(1);
  expect(all.rows.reduce((sum, { times }) => sum + times, all.others?.times ?? 0)).toBe(6304);
});

test('100,000 refusals with different keys cost a bounded memory, and rows, and no time of a scan', async () => {
  await using gate = await TestStore.open('sqlite');
  const counter = counterOn(gate.store, gate);
  const flood = 100_000;
  const keys = Array.from({ length: 1000 }, secret);

  // What the look-up of a refused key costs anyway, without its question to the store.
  const referenceMs = await processorMs(() => {
    for (let index = 0; index < flood; index += 1) hashApiKey(keys[index % 1000] ?? '');
  });
  const countedMs = await processorMs(() => {
    for (let index = 0; index < flood; index += 1) {
      const address = `192.0.2.${index % 5}`;
      counter.count(request(keys[index % 1000] ?? '', { address, serial: `${index}` }));
    }
  });
  const flushed = counter.flush();
  const ticket = await gate.mint({ kind: 'multi', uses: 2 });
  expect(await gate.scan(gate.request(ticket.id))).toMatchObject([{ kind: 'decided' }]);
  await flushed;

  const { rows, others } = await allRefusals(gate.store, gate.clock.now());
  expect(rows).toHaveLength(200);
  expect(rows.reduce((sum, { times }) => sum + times, others?.times ?? 0)).toBe(flood);
  const [record] = await gate.store.list('refusals');
  expect(JSON.stringify(record).length).toBeLessThan(100_000);
  expect(countedMs / referenceMs).toBeLessThan(40);
});
