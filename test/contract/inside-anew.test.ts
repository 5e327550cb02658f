import { describe, expect, test } from 'vitest';
import { QUARTER_MS } from '../../src/core/scan-count.ts';
import { insideNow, lastAnew } from '../../src/features/events/inside-now.ts';
import { insideRuleOf } from '../../src/features/organisations/inside-from.ts';
import { closingOf } from '../../src/features/statistics/closing.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { ENGINES, TestStore } from '../support/stores.ts';

/** A two-way turnstile of an organisation in Berlin, and what the overview says. */
async function venue(gate: TestStore, changes: { insideFrom?: string; timeZone?: string } = {}) {
  const [{ id: organisationId = '' } = {}] = await gate.store.list('organisation');
  await gate.administration.organisations.edit(organisationId, {
    timeZone: 'Europe/Berlin',
    ...changes,
  });
  const { key } = await gate.administration.keys.create({
    name: 'turnstile',
    type: 'hardware',
    events: 'all',
    terms: { readers: { 0: 'in', 1: 'out' }, onExit: 'open' },
  });
  const { id } = await gate.mint({ kind: 'multi', uses: 99 });
  const pass = (way: 'in' | 'out', at: string, times = 1) => {
    gate.clock.nowMs = Date.parse(at);
    const one = () => gate.request(id, { keyId: key.id, reader: way === 'in' ? '0' : '1' });
    return gate.scan(...Array.from({ length: times }, one));
  };
  const inside = async (at: string) => {
    gate.clock.nowMs = Date.parse(at);
    const event = { id: gate.eventId, organisationId };
    const { people, resetAt } = (await insideNow(gate.store, [event], gate.clock.now()))(event.id);
    return [people, resetAt === null ? null : new Date(resetAt).toISOString().slice(0, 16)];
  };
  const most = async (day: string) => {
    const [organisation] = await gate.store.list('organisation');
    const inside = await insideRuleOf(gate.store, organisation ?? { id: organisationId });
    const request = { organisationId, timeZone: 'Europe/Berlin', from: day, to: day, event: null };
    const now = gate.clock.now();
    return (await closingOf(gate.store, { ...request, inside }, undefined, now)).totals.mostInside;
  };
  return { organisationId, pass, inside, most };
}

describe.each(ENGINES)('%s', (engine) => {
  test('the count begins anew at 04:00 of the time zone, also when no server ran then', async () => {
    await using gate = await TestStore.open(engine);
    const { pass, inside } = await venue(gate);
    await pass('in', '2026-07-01T20:00:00Z', 5);
    await pass('out', '2026-07-01T23:00:00Z', 2);
    expect(await inside('2026-07-02T01:59:59Z')).toEqual([3, '2026-07-01T02:00']);
    await gate.reopen();
    expect(await inside('2026-07-02T02:00:00Z')).toEqual([0, '2026-07-02T02:00']);
    await pass('out', '2026-07-02T02:10:00Z');
    await pass('in', '2026-07-02T06:00:00Z', 4);
    expect(await inside('2026-07-02T06:00:00Z')).toEqual([3, '2026-07-02T02:00']);
    // Nobody came for days: a later day knows nothing of it.
    expect(await inside('2026-07-09T12:00:00Z')).toEqual([0, '2026-07-09T02:00']);
  });

  test('a reset by hand counts from that moment, until the count begins anew', async () => {
    await using gate = await TestStore.open(engine);
    const { pass, inside } = await venue(gate);
    await pass('in', '2026-07-01T08:00:00Z', 5);
    gate.clock.nowMs = Date.parse('2026-07-01T08:05:00Z');
    await gate.store.resetOccupancy(gate.eventId, gate.clock.now(), AN_AUDIT_ENTRY);
    await pass('in', '2026-07-01T08:06:00Z', 2);
    expect(await inside('2026-07-01T08:07:00Z')).toEqual([2, '2026-07-01T08:05']);
    expect(await inside('2026-07-02T08:07:00Z')).toEqual([0, '2026-07-02T02:00']);
    await pass('in', '2026-07-02T09:00:00Z');
    expect(await inside('2026-07-02T09:00:00Z')).toEqual([1, '2026-07-02T02:00']);
  });

  test('the time of the organisation holds, for overview and closing', async () => {
    await using gate = await TestStore.open(engine);
    const { organisationId, pass, inside, most } = await venue(gate, { insideFrom: '10:30' });
    await pass('in', '2026-07-01T20:00:00Z', 6);
    await pass('in', '2026-07-02T08:20:00Z', 3);
    await pass('out', '2026-07-02T08:35:00Z', 1);
    await pass('in', '2026-07-02T08:50:00Z', 2);
    expect(await inside('2026-07-02T09:00:00Z')).toEqual([1, '2026-07-02T08:30']);
    expect(await most('2026-07-02')).toEqual({ people: 9, at: Date.parse('2026-07-02T08:30Z') });
    await gate.administration.organisations.edit(organisationId, { insideFrom: '04:00' });
    expect(await inside('2026-07-02T09:00:00Z')).toEqual([4, '2026-07-02T02:00']);
    expect(await most('2026-07-02')).toMatchObject({ people: 6 });
  });

  test('never: those who stay over night are counted on, since the last reset by hand', async () => {
    await using gate = await TestStore.open(engine);
    const { pass, inside, most } = await venue(gate, { insideFrom: 'never' });
    await pass('in', '2026-06-01T08:00:00Z', 7);
    expect(await inside('2026-07-01T08:00:00Z')).toEqual([7, null]);
    await pass('out', '2026-07-01T08:00:00Z', 3);
    await pass('in', '2026-07-01T09:00:00Z', 1);
    expect(await most('2026-07-01')).toEqual({ people: 7, at: expect.any(Number) });
    gate.clock.nowMs = Date.parse('2026-07-01T10:00:00Z');
    await gate.store.resetOccupancy(gate.eventId, gate.clock.now(), AN_AUDIT_ENTRY);
    await pass('in', '2026-07-01T11:00:00Z', 2);
    expect(await inside('2026-07-02T20:00:00Z')).toEqual([2, '2026-07-01T10:00']);
    await pass('out', '2026-07-02T20:00:00Z', 1);
    expect(await most('2026-07-02')).toMatchObject({ people: 2 });
  });

  test('a use of the day before that is taken back changes nothing today', async () => {
    await using gate = await TestStore.open(engine);
    const { pass, inside, most } = await venue(gate);
    await pass('in', '2026-07-01T20:00:00Z', 2);
    await pass('in', '2026-07-02T07:00:00Z', 2);
    await pass('out', '2026-07-02T07:30:00Z');
    const undo = (sequence: number) =>
      gate.store.undoUse({ sequence, at: gate.clock.now(), by: 'x', reason: 'x' }, AN_AUDIT_ENTRY);
    await undo(1);
    expect(await inside('2026-07-02T07:31:00Z')).toEqual([1, '2026-07-02T02:00']);
    await undo(3);
    expect(await inside('2026-07-02T07:32:00Z')).toEqual([0, '2026-07-02T02:00']);
    await pass('in', '2026-07-02T09:00:00Z', 5);
    expect(await most('2026-07-02')).toMatchObject({ people: 5 });
  });
});

