import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, test } from 'vitest';
import { monthOf } from '../../../src/core/clock.ts';
import { newTicket } from '../../../src/core/ticket-changes.ts';
import { openStore } from '../../../src/stores/open-store.ts';
import { copyStore } from '../../../src/stores/transfer/copy-store.ts';
import { AN_AUDIT_ENTRY } from '../../support/an-audit-entry.ts';
import { execute } from '../../support/postgres/schema.ts';
import { statusOfOutcome, TestStore } from '../../support/stores.ts';

const MONTHS = [
  Date.UTC(2026, 3, 30, 23, 59, 59, 999),
  Date.UTC(2026, 4, 1),
  Date.UTC(2026, 5, 15),
];

/** Waits until so many wait for `holder`, or for one that waits for it. The server has the waiters of other tests too. */
async function untilWaiting(holder: pg.Client, count: number): Promise<void> {
  const [{ pid: own }] = (await holder.query('SELECT pg_backend_pid() AS pid')).rows;
  for (;;) {
    const { rows } = await holder.query(
      'SELECT pid, pg_blocking_pids(pid) AS behind FROM pg_stat_activity',
    );
    const behind = new Set([own]);
    for (let before = 0; before < behind.size; ) {
      before = behind.size;
      for (const row of rows)
        if (row.behind.some((pid: number) => behind.has(pid))) behind.add(row.pid);
    }
    if (behind.size > count) return;
    await sleep(10);
  }
}

test('the log has a part for each month, and a month that is over is dropped whole', async () => {
  await using gate = await TestStore.open('postgres');
  const card = await gate.mint({ kind: 'multi', uses: 10 });
  for (const now of MONTHS)
    await gate.scan(gate.request(card.id, { now }), gate.request(card.id, { now }));
  expect(await partsWithEntries(gate)).toEqual([
    'scan_log_202604',
    'scan_log_202605',
    'scan_log_202606',
  ]);

  // One entry may be removed at a time, and yet a month goes at once.
  expect(await gate.store.pruneLog(MONTHS[2] ?? 0, 1)).toBe(2);
  expect(await gate.store.pruneLog(MONTHS[2] ?? 0, 1)).toBe(2);
  expect(await gate.store.pruneLog(MONTHS[2] ?? 0, 1)).toBe(0);

  expect(await partsWithEntries(gate)).toEqual(['scan_log_202606']);
  expect(await gate.store.findTicket(card.id)).toMatchObject({ usesConsumed: 6 });
  expect(await gate.store.verify()).toMatchObject({ scans: 2, problems: [] });
});

test('a scan whose month was dropped by another process makes it again', async () => {
  await using gate = await TestStore.open('postgres');
  const card = await gate.mint({ kind: 'multi', uses: 10 });
  const [april = 0, may = 0] = MONTHS;
  await gate.scan(gate.request(card.id, { now: april }));
  await gate.scan(gate.request(card.id, { now: may }));
  const other = await openStore(gate.url);
  expect(await other.pruneLog(may, 1000)).toBe(1);
  await other.close();

  const [outcome] = await gate.scan(gate.request(card.id, { operation: 'validate', now: april }));

  expect(statusOfOutcome(outcome)).toBe('validated');
  expect(await partsWithEntries(gate)).toEqual(['scan_log_202604', 'scan_log_202605']);
  expect(await gate.problems()).toEqual([]);
});

test('a scan that is made while its month is pruned is not lost', async () => {
  await using gate = await TestStore.open('postgres');
  const card = await gate.mint({ kind: 'permanent' });
  const [april = 0, may = 0] = MONTHS;
  await gate.scan(...Array.from({ length: 50 }, () => gate.request(card.id, { now: april })));
  await gate.scan(gate.request(card.id, { operation: 'validate', now: may }));
  let pruning = true;
  const scans = (async () => {
    let made = 0;
    for (; pruning; made += 1) await gate.scan(gate.request(card.id, { now: april }));
    return made;
  })();
  const other = await gate.another();
  for (let step = 0; step < 20; step += 1) await other.pruneLog(may, 10);
  pruning = false;

  const made = await scans;
  expect(await gate.store.findTicket(card.id)).toMatchObject({ usesConsumed: 50 + made });
  expect(await gate.problems()).toEqual([]);
});

test('an entry that is committed late, while those around it are pruned, stays until its use is remembered', async () => {
  await using gate = await TestStore.open('postgres');
  const [april = 0] = MONTHS;
  const [first, late] = [await gate.mint({ kind: 'single' }), await gate.mint({ kind: 'single' })];
  const scan = (id: string) => gate.scan(gate.request(id, { now: april }));
  await scan(first.id);
  const [writer, holder] = [new pg.Client(gate.url), new pg.Client(gate.url)];
  await Promise.all([writer.connect(), holder.connect()]);
  await writer.query(`BEGIN; UPDATE ticket SET uses_consumed = 1 WHERE id = '${late.id}';
    INSERT INTO scan_log (month, at, key_id, operation, status, ticket_id, uses_consumed, replayed)
    SELECT month, at, key_id, operation, status, '${late.id}', 1, replayed FROM scan_log;
    INSERT INTO scan_count SELECT quarter, key_id, event_id, kind, serial, operation, outcome, direction, 1, 0, 77 FROM scan_count`);
  for (let times = 0; times < 2; times += 1) await scan((await gate.mint({ kind: 'single' })).id);
  await holder.query(`BEGIN; INSERT INTO pruned_use VALUES ('${first.id}', 0)`);

  const pruned = gate.store.pruneLog(april + 1, 10);
  await untilWaiting(holder, 1);
  await writer.query('COMMIT');
  await holder.query('ROLLBACK');

  expect(await pruned).toBe(2);
  expect(await gate.store.verify()).toMatchObject({ scans: 2, problems: [] });
  expect(await gate.store.pruneLog(april + 1, 10)).toBe(1);
  expect(await gate.store.verify()).toMatchObject({ scans: 1, problems: [] });
  await Promise.all([writer.end(), holder.end()]);
});

