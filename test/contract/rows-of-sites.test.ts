import { describe, expect, test } from 'vitest';
import { monthOf } from '../../src/core/clock.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { AWAY, putHome, relayed, rowOf, SITE, undoOf, useOf } from '../support/sites.ts';
import { ENGINES, TestStore } from '../support/stores.ts';

const logOf = (gate: TestStore) => gate.store.readLog({ limit: 100 });
const rowsOf = async (gate: TestStore) =>
  (await logOf(gate)).map(({ site, replayed, usesConsumed }) => [
    site?.number,
    site?.late,
    replayed,
    usesConsumed,
  ]);

/** How many rows come twice at once. */
const ROUNDS = 20;

/** What a centre makes of the rows of a site. */
describe.each(ENGINES)('%s', (engine) => {
  test('a row counts once, in its order, and says which site answered it', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint({ kind: 'multi', uses: 5 });
    await putHome(gate, AWAY);
    const row = (number: number) => relayed(gate, rowOf(number), useOf(gate, id));

    expect(await gate.scan(row(1), row(2), row(2))).toEqual([
      { kind: 'relayed', place: 'next', stored: 1 },
      { kind: 'relayed', place: 'next', stored: 2 },
      { kind: 'relayed', place: 'known', stored: 2 },
    ]);
    expect(await gate.scan(row(1), row(4), row(3))).toEqual([
      { kind: 'relayed', place: 'known', stored: 2 },
      { kind: 'relayed', place: 'gap', stored: 2 },
      { kind: 'relayed', place: 'next', stored: 3 },
    ]);

    expect(await gate.store.findTicket(id)).toMatchObject({ usesConsumed: 3 });
    const log = await logOf(gate);
    expect(log.map(({ site, usesConsumed }) => [site, usesConsumed])).toEqual([
      [{ id: SITE, number: 1, late: false }, 1],
      [{ id: SITE, number: 2, late: false }, 2],
      [{ id: SITE, number: 3, late: false }, 3],
    ]);
    expect(await gate.problems()).toEqual([]);
  });

  test('a row that two servers of a centre take at once counts once', async () => {
    await using gate = await TestStore.open(engine);
    const other = await gate.another();
    const { id } = await gate.mint({ kind: 'multi', uses: 100 });
    await putHome(gate, AWAY);
    const places: string[] = [];

    for (let number = 1; number <= ROUNDS; number += 1) {
      // Tickets are locked, and every second row has none.
      const scan =
        number % 2
          ? useOf(gate, id)
          : useOf(gate, null, { status: 'rejected', usesConsumed: null });
      const row = relayed(gate, rowOf(number), scan);
      const taken = await Promise.all([gate.store, other].map((one) => one.commitScans([row])));
      const outcomes = taken.flatMap((result) => result.outcomes);
      places.push(
        ...outcomes.map((outcome) => ('place' in outcome ? outcome.place : outcome.kind)),
      );
    }

    expect(places.filter((place) => place === 'next')).toHaveLength(ROUNDS);
    expect(await rowsOf(gate)).toHaveLength(ROUNDS);
    expect(await gate.store.findTicket(id)).toMatchObject({ usesConsumed: ROUNDS / 2 });
    expect(await gate.problems()).toEqual([]);
  });

  test('two sites have numbers of their own, and numbers may be left out', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint({ kind: 'multi', uses: 5 });
    await putHome(gate, AWAY);
    const other = { site: 'st_south.0123456789abcdef' };

    const outcomes = await gate.scan(
      relayed(gate, rowOf(7, { after: 0 }), useOf(gate, id)),
      relayed(gate, rowOf(1, other), useOf(gate, null, { status: 'rejected', usesConsumed: null })),
      relayed(gate, rowOf(9, { after: 7 }), useOf(gate, id)),
    );

    expect(outcomes).toMatchObject([{ stored: 7 }, { stored: 1 }, { stored: 9 }]);
    expect(await gate.store.findTicket(id)).toMatchObject({ usesConsumed: 2 });
  });

  test.each([
    ['of an earlier stay', AWAY, { epoch: 0 }],
    ['of another stay', { ...AWAY, epoch: 2 }, {}],
    ['of an event that was freed', { at: 'centre', epoch: 1 }, {}],
    ['of an event that another site has', { ...AWAY, site: 'st_south.00' }, {}],
  ] as const)('a row %s is kept and flagged, and takes no use', async (_what, home, row) => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint({ kind: 'multi', uses: 5 });
    await putHome(gate, home);

    await gate.scan(relayed(gate, rowOf(1, row), useOf(gate, id)));

    expect(await rowsOf(gate)).toEqual([[1, true, true, 1]]);
    expect(await gate.store.findTicket(id)).toMatchObject({ usesConsumed: 0 });
    expect(await gate.problems()).toEqual([]);
  });

  test('a row that finds no use left, or no ticket, is kept and flagged', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint();
    await putHome(gate, AWAY);
    const gone = `tkt_${gate.eventId}_nobody`;

    await gate.scan(
      relayed(gate, rowOf(1), useOf(gate, id)),
      relayed(gate, rowOf(2), useOf(gate, id, { usesConsumed: 2 })),
      relayed(gate, rowOf(3), useOf(gate, gone)),
      relayed(gate, rowOf(4), useOf(gate, 'tkt_evtunknown00_x')),
    );

    expect(await rowsOf(gate)).toEqual([
      [1, false, false, 1],
      [2, true, true, 2],
      [3, true, true, null],
      [4, true, true, null],
    ]);
    expect(await gate.store.findTicket(id)).toMatchObject({ usesConsumed: 1 });
    expect(await gate.problems()).toEqual([]);
  });

  test('rows count in statistics, outcomes, people inside, and the month of their scan', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint({ kind: 'multi', uses: 5 });
    await putHome(gate, AWAY);
    const denied = { status: 'rejected', reason: 'exhausted', usesConsumed: 5 } as const;
    const before = Date.parse('2026-06-30T23:59:00Z');

    await gate.scan(
      relayed(gate, rowOf(1), useOf(gate, id, { at: before })),
      relayed(gate, rowOf(2), useOf(gate, id)),
      relayed(gate, rowOf(3), useOf(gate, id, denied)),
      relayed(gate, rowOf(4), useOf(gate, id, { replayed: true })),
    );

    const [{ organisationId = '' } = {}] = await gate.store.list('event');
    const sums = await gate.store.sumScans({
      organisationId,
      fromQuarter: 0,
      untilQuarter: 1e9,
      by: ['event'],
    });
    expect(sums.map(({ eventId, outcome, scans }) => [eventId, outcome, scans]).sort()).toEqual([
      [gate.eventId, 'consumed', 1],
      [gate.eventId, 'exhausted', 1],
      [gate.eventId, 'first_use', 1],
    ]);
    expect(await gate.store.countOutcomes(0, 100)).toMatchObject({ searchedTo: 4 });
    expect(await gate.store.listOccupancy()).toMatchObject([{ entered: 2, exited: 0 }]);
    const usage = async (at: number) =>
      (await gate.store.keyUses([gate.keyId], monthOf(at)))[0]?.requests;
    expect([await usage(before), await usage(gate.clock.now())]).toEqual([1, 3]);
    expect(await gate.problems()).toEqual([]);
  });

  test('the row of a key that was deleted since is kept, and the key stays deleted', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint();
    await putHome(gate, AWAY);
    const key = await gate.store.read('key', gate.keyId);
    await gate.store.write({
      records: [{ kind: 'key', before: key ?? null, after: null } as never],
      audit: [AN_AUDIT_ENTRY],
    });

    expect(await gate.scan(relayed(gate, rowOf(1), useOf(gate, id)))).toMatchObject([
      { place: 'next' },
    ]);

    expect(await gate.store.findTicket(id)).toMatchObject({ usesConsumed: 1 });
    expect(await gate.consume(id)).toBe('key_refused');
    expect(await gate.problems()).toEqual([]);
  });

  test('a use that was taken back at the site is taken back here, once', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint();
    await putHome(gate, AWAY);
    await gate.scan(relayed(gate, rowOf(1), useOf(gate, id)));
    const undo = () => gate.store.relayUndo(rowOf(2), undoOf(gate, id, 1));

    expect(await undo()).toEqual({ kind: 'relayed', place: 'next', stored: 2 });
    expect(await undo()).toEqual({ kind: 'relayed', place: 'known', stored: 2 });
    const gap = await gate.store.relayUndo(rowOf(5), undoOf(gate, id, 1));
    expect(gap).toEqual({ kind: 'relayed', place: 'gap', stored: 2 });

    const log = await logOf(gate);
    expect(log).toMatchObject([
      { status: 'consumed', undoneBy: 2 },
      { status: 'undone', site: { number: 2, late: false }, undo: { sequence: 1, by: 'Anna' } },
    ]);
    expect(await gate.store.findTicket(id)).toMatchObject({ usesConsumed: 0 });
    expect(await gate.problems()).toEqual([]);
    await gate.scan(relayed(gate, rowOf(3), useOf(gate, id)));
    expect(await gate.store.findTicket(id)).toMatchObject({ usesConsumed: 1 });
  });

  test('what cannot be taken back here is kept and flagged, and rows behind it come', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint({ kind: 'multi', uses: 5 });
    await putHome(gate, AWAY);
    await gate.scan(relayed(gate, rowOf(1), useOf(gate, id)));
    // Taken back at the centre while the event was there; then it went to the site again.
    await putHome(gate, { at: 'centre', epoch: 1 });
    const request = { sequence: 1, at: gate.clock.now(), by: 'Berta', reason: 'x' };
    await gate.store.undoUse(request, AN_AUDIT_ENTRY);
    await putHome(gate, AWAY);

    await gate.store.relayUndo(rowOf(2), undoOf(gate, id, 1));
    await gate.store.relayUndo(rowOf(3), undoOf(gate, id, 77));
    await gate.store.relayUndo(rowOf(4, { epoch: 7 }), undoOf(gate, id, 1));
    await gate.scan(relayed(gate, rowOf(5), useOf(gate, id)));

    expect((await rowsOf(gate)).slice(2)).toEqual([
      [2, true, true, 0],
      [3, true, true, 0],
      [4, true, true, 0],
      [5, false, false, 1],
    ]);
    expect(await gate.store.findTicket(id)).toMatchObject({ usesConsumed: 1 });
    expect(await gate.problems()).toEqual([]);
  });

  test('rows that arrive twice at once, as after a cut line, count once', async () => {
    await using gate = await TestStore.open(engine);
    const { id } = await gate.mint({ kind: 'multi', uses: 50 });
    await putHome(gate, AWAY);
    const other = await gate.another();
    const rows = Array.from({ length: 20 }, (_, at) =>
      relayed(gate, rowOf(at + 1), useOf(gate, id)),
    );

    await Promise.all([
      gate.store.commitScans(rows),
      other.commitScans(rows),
      gate.store.commitScans(rows.slice(0, 7)),
      other.commitScans(rows.slice(5)),
    ]);
    await gate.store.commitScans(rows);

    expect(await gate.store.findTicket(id)).toMatchObject({ usesConsumed: 20 });
    expect((await rowsOf(gate)).map(([number]) => number)).toEqual(rows.map((_, at) => at + 1));
    expect(await gate.problems()).toEqual([]);
  });
});