describe('the moment at which the count begins anew', () => {
  const at = (timeZone: string, from: string, now: string) => {
    const quarter = lastAnew({ from, timeZone }, Date.parse(now));
    return quarter === undefined ? null : new Date(quarter * QUARTER_MS).toISOString().slice(0, 16);
  };

  test.each([
    ['Europe/Berlin', '04:00', '2026-03-29T01:59Z', '2026-03-28T03:00'],
    ['Europe/Berlin', '04:00', '2026-03-29T02:00Z', '2026-03-29T02:00'],
    // Clocks skip 02:30: it is 03:00 then.
    ['Europe/Berlin', '02:30', '2026-03-29T00:59Z', '2026-03-28T01:30'],
    ['Europe/Berlin', '02:30', '2026-03-29T01:00Z', '2026-03-29T01:00'],
    // Clocks show 02:30 twice: it is the first.
    ['Europe/Berlin', '02:30', '2026-10-25T00:30Z', '2026-10-25T00:30'],
    ['Europe/Berlin', '02:30', '2026-10-25T01:30Z', '2026-10-25T00:30'],
    ['Europe/Berlin', '04:00', '2026-10-25T02:59Z', '2026-10-24T02:00'],
    ['Europe/Berlin', '04:00', '2026-10-25T03:00Z', '2026-10-25T03:00'],
    ['Europe/Berlin', '00:00', '2026-07-01T21:59Z', '2026-06-30T22:00'],
    ['Europe/Berlin', '00:00', '2026-07-01T22:00Z', '2026-07-01T22:00'],
    ['Europe/Berlin', '23:45', '2026-07-01T21:44Z', '2026-06-30T21:45'],
    // Clocks skip midnight.
    ['America/Havana', '00:15', '2026-03-08T05:00Z', '2026-03-08T05:00'],
    ['America/Havana', '00:15', '2026-03-08T04:59Z', '2026-03-07T05:15'],
    ['Asia/Kathmandu', '04:00', '2026-07-01T22:15Z', '2026-07-01T22:15'],
    ['UTC', 'never', '2026-07-01T22:15Z', null],
  ])('%s at %s, asked %s', (timeZone, from, now, expected) => {
    expect(at(timeZone, from, now)).toBe(expected);
  });
});
