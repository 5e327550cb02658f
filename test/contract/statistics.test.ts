import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import {
  type RowsBy,
  type StatisticsRow,
  scanStatistics,
} from '../../src/features/statistics/scan-statistics.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { execute } from '../support/postgres/schema.ts';
import { ENGINES, TestStore } from '../support/stores.ts';

async function rowsBy(gate: TestStore, by: RowsBy): Promise<StatisticsRow[]> {
  const [{ organisationId = '' } = {}] = await gate.store.list('event');
  const request = { organisationId, by, from: '2026-07-01', to: '2026-07-01', timeZone: 'UTC' };
  return (await scanStatistics(gate.store, request, gate.clock.now())).rows;
}

const figures = { admitted: 0, denied: 0, validations: 0, undone: 0, exits: 0 };

describe.each(ENGINES)('%s', (engine) => {
  test('scans are counted by event, gate and type; a repeated answer is not', async () => {
    await using gate = await TestStore.open(engine);
    const single = await gate.mint();
    const permanent = await gate.mint({ kind: 'permanent' });
    const retry = { name: 'again', bodyHash: 'h', expiresAt: gate.clock.now() + 60_000 };
    await gate.scan(
      gate.request(single.id, { retry }),
      gate.request(single.id, { retry }),
      gate.request(permanent.id, { serial: 'North' }),
      gate.request(permanent.id, { operation: 'validate' }),
    );
    await gate.scan(
      gate.request(single.id),
      gate.request('tkt_zzzzzz_00000000000000000000'),
      gate.request('', { subject: { kind: 'forged', excerpt: 'TS1' } }),
    );

    expect(await rowsBy(gate, 'day')).toEqual([
      { day: '2026-07-01', admitted: 2, denied: 3, validations: 1, undone: 0, exits: 0 },
    ]);
    expect(await rowsBy(gate, 'event')).toEqual([
      {
        ...figures,
        event: gate.eventId,
        eventName: 'Pool',
        admitted: 2,
        denied: 1,
        validations: 1,
      },
      { ...figures, event: null, eventName: null, denied: 2 },
    ]);
    expect(await rowsBy(gate, 'gate')).toEqual([
      {
        ...figures,
        gate: 'gate',
        keyId: gate.keyId,
        serial: null,
        admitted: 1,
        denied: 3,
        validations: 1,
      },
      { ...figures, gate: 'gate (North)', keyId: gate.keyId, serial: 'North', admitted: 1 },
    ]);
    expect(new Map((await rowsBy(gate, 'type')).map(({ type, ...row }) => [type, row]))).toEqual(
      new Map<unknown, unknown>([
        ['single', { ...figures, admitted: 1, denied: 1 }],
        ['permanent', { ...figures, admitted: 1, validations: 1 }],
        [null, { ...figures, denied: 2 }],
      ]),
    );
    expect(await gate.problems()).toEqual([]);
  });

  test('a serial that is new with every scan is named for the first 200 only', async () => {
    await using gate = await TestStore.open(engine);
    const requests = Array.from({ length: 203 }, (_, index) =>
      gate.request('', { subject: { kind: 'forged', excerpt: 'x' }, serial: `s${index}` }),
    );
    const long = gate.request('', {
      subject: { kind: 'forged', excerpt: 'x' },
      serial: 'l'.repeat(4000),
    });
    await gate.scan(...requests, long);

    const rows = await rowsBy(gate, 'gate');
    expect(rows).toHaveLength(201);
    expect(rows[0]).toMatchObject({ gate: 'gate', serial: null, denied: 4 });
    expect(await gate.problems()).toEqual([]);
  });

  test('events that the organisation does not have are counted together, however many somebody invents', async () => {
    await using gate = await TestStore.open(engine);
    const invented = Array.from({ length: 60 }, (_, index) =>
      gate.request(`tkt_zzzz${10 + index}_00000000000000000000`),
    );
    const unknown = gate.request(`tkt_${gate.eventId}_00000000000000000000`);
    await gate.scan(...invented, unknown);
    const rows = [
      { ...figures, event: null, eventName: null, denied: 60 },
      { ...figures, event: gate.eventId, eventName: 'Pool', denied: 1 },
    ];
    expect(await rowsBy(gate, 'event')).toEqual(rows);
    expect(await gate.problems()).toEqual([]);

    gate.clock.advance(24 * 60 * 60_000);
    await gate.scan(gate.request((await gate.mint()).id));
    await gate.store.pruneLog(gate.clock.now() - 60_000, 1000);
    expect(await rowsBy(gate, 'event')).toEqual(rows);
    expect(await gate.problems()).toEqual([]);
  });

  test('what is pruned stays counted, and the rest is still proven', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint({ kind: 'multi', uses: 9 });
    for (let day = 0; day < 3; day += 1) {
      await gate.scan(gate.request(id, { serial: 'North' }), gate.request(id));
      gate.clock.advance(24 * 60 * 60_000);
    }
    const before = await rowsBy(gate, 'gate');
    expect(await gate.store.pruneLog(gate.clock.now() - 24 * 60 * 60_000, 3)).toBe(3);

    expect(await rowsBy(gate, 'gate')).toEqual(before);
    expect(await gate.problems()).toEqual([]);
    await gate.reopen();
    expect(await rowsBy(gate, 'gate')).toEqual(before);
    expect(await gate.problems()).toEqual([]);
  });
});