test.each([
  ['one by one', MONTHS[0]],
  ['with their month', MONTHS[1]],
])('entries that two processes remove at once, %s, are kept count of once', async (_, last = 0) => {
  await using gate = await TestStore.open('postgres');
  const card = await gate.mint({ kind: 'multi', uses: 10 });
  const [april = 0] = MONTHS;
  for (const now of [april, april, last]) await gate.scan(gate.request(card.id, { now }));

  const removed = await pruneTwice(gate, card.id, april + 1);

  expect(removed.toSorted()).toEqual([0, 2]);
  expect(await gate.store.verify()).toMatchObject({ scans: 1, problems: [] });
});

test('a use that comes into a month between the decision to drop it and the drop is kept', async () => {
  await using gate = await TestStore.open('postgres');
  const card = await gate.mint({ kind: 'multi', uses: 10 });
  const [april = 0, may = 0] = MONTHS;
  const scan = (now: number) => gate.scan(gate.request(card.id, { now }));
  for (const now of [april, april, may]) await scan(now);
  const { id } = await gate.mint({ kind: 'single' });

  const removed = await pruneTwice(gate, card.id, may, () =>
    gate.scan(gate.request(id, { now: april })),
  );

  expect(removed.toSorted()).toEqual([0, 2]);
  expect(await gate.store.findTicket(id)).toMatchObject({ usesConsumed: 1 });
  expect(await gate.store.verify()).toMatchObject({ scans: 2, problems: [] });
});

test('the log has no part further ahead than the next month, whatever times the data holds', async () => {
  await using gate = await TestStore.open('postgres');
  const [now = 0] = MONTHS;
  for (let year = 2030; year < 2040; year += 1) {
    const lastConsumedAt = Date.UTC(year, 0, 15);
    const options = { kind: 'multi', uses: 5, eventId: gate.eventId } as const;
    const ticket = newTicket(options, now, randomBytes);
    const history = { usesConsumed: 1, lastConsumedAt, cancelledAt: null };
    await gate.store.insertTickets([{ ...ticket, ...history }], AN_AUDIT_ENTRY);
    const [outcome] = await gate.scan(gate.request(ticket.id, { now }));
    expect(outcome).toMatchObject({ decision: { scannedAt: lastConsumedAt } });
  }

  expect(await partsWithEntries(gate)).toEqual(['scan_log_202604']);
  const { details } = await gate.store.info();
  expect(details).toMatchObject({ logMonths: 2 });
  expect(await gate.problems()).toEqual([]);
});

test('a copy keeps the times of a log, in parts no further ahead than this month', async () => {
  await using from = await TestStore.open('memory');
  await using to = await TestStore.open('postgres', 'empty');
  const card = await from.mint({ kind: 'multi', uses: 5 });
  const times = [Date.UTC(2026, 6, 1), Date.UTC(9999, 11, 30), Date.UTC(2026, 6, 2)];
  for (const now of times) await from.scan(from.request(card.id, { now }));

  await copyStore(from.store, to.store, { source: 'memory:' });

  const log = await to.store.readLog({ limit: 10 });
  expect(log.map(({ at }) => at)).toEqual([times[0], times[1], times[1]]);
  const parts = (await partsWithEntries(to)).map((part) => Number(part.split('_').at(-1)));
  expect(Math.max(...parts)).toBeLessThanOrEqual(monthOf(Date.now()));
});

/** Prunes in two processes, of which both have begun before one can remove an entry of that ticket. @param meanwhile done then */
async function pruneTwice(
  gate: TestStore,
  ticketId: string,
  before: number,
  meanwhile: () => Promise<unknown> = async () => {},
): Promise<number[]> {
  const other = await gate.another();
  const holder = new pg.Client(gate.url);
  await holder.connect();
  await holder.query(`BEGIN; INSERT INTO pruned_use VALUES ('${ticketId}', 0)`);
  const pruned = Promise.all([gate.store, other].map((store) => store.pruneLog(before, 10)));
  await untilWaiting(holder, 2);
  await meanwhile();
  await holder.query('ROLLBACK');
  await holder.end();
  return pruned;
}

async function partsWithEntries(gate: TestStore): Promise<string[]> {
  const { rows } = await execute(
    'SELECT DISTINCT tableoid::regclass::text AS part FROM scan_log ORDER BY 1',
    gate.url,
  );
  return rows.map(({ part }) => part);
}
