import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { newTicket } from '../../src/core/ticket-changes.ts';
import { type ClosingRow, closingOf } from '../../src/features/statistics/closing.ts';
import { scanStatistics } from '../../src/features/statistics/scan-statistics.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { ENGINES, TestStore } from '../support/stores.ts';

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

interface Wanted {
  readonly from?: string;
  readonly to?: string;
  readonly event?: { id: string; name: string } | null;
}

async function requestOf(
  gate: TestStore,
  { from = '2026-07-01', to = from, event = null }: Wanted,
) {
  const [{ organisationId = '' } = {}] = await gate.store.list('event');
  return {
    organisationId,
    timeZone: 'UTC',
    from,
    to,
    event,
    inside: { from: '04:00', timeZone: 'UTC' },
  };
}

async function closing(gate: TestStore, own: Wanted = {}, beside?: Wanted) {
  const other = beside && (await requestOf(gate, beside));
  return closingOf(gate.store, await requestOf(gate, own), other, gate.clock.now());
}

/** A turnstile with a way in and a way out, and a card of five uses. */
async function turnstile(gate: TestStore, onExit: 'open' | 'consume' = 'open') {
  const { key } = await gate.administration.keys.create({
    name: 'turnstile',
    type: 'hardware',
    events: 'all',
    terms: { readers: { 0: 'in', 1: 'out' }, onExit },
  });
  const { id } = await gate.mint({ kind: 'multi', uses: 5 });
  const way = (reader: string, serial: string | null = null) =>
    gate.request(id, { keyId: key.id, reader, serial });
  return { key, id, way };
}

function named({ admitted, firstUses, repeats, byHand, exits, denied, undone }: ClosingRow) {
  return { admitted, firstUses, repeats, byHand, exits, denied, undone };
}

