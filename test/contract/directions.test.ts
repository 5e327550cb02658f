import { describe, expect, test } from 'vitest';
import type { ExitRule } from '../../src/core/direction.ts';
import type { ScanRequest } from '../../src/core/scan-requests.ts';
import { NONE } from '../../src/features/statistics/figures.ts';
import { scanStatistics } from '../../src/features/statistics/scan-statistics.ts';
import { copyStore } from '../../src/stores/transfer/copy-store.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { editKey } from '../support/records.ts';
import { ENGINES, statusOfOutcome, TestStore } from '../support/stores.ts';

const IN = { reader: '0' };
const OUT = { reader: '1' };

/** A key of a two-way turnstile, and a function that scans with it. */
async function turnstile(gate: TestStore, onExit?: ExitRule) {
  const { key, value } = await gate.administration.keys.create({
    name: 'turnstile',
    type: 'hardware',
    events: 'all',
    terms: { readers: { 0: 'in', 1: 'out' }, onExit },
  });
  const scan = async (ticketId: string, changes: Partial<ScanRequest>) => {
    const outcomes = await gate.scan(gate.request(ticketId, { keyId: key.id, ...changes }));
    return statusOfOutcome(outcomes[0]);
  };
  return { key, value, scan };
}

async function inside(gate: TestStore): Promise<unknown> {
  return (await gate.store.listOccupancy()).find(({ eventId }) => eventId === gate.eventId);
}