test.each(ENGINES)(
  '%s: the audit finds a counter that is not what the log says',
  async (engine) => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint();
    await gate.scan(gate.request(id), gate.request(id));
    await changeOutside(gate, "UPDATE scan_count SET scans = 3 WHERE outcome = 'exhausted'");
    expect(await gate.problems()).toEqual([
      `The statistics count 3 scans "exhausted" of event ${gate.eventId} with key ${gate.keyId} in the 15 minutes from 2026-07-01T12:00:00.000Z, but the log holds 1.`,
    ]);
    await changeOutside(gate, 'DELETE FROM scan_count');
    expect(await gate.problems()).toHaveLength(2);
  },
);

test.each(ENGINES)(
  '%s: the audit finds a way out that was counted as a way in, and an entry whose way is not the counted one',
  async (engine) => {
    await using gate = await TestStore.open(engine);
    const { key } = await gate.administration.keys.create({
      name: 'turnstile',
      type: 'hardware',
      events: 'all',
      terms: { readers: { 0: 'in', 1: 'out' }, onExit: 'open' },
    });
    const { id } = await gate.mint({ kind: 'multi', uses: 3 });
    const way = (reader: string) => gate.request(id, { keyId: key.id, reader });
    await gate.scan(way('0'), way('0'), way('1'));
    const undo = { sequence: 2, at: gate.clock.now(), by: 'x', reason: 'x' };
    await gate.store.undoUse(undo, AN_AUDIT_ENTRY);
    expect(await gate.problems()).toEqual([]);

    await changeOutside(gate, "UPDATE scan_log SET direction = 'in' WHERE direction = 'out'");
    const ofKey = `of event ${gate.eventId} with key ${key.id} in the 15 minutes from 2026-07-01T12:00:00.000Z`;
    expect((await gate.problems()).toSorted()).toEqual([
      `The statistics count 0 scans "validated in" ${ofKey}, but the log holds 1.`,
      `The statistics count 1 scan "validated out" ${ofKey}, but the log holds 0.`,
    ]);
  },
);

/** Changes the store as somebody does who has the database, but not the program. */
async function changeOutside({ url }: TestStore, statement: string): Promise<void> {
  if (url.startsWith('postgres')) {
    await execute(statement, url);
    return;
  }
  const database = new DatabaseSync(url.replace('sqlite:', ''));
  database.exec(statement);
  database.close();
}

describe.each(ENGINES)('%s, opened twice as by two processes', (engine) => {
  test('what both count at the same time is counted once each', async () => {
    await using gate = await TestStore.open(engine);
    const other = await gate.another();
    const { id } = await gate.mint({ kind: 'permanent' });
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        (index % 2 === 0 ? gate.store : other).commitScans([gate.request(id)]),
      ),
    );
    expect(await rowsBy(gate, 'type')).toMatchObject([{ type: 'permanent', admitted: 40 }]);
    expect((await other.verify()).problems).toEqual([]);
  });
});