describe.each(ENGINES)('%s', (engine) => {
  test('first and further uses, ways out, denials, undone uses and the most people inside are counted', async () => {
    await using gate = await TestStore.open(engine);
    const { way } = await turnstile(gate);
    const { id: single } = await gate.mint();
    await gate.scan(way('0'), way('0'), way('0'), gate.request(single), gate.request(single));
    gate.clock.advance(HOUR_MS);
    await gate.scan(way('1'), way('1'));
    const undo = { sequence: 3, at: gate.clock.now(), by: 'x', reason: 'x' };
    await gate.store.undoUse(undo, AN_AUDIT_ENTRY);

    const { totals, byEvent, byGate, byType, byHour, byDay } = await closing(gate);
    const figures = {
      admitted: 4,
      firstUses: 2,
      repeats: 2,
      byHand: 0,
      exits: 2,
      denied: 1,
      undone: 1,
    };
    expect(named(totals)).toEqual(figures);
    expect(totals.reasons).toEqual([{ reason: 'exhausted', count: 1 }]);
    const mostInside = { people: 4, at: Date.parse('2026-07-01T12:15:00Z') };
    expect(totals.mostInside).toEqual(mostInside);
    expect(byEvent).toMatchObject([{ event: gate.eventId, ...figures, mostInside }]);
    expect(byGate).toMatchObject([
      { gate: 'turnstile', admitted: 3, firstUses: 1, exits: 2, undone: 1, mostInside: null },
      { gate: 'gate', admitted: 1, firstUses: 1, denied: 1 },
    ]);
    expect(byType).toMatchObject([
      { type: 'multi', admitted: 3, repeats: 2, undone: 1 },
      { type: 'single', admitted: 1, denied: 1 },
    ]);
    expect(byHour).toMatchObject([
      { hour: '12:00', admitted: 4, mostInside },
      { hour: '13:00', exits: 2, undone: 1, mostInside: { people: 1 } },
    ]);
    expect(byDay).toEqual([]);
    expect(await gate.problems()).toEqual([]);
  });

  test('a way out that counts nobody denies nobody', async () => {
    await using gate = await TestStore.open(engine);
    const { way } = await turnstile(gate);
    await gate.scan(way('1'), way('0'), way('1'));
    const { totals, byGate } = await closing(gate);
    expect(totals).toMatchObject({ admitted: 1, exits: 1, denied: 0, reasons: [] });
    expect(byGate).toMatchObject([{ gate: 'turnstile', denied: 0, reasons: [] }]);
  });

  test('a use that an exit took and that is taken back on another day leaves both days whole', async () => {
    await using gate = await TestStore.open(engine);
    const { way } = await turnstile(gate, 'consume');
    await gate.scan(way('0'), way('0'), way('1'));
    gate.clock.advance(DAY_MS);
    const undo = { sequence: 3, at: gate.clock.now(), by: 'x', reason: 'x' };
    await gate.store.undoUse(undo, AN_AUDIT_ENTRY);

    const first = await closing(gate);
    const second = await closing(gate, { from: '2026-07-02' });
    expect(first.totals).toMatchObject({ admitted: 2, exits: 1, undone: 0 });
    expect(second.totals).toMatchObject({ admitted: 0, exits: 0, undone: 1 });
    expect(second.byHour).toMatchObject([{ hour: '12:00', exits: 0, undone: 1 }]);
  });

  test('who is let in by hand is counted apart, be it the first use or a further one', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint({ kind: 'multi', uses: 4 });
    const { id: single } = await gate.mint();
    const byHand = { byHand: true } as const;
    await gate.scan(
      gate.request(id, byHand),
      gate.request(id),
      gate.request(id, { ...byHand, uses: 2 }),
      gate.request(single),
      // Refused, and only looked at: nobody was let in.
      gate.request(single, byHand),
      gate.request(single, { ...byHand, operation: 'validate' }),
    );
    const before = await closing(gate);
    const figures = { admitted: 5, firstUses: 2, repeats: 3, byHand: 3, denied: 1 };
    expect(before.totals).toMatchObject(figures);
    expect(before.byType).toMatchObject([
      { type: 'multi', admitted: 4, firstUses: 1, byHand: 3 },
      { type: 'single', admitted: 1, firstUses: 1, byHand: 0 },
    ]);
    expect(await gate.problems()).toEqual([]);
    gate.clock.advance(DAY_MS);
    await gate.scan(gate.request(id));
    await gate.store.pruneLog(gate.clock.now() - HOUR_MS, 1000);
    expect((await closing(gate)).totals).toEqual(before.totals);
    expect(await gate.problems()).toEqual([]);
  });

  test('a use that an import brought came before the first one here', async () => {
    await using gate = await TestStore.open(engine);
    const card = { kind: 'multi', uses: 5, eventId: gate.eventId } as const;
    const ticket = newTicket(card, gate.clock.now(), randomBytes);
    const history = { usesConsumed: 2, lastConsumedAt: gate.clock.now(), cancelledAt: null };
    await gate.store.insertTickets([{ ...ticket, ...history }], AN_AUDIT_ENTRY);
    await gate.scan(gate.request(ticket.id));
    expect(named((await closing(gate)).totals)).toMatchObject({ firstUses: 0, repeats: 1 });
    expect(await gate.problems()).toEqual([]);
  });

  test('people who came before midnight are inside until the count begins anew', async () => {
    await using gate = await TestStore.open(engine);
    const { way } = await turnstile(gate);
    gate.clock.advance(11 * HOUR_MS);
    await gate.scan(way('0'), way('0'), way('0'));
    gate.clock.advance(2 * HOUR_MS);
    await gate.scan(way('1'));
    gate.clock.advance(8 * HOUR_MS);
    await gate.scan(way('0'));

    expect((await closing(gate, { from: '2026-07-01' })).totals.mostInside).toBeNull();
    const next = await closing(gate, { from: '2026-07-02' });
    const midnight = Date.parse('2026-07-02T00:15:00Z');
    expect(next.totals.mostInside).toEqual({ people: 3, at: midnight });
    expect(next.byHour).toMatchObject([
      { hour: '01:00', exits: 1, mostInside: { people: 2 } },
      { hour: '09:00', admitted: 1, mostInside: { people: 1 } },
    ]);
  });

  test('most people inside are never at a time that has not come', async () => {
    await using gate = await TestStore.open(engine);
    const { way } = await turnstile(gate);
    gate.clock.advance(11 * HOUR_MS + 7 * 60_000);
    await gate.scan(way('0'), way('0'), way('1'), way('0'));
    const now = gate.clock.now();
    const today = await closing(gate);
    expect(today.totals.mostInside).toEqual({ people: 2, at: now });
    expect(today.byHour).toMatchObject([{ hour: '23:00', mostInside: { people: 2, at: now } }]);
    expect((await closing(gate, { from: '2026-07-02' })).totals.mostInside).toBeNull();
    gate.clock.advance(8 * 60_000);
    const ofQuarter = { people: 2, at: Date.parse('2026-07-01T23:15:00Z') };
    expect((await closing(gate)).totals.mostInside).toEqual(ofQuarter);
  });

  test('days stand beside each other one by one, events and hours by what they are', async () => {
    await using gate = await TestStore.open(engine);
    const { way } = await turnstile(gate);
    await gate.scan(way('0', 'north'), way('0', 'south'));
    gate.clock.advance(DAY_MS);
    await gate.scan(way('0', 'north'));
    gate.clock.advance(HOUR_MS);
    await gate.scan(way('0', 'north'));

    const one = await closing(gate, { from: '2026-07-02' }, { from: '2026-07-01' });
    expect(one.other).toMatchObject({ from: '2026-07-01', to: '2026-07-01', event: null });
    expect(one.totals).toMatchObject({ admitted: 2, other: { admitted: 2, firstUses: 1 } });
    expect(one.byGate).toMatchObject([
      { gate: 'turnstile (north)', admitted: 2, other: { admitted: 1 } },
      { gate: 'turnstile (south)', admitted: 0, other: { admitted: 1 } },
    ]);
    expect(one.byHour).toMatchObject([
      { hour: '12:00', admitted: 1, other: { admitted: 2 } },
      { hour: '13:00', admitted: 1, other: { admitted: 0 } },
    ]);
    const days = await closing(
      gate,
      { from: '2026-07-01', to: '2026-07-02' },
      { from: '2026-07-02', to: '2026-07-03' },
    );
    expect(days.byDay).toMatchObject([
      { day: '2026-07-01', admitted: 2, other: { day: '2026-07-02', admitted: 2 } },
      { day: '2026-07-02', admitted: 2, other: { day: '2026-07-03', admitted: 0 } },
    ]);
  });

  test('one event is closed by itself, and a pruned log changes nothing', async () => {
    await using gate = await TestStore.open(engine);
    const { way } = await turnstile(gate);
    const other = await gate.administration.events.create('Sauna');
    const { id } = await gate.mint({ eventId: other.id });
    await gate.scan(way('0'), gate.request(id));
    const event = { id: other.id, name: 'Sauna' };
    const before = await closing(gate, { event });
    expect(before.totals).toMatchObject({ admitted: 1, firstUses: 1 });
    expect(before.byGate).toMatchObject([{ gate: 'gate' }]);
    gate.clock.advance(DAY_MS);
    await gate.scan(way('0'));
    await gate.store.pruneLog(gate.clock.now() - HOUR_MS, 1000);
    expect(await closing(gate, { event })).toEqual(before);
    expect(await gate.problems()).toEqual([]);
  });

  test('two subjects are counted in one table', async () => {
    await using gate = await TestStore.open(engine);
    const { way } = await turnstile(gate);
    await gate.scan(way('0', 'north'), way('0', 'south'));
    gate.clock.advance(DAY_MS);
    await gate.scan(way('0', 'north'), way('0', 'north'));
    const { organisationId } = await requestOf(gate, {});
    const request = { organisationId, from: '2026-07-01', to: '2026-07-03', timeZone: 'UTC' };
    const { rows } = await scanStatistics(
      gate.store,
      { ...request, by: 'day,gate' },
      gate.clock.now(),
    );
    expect(rows.map(({ day, gate: name, admitted }) => [day, name, admitted])).toEqual([
      ['2026-07-01', 'turnstile (north)', 1],
      ['2026-07-01', 'turnstile (south)', 1],
      ['2026-07-02', 'turnstile (north)', 2],
    ]);
  });
});