describe.each(ENGINES)('%s', (engine) => {
  test('open: whoever came in goes out, exhausted, expired or cancelled, and spends nothing', async () => {
    await using gate = await TestStore.open(engine);
    const { scan } = await turnstile(gate, 'open');
    const single = await gate.mint();
    const ending = await gate.mint({ validUntil: gate.clock.now() + 1000 });
    const cancelled = await gate.mint();

    expect(await scan(single.id, OUT)).toBe('not_used');
    for (const { id } of [single, ending, cancelled]) expect(await scan(id, IN)).toBe('consumed');
    await gate.store.cancelTickets([cancelled.id], gate.clock.now(), AN_AUDIT_ENTRY);
    gate.clock.advance(2000);
    expect(await scan(single.id, IN)).toBe('exhausted');
    for (const { id } of [single, ending, cancelled]) expect(await scan(id, OUT)).toBe('validated');

    expect((await gate.store.findTicket(single.id))?.usesConsumed).toBe(1);
    expect(await scan('tkt_nobody_x', OUT)).toBe('not_found');
    expect(await gate.store.verify()).toMatchObject({ problems: [] });
  });

  test('an account at a way out counts people out, spends nothing, and gets its answer once', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint();
    const unused = await gate.mint();
    const retry = { name: 'n', bodyHash: 'h', expiresAt: gate.clock.now() + 60_000 };
    const out = { events: 'all', direction: 'out' } as const;
    const requests = [
      gate.request(id, { events: 'all' }),
      gate.request(id, { ...out, retry }),
      gate.request(id, { ...out, retry }),
      gate.request(unused.id, out),
      // A check lets nobody in or out.
      gate.request(unused.id, { ...out, operation: 'validate' }),
    ];
    expect((await gate.scan(...requests)).map(statusOfOutcome)).toEqual([
      'consumed',
      'validated',
      'validated',
      'not_used',
      'validated',
    ]);
    expect((await gate.store.findTicket(id))?.usesConsumed).toBe(1);
    expect(await inside(gate)).toMatchObject({ entered: 1, exited: 1 });
    const log = await gate.store.readLog({ limit: 10 });
    expect(log.map(({ direction, done, reason }) => [direction, done ?? reason])).toEqual([
      [undefined, null],
      ['out', 'opened'],
      ['out', null],
      ['out', 'not_used'],
      ['out', 'validated'],
    ]);
    await gate.store.cancelTickets([id], gate.clock.now(), AN_AUDIT_ENTRY);
    expect((await gate.scan(gate.request(id, out))).map(statusOfOutcome)).toEqual(['validated']);
    expect(await gate.store.verify()).toMatchObject({ problems: [] });
  });

  test('a use that is taken back was no passage, whichever way it led', async () => {
    await using gate = await TestStore.open(engine);
    const { scan } = await turnstile(gate);
    const card = await gate.mint({ kind: 'multi', uses: 5 });
    for (const way of [IN, IN, OUT]) expect(await scan(card.id, way)).toBe('consumed');
    const undo = (sequence: number) =>
      gate.store.undoUse({ sequence, at: gate.clock.now(), by: 'x', reason: 'x' }, AN_AUDIT_ENTRY);

    await undo(3);
    expect(await inside(gate)).toMatchObject({ entered: 2, exited: 0 });
    await undo(2);
    expect(await inside(gate)).toMatchObject({ entered: 1, exited: 0 });
    const undone = (await gate.store.readLog({ afterSequence: 3, limit: 2 })).map(
      ({ direction }) => direction,
    );
    expect(undone).toEqual(['out', 'in']);
    expect(await gate.store.verify()).toMatchObject({ problems: [] });
  });

  test('one reader is named in many ways, and a refused read keeps its direction', async () => {
    await using gate = await TestStore.open(engine);
    const { scan } = await turnstile(gate);
    for (const reader of ['1', '01', ' 1 ', '1.0', '1e0'])
      expect(await scan('tkt_nobody_0123456789abcdefghij', { ...OUT, reader })).toBe('not_found');
    const entries = await gate.store.readLog({ limit: 10 });
    expect(entries.map(({ direction }) => direction)).toEqual(Array(5).fill('out'));
  });

  test('consume and validate at an exit; a validate request never spends', async () => {
    await using gate = await TestStore.open(engine);
    const { key, scan } = await turnstile(gate);
    const card = await gate.mint({ kind: 'multi', uses: 3 });

    expect(await scan(card.id, OUT)).toBe('consumed');
    await editKey(gate.store, key.id, { onExit: 'validate' }, AN_AUDIT_ENTRY);
    expect(await scan(card.id, OUT)).toBe('validated');
    expect(await scan(card.id, { ...OUT, operation: 'validate' })).toBe('validated');
    await editKey(gate.store, key.id, { onExit: 'open' }, AN_AUDIT_ENTRY);
    expect(await scan((await gate.mint()).id, { ...OUT, operation: 'validate' })).toBe('validated');
    await editKey(gate.store, key.id, { readers: {} }, AN_AUDIT_ENTRY);
    expect(await scan(card.id, OUT)).toBe('consumed');
    expect((await gate.store.findTicket(card.id))?.usesConsumed).toBe(2);
    const log = await gate.store.readLog({ limit: 10 });
    expect(log.map(({ direction, done }) => [direction, done])).toEqual([
      ['out', 'consumed'],
      ['out', 'validated'],
      ['out', 'validated'],
      ['out', 'validated'],
      [undefined, undefined],
    ]);
    expect(await gate.store.verify()).toMatchObject({ problems: [] });
  });

  test('the log keeps direction and deed; an unnamed reader and one without an index read in', async () => {
    await using gate = await TestStore.open(engine);
    const { key, scan } = await turnstile(gate, 'open');
    const card = await gate.mint({ kind: 'multi', uses: 9 });
    for (const reader of ['0', '01', '7', null]) await scan(card.id, { reader });
    await editKey(gate.store, key.id, { readers: { '*': 'out' } }, AN_AUDIT_ENTRY);
    await scan(card.id, { reader: null });
    const unused = await gate.mint();
    await scan(unused.id, { reader: '4' });

    const log = await gate.store.readLog({ limit: 10 });
    expect(log.map(({ direction, done, reason }) => [direction, done ?? reason])).toEqual([
      ['in', 'consumed'],
      ['out', 'opened'],
      ['in', 'consumed'],
      ['in', 'consumed'],
      ['out', 'opened'],
      ['out', 'not_used'],
    ]);
  });

  test('people inside: in less out since the reset, never below 0, and there after a restart', async () => {
    await using gate = await TestStore.open(engine);
    const { scan } = await turnstile(gate, 'open');
    const tickets = [await gate.mint(), await gate.mint()];
    // A ticket that is looked at lets nobody in, and one that is refused neither.
    expect(await scan(tickets[0]?.id ?? '', { ...IN, operation: 'validate' })).toBe('validated');
    expect(await scan('tkt_nobody_0123456789abcdefghij', IN)).toBe('not_found');
    expect(await inside(gate)).toBeUndefined();
    for (const { id } of tickets) await scan(id, IN);
    await gate.scan(gate.request((await gate.mint()).id));
    await scan(tickets[0]?.id ?? '', IN);
    await scan(tickets[0]?.id ?? '', OUT);
    const counted = { eventId: gate.eventId, entered: 3, exited: 1, resetAt: null };
    expect(await inside(gate)).toEqual(counted);
    await gate.reopen();
    expect(await inside(gate)).toEqual(counted);

    const resetAt = gate.clock.now();
    await gate.store.resetOccupancy(gate.eventId, resetAt, AN_AUDIT_ENTRY);
    expect(await inside(gate)).toEqual({ eventId: gate.eventId, entered: 0, exited: 0, resetAt });
    await scan(tickets[1]?.id ?? '', OUT);
    expect(await inside(gate)).toMatchObject({ entered: 0, exited: 1, resetAt });
    const nobody = gate.store.resetOccupancy('nowhere', 1, AN_AUDIT_ENTRY);
    await expect(nobody).rejects.toMatchObject({ code: 'not_found' });
  });

  test('a repeated answer keeps its direction, passes nobody twice and does nothing', async () => {
    await using gate = await TestStore.open(engine);
    const { key, scan } = await turnstile(gate, 'open');
    const { id } = await gate.mint();
    await scan(id, IN);
    const retry = { name: 'device x', bodyHash: 'h', expiresAt: gate.clock.now() + 3000 };
    await scan(id, { ...OUT, retry });
    await editKey(gate.store, key.id, { readers: { '*': 'in' } }, AN_AUDIT_ENTRY);
    const [again] = await gate.scan(gate.request(id, { ...OUT, keyId: key.id, retry }));

    expect(again).toMatchObject({ decision: { status: 'validated', direction: 'out' } });
    expect((await gate.store.readLog({ limit: 1 }))[0]).toMatchObject({
      direction: 'out',
      replayed: true,
    });
    expect((await gate.store.readLog({ limit: 1 }))[0]).not.toHaveProperty('done');
    expect(await inside(gate)).toMatchObject({ entered: 1, exited: 1 });
  });

  test('an exit is no admission in the statistics', async () => {
    await using gate = await TestStore.open(engine);
    const { scan } = await turnstile(gate, 'open');
    const { id } = await gate.mint();
    await scan(id, OUT);
    await scan(id, IN);
    await scan(id, OUT);
    const { counts } = await gate.store.countOutcomes(0, 100);
    expect(counts.map(({ status, reason }) => reason ?? status)).toEqual(['consumed']);
  });

  test('a way out denies where it asks for the state of a ticket, and not where it only counts', async () => {
    await using gate = await TestStore.open(engine);
    const { key, scan } = await turnstile(gate, 'open');
    const { id } = await gate.mint();
    const unknown = `tkt_${gate.eventId}_00000000000000000000`;
    expect(await scan(id, OUT)).toBe('not_used');
    expect(await scan(unknown, OUT)).toBe('not_found');
    const { organisationId } = key;
    const statistics = async (by: 'gate' | 'day') => {
      const request = { organisationId, by, from: '2026-07-01', to: '2026-07-01', timeZone: 'UTC' };
      return scanStatistics(gate.store, request, gate.clock.now());
    };
    expect(await statistics('gate')).toMatchObject({ rows: [], byReason: [] });
    expect(await statistics('day')).toMatchObject({ totals: NONE, byReason: [] });
    expect((await gate.store.countOutcomes(0, 100)).counts).toEqual([]);

    await editKey(gate.store, key.id, { onExit: 'consume' }, AN_AUDIT_ENTRY);
    expect([await scan(id, OUT), await scan(id, OUT)]).toEqual(['consumed', 'exhausted']);
    expect(await statistics('gate')).toMatchObject({
      rows: [{ gate: 'turnstile', exits: 1, denied: 1 }],
      byReason: [{ reason: 'exhausted', count: 1 }],
    });
    const { counts } = await gate.store.countOutcomes(0, 100);
    expect(counts).toMatchObject([{ status: 'exhausted', count: 1 }]);
    expect(await gate.problems()).toEqual([]);
  });

  test('a copy keeps directions, values, last uses and people inside', async () => {
    await using gate = await TestStore.open(engine);
    await using target = await TestStore.open('memory', 'empty');
    await using back = await TestStore.open(engine, 'empty');
    const { key, scan } = await turnstile(gate, 'open');
    const { id } = await gate.mint();
    await scan(id, IN);
    await scan(id, OUT);
    await gate.administration.keys.edit(key.id, { expiresAt: gate.clock.now() + 9e9 });
    await gate.administration.keys.rotate(key.id);

    await copyStore(gate.store, target.store, { source: 'one' });
    await copyStore(target.store, back.store, { source: 'two' });
    for (const { store } of [target, back]) {
      expect(await store.list('key')).toEqual(await gate.store.list('key'));
      expect(await store.listOccupancy()).toEqual(await gate.store.listOccupancy());
      expect(await store.readLog({ limit: 9 })).toEqual(await gate.store.readLog({ limit: 9 }));
      expect(await store.keyLastUsedAt(key.id)).toBe(await gate.store.keyLastUsedAt(key.id));
    }
  });
});

describe.each(ENGINES)('%s, opened twice as by two processes', (engine) => {
  test('people inside are those of both', async () => {
    await using gate = await TestStore.open(engine);
    const other = await gate.another();
    const cards = await Promise.all([
      gate.mint({ kind: 'permanent' }),
      gate.mint({ kind: 'permanent' }),
    ]);
    const scans = Array.from({ length: 40 }, (_, index) => {
      const request = gate.request(cards[index % 2]?.id ?? '');
      return (index % 3 === 0 ? other : gate.store).commitScans([request]);
    });
    await Promise.all(scans);
    expect(await inside(gate)).toMatchObject({ entered: 40, exited: 0 });
    await other.resetOccupancy(gate.eventId, 5, AN_AUDIT_ENTRY);
    expect(await inside(gate)).toMatchObject({ entered: 0, resetAt: 5 });
  });
});
